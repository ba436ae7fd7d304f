package attack

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// The goal of silence: that honest nodes find no majority. Members give receipts and
// answer, so that others ask them and nobody else, until the third update; from then on
// they answer nothing, and nothing comes past them.

// silentFrom is the first update about which members answer nothing.
const silentFrom = 2

// mute reports whether a member does not answer about an update, or let a question
// about it pass.
func (g *Gang) mute(of int64) bool { return g.ways.Silence && of >= silentFrom }

// swallows reports whether a question, or the message in which it travels, ends at a
// member.
func (g *Gang) swallows(m machine.Message) bool {
	switch m := m.(type) {
	case *overlay.Areacast:
		q, ok := m.Body.(*messages.Retrieve)
		return ok && g.mute(q.Of) && !g.Has(m.Origin.ID)
	case *overlay.Unicast:
		switch q := m.Body.(type) {
		case *messages.Retrieve:
			return g.mute(q.Of) && !g.Has(m.Origin.ID)
		case *messages.RetrieveActions:
			return g.mute(q.Of) && !g.Has(m.Origin.ID)
		case *messages.Fetch:
			return g.mute(q.Of) && !g.Has(m.Origin.ID)
		}
	}
	return false
}
