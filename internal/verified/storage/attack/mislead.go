package attack

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// sing lets all members claim an area, each once: together they are more than
// those who are responsible.
func (g *Gang) sing(p *plan, q *messages.Retrieve, by *overlay.Contact) {
	if p.static || p.sung {
		return
	}
	p.sung = true
	for zone := range g.space.Zones() {
		for _, n := range g.know.Zone(zone) {
			if g.Has(n.Self().ID) && n.Ready() {
				g.claimAs(n, p, by, q)
			}
		}
	}
}

// mislead gives an answer that says what is true and is of no use, if that is one of the
// ways.
func (g *Gang) mislead(n *storage.Node, q *messages.Retrieve, honest *messages.Result) *messages.Result {
	if !g.ways.Views && !g.ways.Swap && !g.ways.Lazy || q.Kind != messages.ForUpdate && q.Kind != messages.ForLook {
		return honest
	}
	g.Tried[q.Kind]++
	bad := *honest
	switch {
	case g.ways.Views:
		bad.Around = g.ghost(n, honest.Around)
	case g.ways.Lazy:
		// What the others have to say anyway: their digests, and all of them.
		truth := g.know.At(q.Of)
		if truth == nil {
			return honest
		}
		seen := *truth
		seen.Cover, seen.Whole = overlay.Area{Circle: n.Circle()}, g.protocol == storage.ProtocolHardened
		bad.Seen = &seen
	}
	return bad.Seal(n.World())
}

// ghost is a neighbourhood with somebody in it who does not exist, close by.
func (g *Gang) ghost(n *storage.Node, a *messages.Around) *messages.Around {
	at := a.Self.Pos
	sub := g.space.SubArea(g.space.Zone(at))
	if at.X += 1 << 10; !sub.Contains(at) {
		at.X -= 1 << 11
	}
	name := a.Self.ID
	name[0]++
	ghosts := append([]*overlay.Contact{{ID: name, Pos: at}}, a.Neighbours...)
	return messages.NewAround(a.Self, ghosts, g.space.Bounds())
}

// withhold gives who wants cells other ones than were promised, or none. It
// reports whether it has answered, or will not.
func (g *Gang) withhold(n *storage.Node, by *overlay.Contact, q *messages.Fetch) bool {
	if g.Has(by.ID) || !g.ways.Swap && !g.ways.Lazy {
		return false
	}
	if g.ways.Lazy {
		return true
	}
	m := &messages.Blocks{Query: q.Query}
	for _, at := range q.Cells {
		bad := state.NewCell(nil)
		if s := n.State(); s != nil && s.At(at.X, at.Y) != nil {
			bad = state.NewCell(tamperList(s.At(at.X, at.Y).Objects))
		}
		for _, o := range bad.Objects {
			m.Bytes += o.Size
		}
		m.Cells = append(m.Cells, bad)
	}
	n.Overlay().Reply(by, m)
	return true
}

func tamperList(list []*state.Object) (out []*state.Object) {
	for _, o := range list {
		out = append(out, Tamper(o))
	}
	return out
}

// Ambiguous is a player who says different things about what it has done: it
// deposits one batch in some zones, and another one in the others. The first, it
// sends to the zones of which the mask has a bit.
func Ambiguous(n *storage.Node, space overlay.Space, one, other *state.Batch, mask uint32) {
	for zone := range space.Zones() {
		b := other
		if mask&(1<<zone) != 0 {
			b = one
		}
		for _, key := range n.StorePlaces(b.Player, zone) {
			n.Overlay().Unicast(key, &messages.Deposit{Batch: b})
		}
	}
}
