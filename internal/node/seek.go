package node

import (
	"errors"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// The bootstrapping service of the overlay (thesis 4.4), without a server: the
// nodes that this one was told to join by and those that the directory knows are
// asked where they stand and whom they know, one of each zone.

// seekJob is the overlay's wish for nodes to enter by; the layer does it.
type seekJob struct{}

// seek is one on its way.
type seek struct {
	tag    uint64
	nonce  uint64
	rounds int
	next   machine.Time // when to ask again
	asked  []id.ID
	own    []*overlay.Contact // said by the nodes themselves
	known  []*overlay.Contact // said by others
}

const (
	maxSeekAsked  = 8 // nodes at a time
	maxSeekRounds = 6
	seekRound     = 500 * time.Millisecond
)

var errNobody = errors.New("none of the nodes that were asked has answered")

func (l *layer) startSeek(tag uint64) {
	l.seek = &seek{tag: tag, nonce: l.w.n.env.Rand().Uint64()}
}

// beat asks, and ends what was answered.
func (l *layer) beat(now machine.Time) {
	if l == nil || l.seek == nil {
		return
	}
	s := l.seek
	switch {
	case len(s.own) > 0 && (s.rounds > 1 || len(s.own) == len(s.asked)):
		l.found(s.pick(l.w.cfg.Self.ID, overlay.SpaceFor(l.w.cfg.Verified.Zones)), nil)
	case now < s.next:
	case s.rounds == maxSeekRounds:
		l.found(nil, errNobody)
	default:
		l.ask(now)
	}
}

// ask sends the question to some of the nodes that are known. Nobody is known to
// the first node of a world.
func (l *layer) ask(now machine.Time) {
	s, w := l.seek, l.w
	s.next = now.Add(seekRound)
	var whom []machine.Peer
	for _, p := range w.dir.kad.Table().Contacts(slices.Clone(w.cfg.Known)) {
		known := slices.ContainsFunc(whom, func(q machine.Peer) bool { return q.ID == p.ID })
		if p.ID != w.cfg.Self.ID && !known && !w.bars(p) {
			whom = append(whom, p)
		}
	}
	if len(whom) == 0 {
		if w.dir.joined {
			l.found(nil, nil)
		}
		return
	}
	s.rounds++
	for i := range whom[:min(len(whom), maxSeekAsked)] {
		j := i + w.n.env.Rand().Intn(len(whom)-i)
		whom[i], whom[j] = whom[j], whom[i]
		if !slices.Contains(s.asked, whom[i].ID) {
			s.asked = append(s.asked, whom[i].ID)
		}
		w.n.env.Send(whom[i], &AskPlaces{s.nonce})
	}
}

// found ends the job.
func (l *layer) found(list []*overlay.Contact, err error) {
	tag := l.seek.tag
	l.seek = nil
	l.top.OnDone(tag, list, err)
}

// onAskPlaces answers with this node and one of each zone, as many as fit into a
// datagram.
func (l *layer) onAskPlaces(f *farNode, m *AskPlaces) {
	space := overlay.SpaceFor(l.w.cfg.Verified.Zones)
	list := l.node.Linked(nil)
	first := 0
	if len(list) > 0 {
		first = l.w.n.env.Rand().Intn(len(list))
	}
	answer := &Places{Nonce: m.Nonce, Self: l.node.Self()}
	seen := map[int]bool{}
	for i := range list {
		c := list[(first+i)%len(list)]
		if zone := space.Zone(c.Pos); !seen[zone] && c.ID != f.peer.ID && len(answer.Known) < MaxPlaces {
			seen[zone] = true
			answer.Known = append(answer.Known, c)
		}
	}
	l.w.n.env.Send(f.peer, answer)
}

// onPlaces takes an answer. Where a node is reached is known better here than
// there.
func (l *layer) onPlaces(f *farNode, m *Places) {
	s := l.seek
	if s == nil || m.Nonce != s.nonce || m.Self == nil || m.Self.ID != f.peer.ID ||
		!slices.Contains(s.asked, f.peer.ID) || slices.ContainsFunc(s.own, func(c *overlay.Contact) bool { return c.ID == f.peer.ID }) {
		return
	}
	s.own = append(s.own, &overlay.Contact{ID: f.peer.ID, Addr: f.peer.Addr, Pos: m.Self.Pos})
	s.known = append(s.known, m.Known...)
}

// pick chooses one node of each zone, at best one that has answered itself.
func (s *seek) pick(self id.ID, space overlay.Space) (out []*overlay.Contact) {
	seen := map[int]bool{}
	for _, c := range append(slices.Clone(s.own), s.known...) {
		if c.ID == self || !space.Bounds().Contains(c.Pos) || seen[space.Zone(c.Pos)] {
			continue
		}
		seen[space.Zone(c.Pos)] = true
		out = append(out, c)
	}
	return out
}
