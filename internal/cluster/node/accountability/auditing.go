package accountability

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
)

// Auditing replays pieces of the logs of regions that this node does not host. It was drawn
// by a node whose players are there (auditDraw), so the leader cannot know it before. The
// leader is asked for the piece that ends with a checkpoint that it has signed for that
// node: it can neither choose the piece nor change it. What does not lead there is a proof.
type Auditing struct {
	part.Part
	keys      *LogKeys // nil: nothing is audited
	links     *peers.Links
	jobs      *part.Runner
	rules     region.Config
	convicted *Convictions
	budgets   *peers.Budgets // what nodes may ask to be audited

	list map[shards.Shard]*pieceAudit
}

// pieceAudit is the audit of a leader.
type pieceAudit struct {
	leader machine.Peer
	region shards.Shard
	until  *regionlog.Checkpoint
	asks   []byte // the checkpoint, encoded
	next   machine.Time
	asked  int // times
	parts  uint32
	data   []byte
	checks bool // the piece is there, and replayed
}

const (
	// maxAudits bounds the audits at a time, auditsPerMinute and auditsBurst those that one
	// node may ask for.
	maxAudits       = 4
	auditsPerMinute = 6
	auditsBurst     = 3
	// auditAge is how old a checkpoint may be that is audited: the leader keeps pieces for a
	// minute.
	auditAge = 40 * time.Second
	// challengeEvery and maxChallenges are how often the leader is asked.
	challengeEvery = 4 * time.Second
	maxChallenges  = 4
)

// NewAuditing returns what audits leaders of regions that others host.
func NewAuditing(c part.Part, keys *LogKeys, l *peers.Links, jobs *part.Runner, rules region.Config, convicted *Convictions) *Auditing {
	return &Auditing{
		Part: c, keys: keys, links: l, jobs: jobs, rules: rules, convicted: convicted, budgets: peers.NewBudgets(c, l, auditsPerMinute/60.0, auditsBurst),
		list: map[shards.Shard]*pieceAudit{},
	}
}

// Receive takes the wish of a node whose players are shown a region.
func (a *Auditing) Receive(f *peers.Remote, m *Audit) {
	if a.keys == nil || !a.budgets.Take(f, 1) {
		a.Counts.Dropped++
		return
	}
	a.begin(m)
}

// begin begins an audit.
func (a *Auditing) begin(m *Audit) {
	now, p := a.Env.Now(), shards.Shard{Region: m.Region}
	c, err := regionlog.DecodeCheckpoint(m.Checkpoint, nil)
	if err != nil || c.Version != regionlog.Version || c.World != a.Cfg.World || c.Region != m.Region || a.keys.Node(c.Key) != m.Leader.ID ||
		m.Leader.ID == a.Cfg.Self.ID || a.convicted.Has(m.Leader.ID) || now.Sub(c.Time) > auditAge || c.Time.Sub(now) > auditAge ||
		len(a.list) >= maxAudits || a.list[p] != nil || !c.Verify() {
		a.Counts.Dropped++
		return
	}
	a.list[p] = &pieceAudit{leader: m.Leader, region: p, until: c, asks: m.Checkpoint}
	a.challenge(a.list[p], now)
}

// Beat asks again for pieces that have not come.
func (a *Auditing) Beat(now machine.Time) {
	for _, p := range shards.Sorted(a.list) {
		switch x := a.list[p]; {
		case x.checks || now < x.next:
		case x.asked < maxChallenges:
			a.challenge(x, now)
		default:
			a.unanswered(x)
			delete(a.list, p)
		}
	}
}

func (a *Auditing) challenge(x *pieceAudit, now machine.Time) {
	x.next, x.parts, x.data = now.Add(challengeEvery), 0, nil
	x.asked++
	a.links.Send(x.leader, &Challenge{Region: x.region.Region, Checkpoint: x.asks})
}

// unanswered is when a leader has not sent what it has signed. Silence proves nothing.
func (a *Auditing) unanswered(x *pieceAudit) {
	if a.links.Linked(x.leader) {
		a.Counts.AuditsUnanswered++
	}
}

// OnPiece takes a part of a piece.
func (a *Auditing) OnPiece(f *peers.Remote, m *Piece) {
	x := a.list[shards.Shard{Region: m.Region}]
	if x == nil || x.checks || f.Peer.ID != x.leader.ID || m.Tick != x.until.Tick {
		return
	}
	if m.Part != x.parts || len(m.Data) == 0 || len(x.data)+len(m.Data) > regionlog.MaxProof {
		return // asked again
	}
	x.parts++
	x.data = append(x.data, m.Data...)
	x.next = max(x.next, a.Env.Now().Add(challengeEvery))
	if !m.Last {
		return
	}
	x.checks = true
	a.jobs.Do(checkPiece{x.data, x.until, a.rules}, func(result any, err error) { a.checked(x, result, err) })
}

// checked is when a piece was replayed.
func (a *Auditing) checked(x *pieceAudit, result any, err error) {
	delete(a.list, x.region)
	a.Counts.Audits++
	c, ok := result.(checkedEvidence)
	switch {
	case err != nil || !ok:
		a.unanswered(x)
	case c.found != nil:
		a.convicted.add(c.evidence, c.found)
	}
}

// checkPiece implements machine.Work.
type checkPiece struct {
	data  []byte
	until *regionlog.Checkpoint
	rules region.Config
}

// Cost is what the replay takes on an ordinary machine, for simulations.
func (checkPiece) Cost() time.Duration { return 100 * time.Millisecond }

// Run replays.
func (j checkPiece) Run() (any, error) {
	proof, found, err := regionlog.Audit(j.data, j.until, groundOf(j.rules.Terrain), func(r *regionlog.Replayer) bool { return r.Obeys(j.rules.Rules, j.rules.Signed) })
	return checkedEvidence{proof, found}, err
}

// auditDraw draws auditors of regions that sessions here are shown. Any node may be drawn
// that hosts nothing there, this one too.
type auditDraw struct {
	part.Part
	seen     *peers.Sightings
	links    *peers.Links
	auditing *Auditing
}

// auditEvery is how often an auditor is drawn for a region, on average.
const auditEvery = 30 * time.Second

// next is when to draw again: nobody can foresee it.
func (d *auditDraw) next(now machine.Time) machine.Time {
	return now.Add(auditEvery/2 + time.Duration(d.Env.Rand().Intn(int(auditEvery))))
}

// draw draws an auditor.
func (d *auditDraw) draw(leader machine.Peer, hosts []machine.Peer, c *regionlog.Checkpoint) {
	drawn := []id.ID{d.Cfg.Self.ID}
	at := map[id.ID]machine.Peer{}
	for _, p := range d.seen.Recent() {
		if p.ID != leader.ID && p.ID != d.Cfg.Self.ID && !peers.Among(hosts, p.ID) && !d.auditing.convicted.Has(p.ID) {
			drawn = append(drawn, p.ID)
			at[p.ID] = p
		}
	}
	m := &Audit{Region: c.Region, Leader: leader, Checkpoint: c.Append(nil)}
	if by := drawn[d.Env.Rand().Intn(len(drawn))]; by == d.Cfg.Self.ID {
		d.auditing.begin(m)
	} else {
		d.links.Send(at[by], m)
	}
}
