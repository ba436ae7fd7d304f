package hostinglab

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Of the nodes that the model stands for (package node).
const (
	replicas  = 3
	nearKey   = 2*replicas + 2      // candidates near a shard's key
	longest   = 8                   // candidates that were known for longest
	formers   = 6                   // removed members that a group remembers
	forgotten = 30 * 24 * time.Hour // of silence: the node is a newcomer again
)

// host is a node.
type host struct {
	peer  machine.Peer
	evil  bool
	on    bool
	since time.Duration // it has been on, or off, since then
	first time.Duration // others have known it since then
	parts []*part       // that it hosts
}

// part is a shard with its group.
type part struct {
	key     id.ID
	chosen  bool // by the attackers
	members []*host
	leader  *host
	former  []*host

	captured time.Duration // for how long most members were attackers
	counted  time.Duration // until when that is known
}

// model is a world and its nodes.
type model struct {
	rand   *rand.Rand
	hosts  []*host
	byID   map[id.ID]*host
	parts  []*part
	now    time.Duration
	online time.Duration // an honest node's mean session
	seize  bool          // attackers that lead give places to attackers
	events events
}

// event is a node that comes or goes, or whose silence is noticed.
type event struct {
	at   time.Duration
	what func()
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() (x any) {
	last := len(*e) - 1
	x, *e = (*e)[last], (*e)[:last]
	return x
}

func (m *model) after(d time.Duration, what func()) { heap.Push(&m.events, event{m.now + d, what}) }

// run runs the model until a time.
func (m *model) run(until time.Duration) {
	for len(m.events) > 0 && m.events[0].at <= until {
		e := heap.Pop(&m.events).(event)
		m.now = e.at
		e.what()
	}
	m.now = until
}

func (m *model) randomID() (out id.ID) {
	for i := range out {
		out[i] = byte(m.rand.UintN(256))
	}
	return out
}

// newHost makes a node in a network of its own: attackers of this kind have many.
func (m *model) newHost(who id.ID, evil bool) *host {
	h := &host{peer: machine.Peer{ID: who}, evil: evil}
	n := uint32(len(m.hosts))
	copy(h.peer.Addr[:], []byte{10: 0xff, 11: 0xff, 12: 20 + byte(n>>16), 13: byte(n >> 8), 14: byte(n), 15: 1})
	m.hosts, m.byID[who] = append(m.hosts, h), h
	return h
}

// populate makes honest nodes, of which so many are there at a time, and parts.
func (m *model) populate(present, parts int) {
	for range 2 * present {
		h := m.newHost(m.randomID(), false)
		if h.on = m.rand.IntN(2) == 0; h.on {
			m.after(m.stay(), func() { m.goes(h) })
		} else {
			m.after(m.stay(), func() { m.comes(h) })
		}
	}
	for range parts {
		p := &part{key: m.randomID()}
		m.parts = append(m.parts, p)
		var offers []hostpolicy.Offer
		for _, h := range m.nearest(p.key, nearKey) {
			offers = append(offers, hostpolicy.Offer{Peer: h.peer, Room: true, Led: uint32(len(h.parts))})
		}
		m.setMembers(p, hostpolicy.FirstHosts(offers, replicas))
		m.lead(p)
	}
}

// stay is how long a session, or an absence, of an honest node lasts.
func (m *model) stay() time.Duration {
	return time.Duration(m.rand.ExpFloat64() * float64(m.online))
}

// nearest are the nodes that are there and nearest to a key.
func (m *model) nearest(key id.ID, n int) (out []*host) {
	for _, h := range m.hosts {
		if !h.on || len(out) == n && !kademlia.Closer(key, h.peer.ID, out[n-1].peer.ID) {
			continue
		}
		i := slices.IndexFunc(out, func(o *host) bool { return kademlia.Closer(key, h.peer.ID, o.peer.ID) })
		if i < 0 {
			i = len(out)
		}
		if out = slices.Insert(out, i, h); len(out) > n {
			out = out[:n]
		}
	}
	return out
}

func (m *model) comes(h *host) {
	if m.now-h.since >= forgotten {
		h.first = m.now
	}
	h.on, h.since = true, m.now
	for _, p := range h.parts { // whose other members were all away, too
		if p.leader == nil || !p.leader.on {
			m.lead(p)
		}
	}
	if !h.evil {
		m.after(m.stay(), func() { m.goes(h) })
	}
}

func (m *model) goes(h *host) {
	h.on, h.since = false, m.now
	for _, p := range slices.Clone(h.parts) {
		if p.leader == h {
			m.lead(p)
		}
	}
	m.after(hostpolicy.ReplaceAfter, func() { m.replace(h) })
	m.after(m.stay(), func() { m.comes(h) })
}

// replace lets the groups of a node that is silent look for another.
func (m *model) replace(h *host) {
	if h.on {
		return
	}
	for _, p := range slices.Clone(h.parts) {
		m.update(p)
	}
}

// lead gives a part a leader: any member that is there; an attacker, if it wants to.
func (m *model) lead(p *part) {
	p.leader = nil
	var on []*host
	for _, h := range p.members {
		if h.on {
			on = append(on, h)
		}
	}
	if len(on) <= len(p.members)/2 {
		return // nobody can be elected
	}
	p.leader = on[m.rand.IntN(len(on))]
	if i := slices.IndexFunc(on, func(h *host) bool { return h.evil }); i >= 0 && m.seize {
		p.leader = on[i]
	}
	m.update(p)
}

// update lets the leader of a part choose its members, as package node does.
func (m *model) update(p *part) {
	if p.leader == nil {
		return
	}
	for range replicas { // one change at a time
		var members []hostpolicy.Member
		for _, h := range p.members {
			v := hostpolicy.Member{Peer: h.peer, Newcomer: m.newcomer(p.leader, h)}
			if !h.on {
				v.Silent = max(1, m.now-h.since)
			}
			members = append(members, v)
		}
		wanted := hostpolicy.Members(func(nodes []machine.Peer) { hostpolicy.Nearest(p.key, nodes) }, members, m.candidates(p), replicas)
		if m.seize && p.leader.evil {
			wanted = m.accomplices(p, wanted)
		}
		if !m.setMembers(p, wanted) {
			return
		}
	}
}

// known is how long a node has known another.
func (m *model) known(by, h *host) time.Duration { return m.now - max(by.first, h.first) }

func (m *model) newcomer(by, h *host) bool {
	return hostpolicy.Newcomer(m.known(by, h), m.known(by, by))
}

// candidates are those whom a part's leader would ask (membership.candidates).
func (m *model) candidates(p *part) (out []hostpolicy.Candidate) {
	var list []*host
	add := func(h *host) {
		if h.on && !slices.Contains(list, h) && !slices.Contains(p.members, h) {
			list = append(list, h)
		}
	}
	near := append(slices.Clone(p.former), m.nearest(p.key, nearKey)...)
	slices.SortStableFunc(near, func(a, b *host) int {
		if a == b || !kademlia.Closer(p.key, a.peer.ID, b.peer.ID) {
			return 1
		}
		return -1
	})
	for _, h := range near {
		add(h)
	}
	for _, h := range m.known8(p.leader) {
		add(h)
	}
	for _, h := range list {
		out = append(out, hostpolicy.Candidate{Peer: h.peer, Former: slices.Contains(p.former, h), Newcomer: m.newcomer(p.leader, h)})
	}
	return out
}

// known8 are the nodes that a node has known for longest, if that is long.
func (m *model) known8(by *host) (out []*host) {
	for _, h := range m.hosts {
		k := m.known(by, h)
		if !h.on || m.newcomer(by, h) {
			continue
		}
		i := slices.IndexFunc(out, func(o *host) bool { return k > m.known(by, o) })
		if i < 0 {
			i = len(out)
		}
		if out = slices.Insert(out, i, h); len(out) > longest {
			out = out[:longest]
		}
	}
	return out
}

// setMembers gives a part other members and reports whether they are others.
func (m *model) setMembers(p *part, wanted []machine.Peer) bool {
	var members []*host
	for _, w := range wanted {
		members = append(members, m.byID[w.ID])
	}
	left := slices.DeleteFunc(slices.Clone(p.members), func(h *host) bool { return slices.Contains(members, h) })
	came := slices.DeleteFunc(slices.Clone(members), func(h *host) bool { return slices.Contains(p.members, h) })
	if len(left)+len(came) == 0 {
		return false
	}
	m.count(p)
	for _, h := range left {
		h.parts = slices.DeleteFunc(h.parts, func(o *part) bool { return o == p })
		p.former = append(slices.DeleteFunc(p.former, func(o *host) bool { return o == h }), h)
	}
	for _, h := range came {
		h.parts = append(h.parts, p)
		p.former = slices.DeleteFunc(p.former, func(o *host) bool { return o == h })
	}
	p.former = p.former[max(0, len(p.former)-formers):]
	p.members = members
	return true
}

// count adds up for how long most members of a part were attackers.
func (m *model) count(p *part) {
	if evil(p.members) > len(p.members)/2 {
		p.captured += m.now - p.counted
	}
	p.counted = m.now
}

func evil(hosts []*host) (n int) {
	for _, h := range hosts {
		if h.evil {
			n++
		}
	}
	return n
}
