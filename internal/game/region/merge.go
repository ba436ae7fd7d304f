package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Merge has block changes that were made to an earlier state of the region, while its
// hosts could not be reached. They are made here where nobody has touched the block
// since. Players who came there meanwhile are taken over as they were when it ended, unless
// the region knows more of them. It comes from the node itself, which knows who may ask
// for that.
type Merge struct {
	Tag     uint64
	Changes []world.BlockChange
	Players [][]byte // as they are stored
}

// Merged answers the node once what was merged is on the disk: InPlace blocks are as the
// changes made them. Not OK: it could not be written.
type Merged struct {
	Tag     uint64
	InPlace int
	OK      bool
}

// onMerge makes changes of an earlier state.
func (r *Region) onMerge(from machine.Peer, m *Merge) {
	switch {
	case from != PeerOf(r.cfg.Pos):
		r.stats.Refused++
		return
	case r.store.readOnly:
		r.env.Send(from, &Merged{Tag: m.Tag})
		return
	case !r.loading.needReady(from, m):
		return
	}
	made, inPlace := r.area.Merge(m.Changes)
	r.effects.showBlocks(r.loop.tick, made)
	r.store.record(made)
	for _, state := range m.Players {
		r.incoming.merge(state)
	}
	r.store.then(func(ok bool) { r.env.Send(from, &Merged{m.Tag, inPlace, ok}) })
	r.store.flush()
	r.hibernateIfIdle()
}
