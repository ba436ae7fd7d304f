package sim

import (
	"bytes"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// link is one end of a link. Both ends carry the same gen; what was sent over
// an earlier link between the same nodes is dropped.
type link struct {
	gen     uint64
	arrives machine.Time // when the last message to this end arrives: order
	waiting int          // messages on their way to this end
}

// open makes a link: both ends hear LinkUp. A link that is there stays.
func (n *Node) open(to machine.Peer) {
	s := n.sim
	if n.links[to] != nil {
		return
	}
	far := s.byPeer[to]
	if far == nil || far.m == nil || far == n {
		n.linkEvent(s.now.Add(2*s.delay()), to, 0, machine.LinkFailed)
		return
	}
	s.seq++
	there := s.now.Add(s.delay())
	back := there.Add(s.delay())
	n.links[to] = &link{gen: s.seq, arrives: back}
	far.links[n.peer] = &link{gen: s.seq, arrives: there}
	far.linkEvent(there, n.peer, s.seq, machine.LinkUp)
	n.linkEvent(back, to, n.links[to].gen, machine.LinkUp)
}

func (n *Node) linkEvent(at machine.Time, peer machine.Peer, gen uint64, ev machine.LinkEvent) {
	n.sim.at(at, event{do: evLink, node: n.index, life: n.life, from: peer,
		timer: machine.Timer{Kind: uint16(ev), Arg: gen}})
}

func (n *Node) onLink(e *event) {
	ev := machine.LinkEvent(e.timer.Kind)
	if n.sim.cfg.Internet != nil {
		n.m.OnLink(e.from, ev) // nobody has that name
		return
	}
	if l := n.links[e.from]; e.timer.Arg != 0 && (l == nil || l.gen != e.timer.Arg) {
		return // of an earlier link
	}
	if ev != machine.LinkUp {
		delete(n.links, e.from)
	}
	n.m.OnLink(e.from, ev)
}

// dropLink ends a link: this end forgets it at once, the far end hears of it
// after what was sent before.
func (n *Node) dropLink(to machine.Peer, ev machine.LinkEvent) {
	l := n.links[to]
	if l == nil {
		return
	}
	delete(n.links, to)
	far := n.sim.byPeer[to]
	if end := far.links[n.peer]; far.m != nil && end != nil && end.gen == l.gen {
		end.arrives = max(end.arrives, n.sim.now.Add(n.sim.delay()))
		far.linkEvent(end.arrives, n.peer, l.gen, ev)
	}
}

// send puts a message on its way; without a link it is lost. A far end that
// has more than the limit waiting loses its link.
func (n *Node) send(to machine.Peer, m machine.Message) {
	s := n.sim
	l := n.links[to]
	if l == nil {
		return
	}
	far := s.byPeer[to]
	end := far.links[n.peer]
	if end == nil || end.gen != l.gen {
		return
	}
	if end.waiting >= s.cfg.Limit {
		n.dropLink(to, machine.LinkFailed)
		n.linkEvent(s.now, to, 0, machine.LinkFailed)
		return
	}
	end.waiting++
	end.arrives = max(end.arrives, s.now.Add(s.delay()))
	s.at(end.arrives, event{do: evMessage, node: far.index, life: far.life, from: n.peer,
		body: m, timer: machine.Timer{Arg: l.gen}})
}

// sortedPeers are the keys of m in order: what a crash does is deterministic.
func sortedPeers(m map[machine.Peer]*link) []machine.Peer {
	out := make([]machine.Peer, 0, len(m))
	for p := range m {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b machine.Peer) int {
		if c := bytes.Compare(a.ID[:], b.ID[:]); c != 0 {
			return c
		}
		return bytes.Compare(a.Addr[:], b.Addr[:])
	})
	return out
}
