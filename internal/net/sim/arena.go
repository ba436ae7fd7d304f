package sim

const arenaBlock = 1 << 10

// arena is things that are used again, each with a number by which others that
// hold no pointers can name it: what the collector of garbage need not look
// through, and what moves without write barriers.
type arena[T any] struct {
	blocks []*[arenaBlock]T
	free   []int32
}

func (a *arena[T]) at(i int32) *T { return &a.blocks[i/arenaBlock][i%arenaBlock] }

// take returns the number of one that is free.
func (a *arena[T]) take() int32 {
	if len(a.free) == 0 {
		first := int32(len(a.blocks)) * arenaBlock
		a.blocks = append(a.blocks, new([arenaBlock]T))
		for i := first + arenaBlock - 1; i >= first; i-- {
			a.free = append(a.free, i)
		}
	}
	last := len(a.free) - 1
	i := a.free[last]
	a.free = a.free[:last]
	return i
}

// put lets go of what it points to.
func (a *arena[T]) put(i int32) {
	var zero T
	*a.at(i) = zero
	a.free = append(a.free, i)
}
