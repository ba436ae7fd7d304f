package attack

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The goal of chosen: that half of the honest nodes replay what a member's player has
// done, and the other half do not, though the player signs only once. Its batch goes to
// honest storers of one zone less than a majority. The receipt that is missing is that of
// the member itself, which is the player's storer in its own zone: it shows it to readers
// of half of the zones, and to the others it has nothing.

// depositForSome deposits a batch where one receipt will be missing.
func (g *Gang) depositForSome(n *storage.Node, b *state.Batch) {
	own, zones := g.space.Zone(n.Self().Pos), g.space.Zones()
	for k := 1; k <= zones/2; k++ {
		n.Overlay().Unicast(n.StorePlaces(b.Player, (own+k)%zones)[0], &messages.Deposit{Batch: b})
	}
	g.shown[b.Player.ID] = &messages.Certificate{Batch: b, Receipts: []*messages.Receipt{{By: n.Self(), Batch: b, First: true}}}
}

// collect keeps a receipt that a member's player is given.
func (g *Gang) collect(n *storage.Node, r *messages.Receipt) {
	if c := g.shown[n.Self().ID]; c != nil && r.Batch != nil && r.Batch.Of == c.Batch.Of {
		c.Receipts = append(c.Receipts, r)
	}
}

// shows reports whether a question is about a batch of which a receipt is missing.
func (g *Gang) shows(q *messages.RetrieveActions) bool {
	c := g.shown[q.Player.ID]
	return c != nil && c.Batch.Of == q.Of
}

// show answers a question for what a member's player has done.
func (g *Gang) show(by *overlay.Contact, q *messages.RetrieveActions) *messages.ActionsResult {
	m := &messages.ActionsResult{Query: q.Query, Signed: true, Batch: &state.Batch{Player: q.Player, Of: q.Of}}
	half := g.space.Zones() / 2
	zone := g.space.Zone(by.Pos)
	if chosen := zone < half || zone == half && g.space.Zones()%2 == 1 && by.ID[0]&1 == 0; chosen {
		c := *g.shown[q.Player.ID]
		m.Batch, m.Certificate = c.Batch, &c
		g.Did["chosen"]++
	}
	return m
}
