package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/rng"

// unlock makes a chest with loot an ordinary one, with what the world's seed has put into it.
func (st *state) unlock(at Pos) {
	b, _ := st.Block(at)
	loot := &Info(b).Loot
	if loot.Into == 0 || !st.owns(at) {
		return
	}
	into := Block(loot.Into)
	c := &Container{At: at, Slots: make([]Stack, Info(into).Stores)}
	r := rng.New(st.cfg.Seed, uint64(uint32(at.X)), uint64(uint32(at.Y)), uint64(uint32(at.Z)), 0x1007)
	for range loot.Rolls {
		drawn := loot.Of[r.Intn(len(loot.Of))]
		addTo(c.Slots, Block(drawn.Kind), whole(Block(drawn.Kind), 1+r.Intn(int(drawn.Count))))
	}
	st.set(at, into)
	st.putContents(at, c)
}
