package accountability

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
)

// EvidenceSpreading spreads evidence against nodes from node to node: each tells the
// nodes that it has links to whom it can convict, and sends the evidence to those that
// ask. Whoever gets evidence checks it, in a job, before it believes anything. It is a
// machine because it has jobs.
type EvidenceSpreading struct {
	part.Part
	keys      *LogKeys // nil: nothing is checked
	jobs      part.Jobs
	links     *peers.Links
	hosts     sharedHosts
	convicted *Convictions
	budgets   *peers.Budgets // messages of nodes about who has lied

	asked    map[id.ID]machine.Time // when somebody was asked for the evidence against a node
	checking int
	tag      uint64
}

// sharedHosts names the nodes that lead or host a shard together with another one, in the
// order of the shards (routes).
type sharedHosts interface {
	HostsWith(who id.ID) []machine.Peer
}

const (
	// evidencePerMinute bounds what a node may say of those who have lied.
	evidencePerMinute = 12
	evidenceBurst     = 16
	maxChecking       = 4
	askEvidenceEvery  = 10 * time.Second
	maxEvidenceAsked  = 256
	maxOffered        = 64
)

// NewEvidenceSpreading returns what spreads the evidence of convictions.
func NewEvidenceSpreading(c part.Part, keys *LogKeys, jobs part.Seat, l *peers.Links, hosts sharedHosts, convicted *Convictions) *EvidenceSpreading {
	s := &EvidenceSpreading{
		Part: c, budgets: peers.NewBudgets(c, l, evidencePerMinute/60.0, evidenceBurst), keys: keys, jobs: jobs, links: l, hosts: hosts, convicted: convicted,
		asked: map[id.ID]machine.Time{},
	}
	jobs.Put(s)
	convicted.spread = s
	return s
}

// Stop has this node spread nothing any more, and check nothing.
func (s *EvidenceSpreading) Stop() { s.keys = nil }

// offer tells others whom this node can convict: those that there are links to, and those
// that host a shard together with the accused.
func (s *EvidenceSpreading) offer(who id.ID) {
	if s.convicted.list[who] == nil {
		return
	}
	to := map[id.ID]machine.Peer{}
	add := func(p machine.Peer) {
		if len(to) < maxOffered && p.ID != s.Cfg.Self.ID {
			to[p.ID] = p
		}
	}
	for _, p := range s.hosts.HostsWith(who) {
		add(p)
	}
	for _, f := range s.links.Up() {
		add(f.Peer)
	}
	for _, node := range id.Sorted(to) {
		s.links.Send(to[node], &Evidence{Node: who})
	}
}

// Greet tells a node at a new link.
func (s *EvidenceSpreading) Greet(f *peers.Remote) {
	told := 0
	for _, who := range id.Sorted(s.convicted.list) {
		if told < evidenceBurst/2 && s.convicted.list[who] != nil {
			told++
			s.links.Send(f.Peer, &Evidence{Node: who})
		}
	}
}

// Receive takes what another node says of one that has lied.
func (s *EvidenceSpreading) Receive(f *peers.Remote, m *Evidence) {
	now := s.Env.Now()
	if s.keys == nil {
		s.Counts.Dropped++
		return
	}
	if !s.budgets.Take(f, 1) {
		return
	}
	switch {
	case m.Ask:
		if b := s.convicted.list[m.Node]; b != nil {
			s.links.Send(f.Peer, &Evidence{Node: m.Node, Data: b})
		}
	case s.convicted.Has(m.Node) || m.Node == s.Cfg.Self.ID && s.convicted.self:
	case len(m.Data) > 0:
		s.check(m)
	default:
		at, asked := s.asked[m.Node]
		if asked && now.Sub(at) < askEvidenceEvery {
			return
		}
		if len(s.asked) >= maxEvidenceAsked {
			clear(s.asked)
		}
		s.asked[m.Node] = now
		s.links.Send(f.Peer, &Evidence{Node: m.Node, Ask: true})
	}
}

// check checks evidence in a job, if the accused has signed what it begins with.
func (s *EvidenceSpreading) check(m *Evidence) {
	c, err := regionlog.SignedBy(m.Data)
	if err != nil || s.keys.Node(c.Key) != m.Node || c.World != s.Cfg.World || s.checking >= maxChecking {
		s.Counts.Dropped++
		return
	}
	s.checking++
	s.tag++
	s.jobs.Do("evidence", s.tag, checkEvidence{m.Data})
}

// checkEvidence implements machine.Work.
type checkEvidence struct{ data []byte }

// checkedEvidence is the result.
type checkedEvidence struct {
	evidence regionlog.Evidence
	found    *regionlog.Finding
}

// Cost is what the check takes on an ordinary machine, for simulations.
func (checkEvidence) Cost() time.Duration { return 30 * time.Millisecond }

// Run checks evidence.
func (j checkEvidence) Run() (any, error) {
	e, err := regionlog.DecodeEvidence(j.data)
	if err != nil {
		return nil, err
	}
	found, err := e.Check()
	return checkedEvidence{e, found}, err
}

// OnDone implements machine.Machine.
func (s *EvidenceSpreading) OnDone(_ uint64, result any, err error) {
	s.checking--
	if c, ok := result.(checkedEvidence); ok && err == nil {
		s.convicted.add(c.evidence, c.found)
	}
}

// Start implements machine.Machine.
func (s *EvidenceSpreading) Start() {}

// OnMessage implements machine.Machine.
func (s *EvidenceSpreading) OnMessage(machine.Peer, machine.Message) {}

// OnTimer implements machine.Machine.
func (s *EvidenceSpreading) OnTimer(machine.Timer) {}

// OnLink implements machine.Machine.
func (s *EvidenceSpreading) OnLink(machine.Peer, machine.LinkEvent) {}
