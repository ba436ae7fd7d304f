package accountability

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Unanswered hands what players here have signed, and what gets no answer from the leader
// of their region, to the other members of its group: they see in the leader's log whether
// it does that (heeding).
type Unanswered struct {
	part.Part
	keys   *LogKeys // nil: nothing is handed over
	links  *peers.Links
	routes shownRoutes
	own    func(*Unheeded) // to this node, if it is such a member

	list map[id.ID]*unansweredSession
}

// unansweredSession is what a session waits for.
type unansweredSession struct {
	home       world.RegionPos
	key, nonce [32]byte
	acts       []signedWord // in the order in which they were asked for
	steps      signedWord   // the oldest segment whose steps were not run; at is 0: none
	next       machine.Time // when something may be handed over
}

// signedWord is what a player has signed.
type signedWord struct {
	seq     uint32 // of the act, or of the last step
	segment []byte
	at      machine.Time
}

const (
	// unansweredAfter is how long an answer is waited for: sessions ask again after 5 s.
	unansweredAfter = 6 * time.Second
	// handOverEvery is how often something of a session is handed over.
	handOverEvery = 3 * time.Second
	// maxHandedOver bounds the sessions of which something is handed over in a beat.
	maxHandedOver = 16
)

// NewUnanswered returns what hands over what has no answer; own takes what this node is
// handed by itself.
func NewUnanswered(c part.Part, keys *LogKeys, l *peers.Links, routes shownRoutes, own func(*Unheeded)) *Unanswered {
	return &Unanswered{Part: c, keys: keys, links: l, routes: routes, own: own, list: map[id.ID]*unansweredSession{}}
}

// Ask takes what a session here says to a region.
func (u *Unanswered) Ask(session id.ID, to world.RegionPos, m machine.Message) {
	if u.keys == nil {
		return
	}
	switch m := m.(type) {
	case *region.Enter:
		u.enter(session, to, m)
	case *region.Act:
		if s := u.list[session]; s != nil && len(m.Proof) > 0 {
			s.home = to
			s.ask(m, u.Env.Now())
		}
	case *region.Segment:
		s := u.list[session]
		if s == nil {
			return
		}
		s.home = to
		if seg, err := inputlog.Decode(m.Signed); err == nil && s.steps.at == 0 && len(seg.Steps) > 0 {
			s.steps = signedWord{seg.Last(), m.Signed, u.Env.Now()}
		}
	}
}

func (u *Unanswered) enter(session id.ID, to world.RegionPos, m *region.Enter) {
	if m.Key == ([32]byte{}) {
		return
	}
	s := u.list[session]
	if s == nil || s.nonce != m.Nonce || s.key != m.Key {
		s = &unansweredSession{key: m.Key, nonce: m.Nonce}
		u.list[session] = s
	}
	s.home, s.steps = to, signedWord{}
	s.dropBelow(m.Oldest)
}

// ask notes an act; the same one may come again.
func (s *unansweredSession) ask(m *region.Act, now machine.Time) {
	s.dropBelow(m.Oldest)
	if n := len(s.acts); n == 0 || m.Seq > s.acts[n-1].seq && n < region.MaxActs {
		s.acts = append(s.acts, signedWord{m.Seq, m.Proof, now})
	}
}

func (s *unansweredSession) dropBelow(oldest uint32) {
	for len(s.acts) > 0 && s.acts[0].seq < oldest {
		s.acts = s.acts[1:]
	}
}

// Hear takes what a session here is told.
func (u *Unanswered) Hear(session id.ID, m machine.Message) {
	s := u.list[session]
	if s == nil {
		return
	}
	switch m := m.(type) {
	case *region.ActResult:
		for i := range s.acts {
			if s.acts[i].seq == m.Seq {
				s.acts = append(s.acts[:i:i], s.acts[i+1:]...)
				break
			}
		}
	case *region.Frame:
		if m.Own.HasAck && m.Own.Ack >= s.steps.seq {
			s.steps = signedWord{}
		}
	case *region.Left:
		s.acts, s.steps = nil, signedWord{}
	}
}

// End forgets a session.
func (u *Unanswered) End(session id.ID) { delete(u.list, session) }

// Beat hands over what waits for too long for a leader that is there.
func (u *Unanswered) Beat(now machine.Time) {
	if u.keys == nil || len(u.list) == 0 {
		return
	}
	late := map[world.RegionPos][]*Unheeded{}
	n := 0
	for _, session := range id.Sorted(u.list) {
		s := u.list[session]
		if m := s.late(now); m != nil && n < maxHandedOver {
			late[s.home] = append(late[s.home], m)
			s.next = now.Add(handOverEvery)
			n++
		}
	}
	if n == 0 {
		return
	}
	u.routes.Each(func(p shards.Shard, leader machine.Peer, members []machine.Peer, _ bool) {
		f := u.links.ByID(leader.ID)
		if p.Lobby || leader.ID == u.Cfg.Self.ID || f == nil || !f.IsUp() || f.IsSilent(now) {
			return
		}
		for _, m := range late[p.Region] {
			u.handOver(m, leader, members)
		}
	})
}

// late is what waits for too long, if anything does.
func (s *unansweredSession) late(now machine.Time) *Unheeded {
	m := &Unheeded{Region: s.home, Key: s.key, Nonce: s.nonce}
	switch {
	case now < s.next:
		return nil
	case len(s.acts) > 0 && now.Sub(s.acts[0].at) >= unansweredAfter: // the others wait for it
		m.Act, m.Segment = s.acts[0].seq, s.acts[0].segment
	case s.steps.at != 0 && now.Sub(s.steps.at) >= unansweredAfter:
		m.Segment = s.steps.segment
	default:
		return nil
	}
	return m
}

func (u *Unanswered) handOver(m *Unheeded, leader machine.Peer, members []machine.Peer) {
	for _, to := range members {
		switch to.ID {
		case leader.ID:
		case u.Cfg.Self.ID:
			u.own(m)
		default:
			u.links.Send(to, m)
		}
	}
}
