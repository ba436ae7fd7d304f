package verifiedworld

import (
	"errors"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// The bootstrapping service of the overlay (thesis 4.4), without a server: the node asks
// the nodes that it was told to join by, and those that the directory knows, for their
// place in the overlay and for one node of each zone.

// bootstrapJob is the overlay's request for nodes to join by; overlayAdapter runs it.
type bootstrapJob struct{}

// bootstrapSearch is a running bootstrapJob.
type bootstrapSearch struct {
	tag    uint64
	nonce  uint64
	rounds int
	next   machine.Time // when to ask again
	asked  []id.ID
	own    []*overlay.Contact // named by the nodes themselves
	known  []*overlay.Contact // named by others
}

const (
	maxBootstrapAsked  = 8 // nodes at a time
	maxBootstrapRounds = 6
	bootstrapRound     = 500 * time.Millisecond
)

var errNobody = errors.New("none of the nodes that were asked has answered")

func (l *overlayAdapter) startBootstrap(tag uint64) {
	l.bootstrap = &bootstrapSearch{tag: tag, nonce: l.Env.Rand().Uint64()}
}

// beat sends the next round of queries, or ends a search that was answered or failed.
func (l *overlayAdapter) beat(now machine.Time) {
	if l.bootstrap == nil {
		return
	}
	s := l.bootstrap
	switch {
	case len(s.own) > 0 && (s.rounds > 1 || len(s.own) == len(s.asked)):
		l.bootstrapDone(s.pick(l.Cfg.Self.ID, overlay.SpaceFor(l.world.Zones)), nil)
	case now < s.next:
	case s.rounds == maxBootstrapRounds:
		l.bootstrapDone(nil, errNobody)
	default:
		l.askBootstrapNodes(now)
	}
}

// askBootstrapNodes queries some of the known nodes. The first node of a world knows
// none.
func (l *overlayAdapter) askBootstrapNodes(now machine.Time) {
	s := l.bootstrap
	s.next = now.Add(bootstrapRound)
	var whom []machine.Peer
	for _, p := range l.node.Contacts(slices.Clone(l.Cfg.Known)) {
		known := peers.Among(whom, p.ID)
		if p.ID != l.Cfg.Self.ID && !known && !l.node.Bars(p) {
			whom = append(whom, p)
		}
	}
	if len(whom) == 0 {
		if l.node.HasJoined() {
			l.bootstrapDone(nil, nil)
		}
		return
	}
	s.rounds++
	for i := range whom[:min(len(whom), maxBootstrapAsked)] {
		j := i + l.Env.Rand().Intn(len(whom)-i)
		whom[i], whom[j] = whom[j], whom[i]
		if !slices.Contains(s.asked, whom[i].ID) {
			s.asked = append(s.asked, whom[i].ID)
		}
		l.Env.Send(whom[i], &BootstrapQuery{s.nonce})
	}
}

// bootstrapDone ends the search.
func (l *overlayAdapter) bootstrapDone(list []*overlay.Contact, err error) {
	tag := l.bootstrap.tag
	l.bootstrap = nil
	l.machine.OnDone(tag, list, err)
}

// onBootstrapQuery answers with this node and one linked node of each zone, as many as
// fit into a datagram.
func (l *overlayAdapter) onBootstrapQuery(f *peers.Remote, m *BootstrapQuery) {
	space := overlay.SpaceFor(l.world.Zones)
	list := l.overlay.Linked(nil)
	first := 0
	if len(list) > 0 {
		first = l.Env.Rand().Intn(len(list))
	}
	answer := &BootstrapReply{Nonce: m.Nonce, Self: l.overlay.Self()}
	seen := map[int]bool{}
	for i := range list {
		c := list[(first+i)%len(list)]
		if zone := space.Zone(c.Pos); !seen[zone] && c.ID != f.Peer.ID && len(answer.Known) < MaxPlaces {
			seen[zone] = true
			answer.Known = append(answer.Known, c)
		}
	}
	l.Env.Send(f.Peer, answer)
}

// onBootstrapReply handles an answer. The sender's address is the one at which it was
// reached, not the one that it names.
func (l *overlayAdapter) onBootstrapReply(f *peers.Remote, m *BootstrapReply) {
	s := l.bootstrap
	if s == nil || m.Nonce != s.nonce || m.Self == nil || m.Self.ID != f.Peer.ID ||
		!slices.Contains(s.asked, f.Peer.ID) || slices.ContainsFunc(s.own, func(c *overlay.Contact) bool { return c.ID == f.Peer.ID }) {
		return
	}
	s.own = append(s.own, &overlay.Contact{ID: f.Peer.ID, Addr: f.Peer.Addr, Pos: m.Self.Pos})
	s.known = append(s.known, m.Known...)
}

// pick chooses one node of each zone, preferably one that has answered itself.
func (s *bootstrapSearch) pick(self id.ID, space overlay.Space) (out []*overlay.Contact) {
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
