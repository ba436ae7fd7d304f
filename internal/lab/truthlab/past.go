package truthlab

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/storagelab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// truthPast is one replay of what players have signed.
type truthPast struct {
	rules *voxelrules.Rules
	once  *voxelrules.Sequence
	begin machine.Time
	every time.Duration
	at    int64 // the update that once is at
	woken map[int64][]func()
	known map[comeReport]bool
	log   storagelab.TruthLog
	count storagelab.TruthCount
}

func newTruthPast(cfg voxelrules.Config, begin machine.Time, every time.Duration) *truthPast {
	rules := voxelrules.New(cfg)
	return &truthPast{
		rules: rules, once: rules.Sequence(), begin: begin, every: every,
		woken: map[int64][]func(){}, known: map[comeReport]bool{}, log: storagelab.NewTruthLog(),
	}
}

// time is when t_of is.
func (p *truthPast) time(of int64) time.Time { return time.Unix(0, int64(p.update(of))) }

func (p *truthPast) update(of int64) machine.Time {
	return p.begin.Add(time.Duration(of) * p.every)
}

// wake notes that a witness comes.
func (p *truthPast) wake(c comeReport) {
	if p.known[c] {
		return
	}
	p.known[c] = true
	p.woken[c.Of] = append(p.woken[c.Of], func() { p.once.Activate(&c.Player, c.At) })
}

// hear notes what a node was told, and what its player has signed.
func (p *truthPast) hear(found, signed []batchReport) {
	for i := range found {
		p.log.Tell(found[i].batch())
	}
	for i := range signed {
		p.log.Sign(signed[i].batch())
	}
}

// advance goes on to t_of with what players have signed.
func (p *truthPast) advance(of int64) {
	for p.at < of {
		p.at++
		for _, wake := range p.woken[p.at-1] {
			wake()
		}
		all, count := p.log.Take(p.at, p.once.TakesPart)
		p.count.Add(count)
		p.once.Advance(p.update(p.at-1), p.update(p.at), all)
	}
}

// objects are all of the world, ascending.
func (p *truthPast) objects() (all []*state.Object) {
	p.once.Cells(func(c geom.Rect) { all = append(all, p.once.Objects(c)...) })
	slices.SortFunc(all, state.ByID)
	return all
}

// truthRow is what a check has found.
type truthRow struct {
	right, of, objects, built, proofs, unknown int
	failed                                     uint64
}

// check waits until everybody has had the time to hold the world of an update,
// and compares what honest nodes hold with the one replay.
func (n *truthNet) check(of int64) (row truthRow, err error) {
	// Who answers later than the time at which all have the state is asked again,
	// until the next update replaces it.
	due := n.past.time(of).Add(n.every * 3 / 5)
	if err := lab.Sleep(n.ctx, time.Until(due)); err != nil {
		return row, err
	}
	err = n.wait(fmt.Sprintf("for update %d of the honest nodes", of), time.Now(), n.every*2/5, n.honest(),
		func(p *truthProcess) bool { return p.State != nil && p.State.Of >= of })
	for _, p := range n.nodes { // also who tampers signs what its player does
		n.past.hear(nil, p.Signed)
	}
	for _, p := range n.honest() {
		n.past.hear(p.Batches, nil)
		for _, c := range p.Came {
			n.past.wake(c)
		}
	}
	n.past.advance(of)
	all := n.past.objects()
	whole := state.NewSnapshot(of, all, n.past.rules.World())
	row.of, row.built = len(n.honest()), len(voxelrules.NewView(all).Changed())
	for _, p := range n.honest() {
		row.failed, row.proofs, row.unknown = row.failed+p.Truth.Failed, row.proofs+int(p.Truth.False), row.unknown+p.Truth.Unknown
		if p.State == nil || p.State.Of != of || p.Truth.Unknown > 0 {
			continue
		}
		area := overlay.Area{Circle: p.State.Circle}
		whole.Whole = p.State.Whole
		want := whole.Objects(&area, n.past.rules.World(), nil)
		same := len(want) == len(p.State.Objects)
		for _, o := range want {
			same = same && p.State.Objects[o.ID] == o.Digest
		}
		if same {
			row.right++
			row.objects += len(want)
		}
	}
	if lost := n.past.count.Lost; err == nil && lost > 0 {
		err = fmt.Errorf("of %d signed actions %d took effect nowhere", n.past.count.Signed, lost)
	}
	if err == nil && (row.right < row.of || row.built == 0) {
		err = fmt.Errorf("%d of %d honest nodes hold the world of update %d, in which %d blocks are built", row.right, row.of, of, row.built)
	}
	return row, err
}
