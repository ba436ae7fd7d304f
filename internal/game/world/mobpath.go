package world

import "github.com/voxelpopuli/voxelpopuli/internal/game/pack"

// Finding a way: A* over the places to stand near a mob, with little room and a
// bound on the work. If the goal is out of reach the way leads as near to it as
// it can.
const (
	pathRadius = 14 // blocks around the start, sideways
	pathTall   = 7  // up and down
	pathKeep   = 12 // steps that a mob remembers
	pathWork   = 220
	pathBudget = 3 // ways found in one tick
	pathSpan   = 2*pathRadius + 1
	pathCells  = pathSpan * pathSpan * (2*pathTall + 1)
	costStep   = 10
	costSlant  = 14
	costUp     = 6
	costDown   = 2 // for each block
	costWater  = 12
)

// pathfinder is the scratch memory of findPath, cleared by raising its turn.
type pathfinder struct {
	blocks *regionBlocks
	left   int // ways that may be found in this tick
	turn   uint32
	start  Pos
	goal   Pos
	cells  []pathCell // pathCells of them, made when first needed
	open   []pathOpen // a heap by (guess, cell)
}

type pathCell struct {
	turn uint32
	cost uint16
	from int16
	done bool
}

type pathOpen struct {
	guess int32 // cost so far + what is at least to come
	cell  int16
}

// findPath writes the first steps of a way into path and returns how many.
func (f *pathfinder) findPath(start, goal Pos, path *[pathKeep]Pos) int {
	if f.left == 0 {
		return 0
	}
	f.left--
	f.begin(start, goal)
	best, least := f.index(start), f.ahead(start)
	for work := 0; work < pathWork && len(f.open) > 0; work++ {
		i := f.pop()
		c := &f.cells[i]
		if c.done {
			work--
			continue
		}
		c.done = true
		p := f.place(i)
		if h := f.ahead(p); h < least {
			if best, least = i, h; h == 0 {
				break
			}
		}
		f.expand(p, i, c.cost)
	}
	return f.trace(best, path)
}

func (f *pathfinder) begin(start, goal Pos) {
	if f.cells == nil {
		f.cells = make([]pathCell, pathCells)
	}
	f.turn++
	f.start, f.goal, f.open = start, goal, f.open[:0]
	i := f.index(start)
	f.cells[i] = pathCell{turn: f.turn, from: -1}
	f.push(pathOpen{f.ahead(start), i})
}

// expand looks at the eight ways on from p.
func (f *pathfinder) expand(p Pos, from int16, cost uint16) {
	for dz := int32(-1); dz <= 1; dz++ {
		for dx := int32(-1); dx <= 1; dx++ {
			switch {
			case dx == 0 && dz == 0:
			case dx == 0 || dz == 0:
				if to, price, ok := f.blocks.stepTo(p, dx, dz); ok {
					f.reach(to, from, cost+price)
				}
			default:
				to := p.Add(dx, 0, dz)
				if f.blocks.roomAt(p.Add(dx, 0, 0)) && f.blocks.roomAt(p.Add(0, 0, dz)) && f.blocks.standAt(to) &&
					f.blocks.standAt(p.Add(dx, 0, 0)) && f.blocks.standAt(p.Add(0, 0, dz)) {
					f.reach(to, from, cost+costSlant)
				}
			}
		}
	}
}

// stepTo finds where a step to the side ends: on the level, one up or up to
// three down.
func (rb *regionBlocks) stepTo(p Pos, dx, dz int32) (to Pos, price uint16, ok bool) {
	to = p.Add(dx, 0, dz)
	if !rb.roomAt(to) {
		up := to.Next(FaceUp)
		ok = rb.standAt(up) && rb.passable(p.Add(0, 2, 0))
		return up, costStep + costUp, ok
	}
	for down := range int32(dropGuarded + 1) {
		low := to.Add(0, -down, 0)
		if b, _ := rb.Block(low); b.IsWater() {
			return low, costStep + costWater, rb.passable(low)
		}
		if rb.standAt(low) {
			return low, costStep + uint16(down)*costDown, true
		}
		if !rb.passable(low) {
			break
		}
	}
	return to, 0, false
}

// standAt reports whether a mob can stand at p.
func (rb *regionBlocks) standAt(p Pos) bool {
	under, ok := rb.Block(p.Next(FaceDown))
	return ok && (under.Solid() && under != Cactus && !under.fences() || under.IsWater()) && rb.roomAt(p)
}

// fences reports whether mobs do not climb over a block that they could stand on.
func (b Block) fences() bool {
	class := Info(b).Class
	return class == pack.Fence || class == pack.Gate
}

// roomAt reports whether p and the block above are free.
func (rb *regionBlocks) roomAt(p Pos) bool { return rb.passable(p) && rb.passable(p.Next(FaceUp)) }

// passable reports whether a mob may be in a block. What is not loaded is no way,
// what is loaded of other regions is.
func (rb *regionBlocks) passable(p Pos) bool {
	b, ok := rb.Block(p)
	return ok && !b.Solid() && !b.IsLava()
}

// reach notes a way to p, if it is in the searched space and the shortest.
func (f *pathfinder) reach(p Pos, from int16, cost uint16) {
	d := Pos{p.X - f.start.X, p.Y - f.start.Y, p.Z - f.start.Z}
	if max(abs32(d.X), abs32(d.Z)) > pathRadius || abs32(d.Y) > pathTall {
		return
	}
	i := f.index(p)
	if c := &f.cells[i]; c.turn == f.turn && (c.done || c.cost <= cost) {
		return
	}
	f.cells[i] = pathCell{turn: f.turn, cost: cost, from: from}
	f.push(pathOpen{int32(cost) + f.ahead(p), i})
}

// ahead is what the way from p to the goal costs at least.
func (f *pathfinder) ahead(p Pos) int32 {
	x, z := abs32(p.X-f.goal.X), abs32(p.Z-f.goal.Z)
	return costStep*max(x, z) + (costSlant-costStep)*min(x, z) + costDown*min(abs32(p.Y-f.goal.Y), pathTall)
}

func (f *pathfinder) index(p Pos) int16 {
	x, y, z := p.X-f.start.X+pathRadius, p.Y-f.start.Y+pathTall, p.Z-f.start.Z+pathRadius
	return int16((y*pathSpan+z)*pathSpan + x)
}

func (f *pathfinder) place(i int16) Pos {
	n := int32(i)
	return f.start.Add(n%pathSpan-pathRadius, n/(pathSpan*pathSpan)-pathTall, n/pathSpan%pathSpan-pathRadius)
}

// trace writes the first steps of the way to a cell.
func (f *pathfinder) trace(to int16, path *[pathKeep]Pos) int {
	n := 0
	for i := to; f.cells[i].from >= 0; i = f.cells[i].from {
		n++
	}
	k := n
	for i := to; f.cells[i].from >= 0; i = f.cells[i].from {
		if k--; k < pathKeep {
			path[k] = f.place(i)
		}
	}
	return min(n, pathKeep)
}

func (o pathOpen) less(p pathOpen) bool {
	return o.guess < p.guess || o.guess == p.guess && o.cell < p.cell
}

func (f *pathfinder) push(o pathOpen) {
	f.open = append(f.open, o)
	h := f.open
	for i := len(h) - 1; i > 0 && h[i].less(h[(i-1)/2]); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
}

func (f *pathfinder) pop() int16 {
	h := f.open
	first, last := h[0].cell, len(h)-1
	h[0] = h[last]
	h = h[:last]
	f.open = h
	for i := 0; ; {
		c := 2*i + 1
		if c >= last {
			return first
		}
		if c+1 < last && h[c+1].less(h[c]) {
			c++
		}
		if !h[c].less(h[i]) {
			return first
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
