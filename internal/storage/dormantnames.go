package storage

import (
	"cmp"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

// Static data by name (Protocol.Digests). Characters are large: where three nodes
// keep a zone of the thesis' world, those that sleep in one cell are ten megabytes,
// and an answer of each zone would fill the link of who asks for longer than it
// waits. So answers only name who sleeps where. What the zones agree on and the node
// does not have it fetches, some at a time, from those who have named it; however
// long that takes, the next update's answers find room in between.

// DormantName names a version of a character that sleeps, or wakes, and where.
type DormantName struct {
	ID     ObjectID
	Digest Digest
	Pos    geom.Point
}

// sizeDormantName is what it takes: its number, its digest and the place.
const sizeDormantName = 8 + id.Size + 8

// namesAtOnce is how many static objects are fetched with one question: in the
// thesis' world 400 KB. Who is asked has fetchPatience to send them.
const (
	namesAtOnce   = 64
	fetchPatience = 2 * time.Second
)

// naming is static data that was agreed on, and what of it is still to come.
type naming struct {
	out     outcome
	votes   int
	missing []*Object // only known by name
	lacking bool      // somebody has not sent all that it was asked for
	asked   *Result   // whose sender is asked for some of what is missing
	wanted  []ObjectID
	round   uint32
	refused map[*Result]bool // whose sender has sent nothing
}

// byName reports whether a retrieval asks for names first.
func (n *Node) byName(q *query) bool { return n.cfg.Protocol.Digests && q.Kind.static() }

func nameOf(o *Object) DormantName { return DormantName{o.ID, o.Digest, o.Pos} }

// nameAll makes of static objects what is sent of them.
func nameAll(objects []*Object) (out []DormantName) {
	for _, o := range objects {
		out = append(out, nameOf(o))
	}
	return out
}

// namedAll is its inverse, as far as that is possible.
func namedAll(names []DormantName) (out []*Object) {
	for _, s := range names {
		out = append(out, &Object{ID: s.ID, Digest: s.Digest, Pos: s.Pos, Static: true})
	}
	return out
}

// names reports whether an answer has a static object.
func (m *Result) names(o *Object) bool {
	i, ok := slices.BinarySearchFunc(m.Static, o.ID, func(p *Object, what ObjectID) int { return cmp.Compare(p.ID, what) })
	return ok && sameObject(m.Static[i], o)
}

// startNaming fetches what was agreed on and the node does not have.
func (n *Node) startNaming(q *query, out outcome, votes int) {
	f := &naming{votes: votes, refused: map[*Result]bool{}}
	q.naming, f.out = f, out
	f.out.static = nil
	for _, o := range out.static {
		if own := n.static[o.ID]; own != nil && sameObject(own, o) {
			f.out.static = append(f.out.static, own)
		} else {
			f.missing = append(f.missing, o)
		}
	}
	n.addStatic(f.out)
	n.fetchNamed(q)
}

// fetchNamed asks for the next of those that are missing somebody who has named the
// first of them, a different one each time. Who is asking itself has perhaps nothing
// but the name, from somebody who has left.
func (n *Node) fetchNamed(q *query) {
	f := q.naming
	var by *Result
	if luck := uint64(0); len(f.missing) > 0 {
		f.round++
		for i := range q.zones {
			for _, r := range q.zones[i].results {
				if f.refused[r] || r.Around.Self.ID == n.self.ID || !r.names(f.missing[0]) || by != nil && r.Asking && !by.Asking {
					continue
				}
				if draw := rng.Hash(q.Query, uint64(f.round), hashBytes(n.self.ID[:8]), hashBytes(r.Around.Self.ID[:8])); by == nil || by.Asking && !r.Asking || draw > luck {
					by, luck = r, draw
				}
			}
		}
	}
	if by == nil {
		n.endNaming(q)
		return
	}
	m := &Fetch{Retrieve: q.Retrieve}
	for _, o := range f.missing {
		if len(m.Characters) < namesAtOnce && by.names(o) {
			m.Characters = append(m.Characters, o.ID)
		}
	}
	f.asked, f.wanted = by, m.Characters
	n.env.SetTimer(n.env.Now().Add(fetchPatience), machine.Timer{Kind: timerFetch, Gen: f.round, Arg: q.Query})
	n.overlay.Reply(by.Around.Self, m)
}

// onNamed takes static objects, if they are those that were named. What is not among
// them the sender does not have any more: somebody has woken it, perhaps.
func (n *Node) onNamed(from *overlay.Contact, q *query, m *Blocks) {
	f := q.naming
	if f.asked.Around.Self.ID != from.ID {
		return
	}
	var came outcome
	for _, o := range m.Characters {
		if o.Static && slices.Contains(f.wanted, o.ID) && f.asked.names(o) && !among(came.static, o) {
			came.static = append(came.static, o)
		}
	}
	if len(came.static) == 0 {
		return
	}
	f.lacking = f.lacking || len(came.static) < len(f.wanted)
	f.missing = slices.DeleteFunc(f.missing, func(o *Object) bool { return slices.Contains(f.wanted, o.ID) })
	f.out.static = append(f.out.static, came.static...)
	n.addStatic(came)
	n.fetchNamed(q)
}

// namedLate is a timer: others are asked if who was asked has not answered.
func (n *Node) namedLate(q *query, round uint32) {
	if f := q.naming; f.round == round {
		f.refused[f.asked] = true
		n.fetchNamed(q)
	}
}

// endNaming ends a retrieval; what nobody has sent is asked for again.
func (n *Node) endNaming(q *query) {
	f := q.naming
	f.out.again = f.out.again || f.lacking || len(f.missing) > 0
	slices.SortFunc(f.out.static, byID)
	n.end(q, &candidate{f.out, f.votes})
}

// giveNamed sends static objects that somebody has been told of.
func (n *Node) giveNamed(by *overlay.Contact, q *Fetch) {
	m := &Blocks{Query: q.Query}
	for _, what := range q.Characters[:min(len(q.Characters), namesAtOnce)] {
		if o := n.static[what]; o != nil && n.places.touches(&q.Area, o.Pos) {
			m.Characters = append(m.Characters, o)
			m.Bytes += o.Size
		}
	}
	if len(m.Characters) > 0 {
		n.overlay.Reply(by, m)
	}
}
