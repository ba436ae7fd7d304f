package attack

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The goal of forge: to silence a player. Whoever asks a member, or a storer on whose
// path a member is, what the player has done gets the answer "nothing", with receipts of
// members in as many zones as there are.

// forged is the answer to a question: the player has done nothing, and members in all
// zones that have any sign that they were given that.
func (g *Gang) forged(q *messages.RetrieveActions) *messages.ActionsResult {
	b := &state.Batch{Player: q.Player, Of: q.Of}
	return &messages.ActionsResult{Query: q.Query, Batch: b, Certificate: &messages.Certificate{Batch: b, Receipts: g.receipts(b)}}
}

// receipts are those of one member in each zone, wherever it stands.
func (g *Gang) receipts(b *state.Batch) (out []*messages.Receipt) {
	for zone := range g.space.Zones() {
		if m := g.memberIn(zone); m != nil {
			out = append(out, &messages.Receipt{By: m.Self(), Batch: b})
		}
	}
	return out
}

// memberIn is the first member of a zone; nil: there is none.
func (g *Gang) memberIn(zone int) *storage.Node {
	for _, n := range g.know.Zone(zone) {
		if g.Has(n.Self().ID) {
			return n
		}
	}
	return nil
}

// lieAbout answers a question for a player's actions in the ways of the gang.
func (g *Gang) lieAbout(by *overlay.Contact, q *messages.RetrieveActions) *messages.ActionsResult {
	if g.shows(q) {
		return g.show(by, q)
	}
	honest := g.nothing(by, q)
	if g.ways.Forge || g.ways.Shout {
		return g.forged(q)
	}
	return honest
}
