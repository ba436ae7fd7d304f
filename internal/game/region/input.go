package region

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Limits of what a player's session sends.
const (
	maxStepCredit = 12 // body steps that are run in one tick, if so many have come late
	jitterBuffer  = 2  // steps that may wait without being run faster: the jitter buffer
	maxSteps      = 40 // steps that wait; the oldest are left out
	maxActs       = 32 // acts that wait
	maxActCredit  = 20 // acts that may be run at once; one more each tick
	maxInputs     = 64 // steps in one message

	maxUnwritten = 1 << 12 // answers that may wait for a disk that does not keep up
)

// queuedInput is something that a player asked for and that waits for its tick: a body
// step, or an act, which waits until the steps before it were run.
type queuedInput struct {
	seq    uint32
	isAct  bool
	check  bool // compare the body with expect
	step   world.Input
	expect world.Vec
	act    world.Act
	after  uint32 // of an act: the last step that the player had made
	proof  []byte // of an act
}

// inputQueue is what waits of one player, in the order in which it came.
type inputQueue struct {
	list      []queuedInput
	steps     int
	acts      int
	last      uint32 // sequence of the newest step
	actCredit int
	early     int // steps that were run since the last tick, for an act behind them
}

// addStep appends a body step. If too many wait the oldest is left out: the
// client will be corrected.
func (q *inputQueue) addStep(t queuedInput) (dropped bool) {
	if q.steps >= maxSteps {
		for i := range q.list {
			if !q.list[i].isAct {
				q.list = append(q.list[:i], q.list[i+1:]...)
				break
			}
		}
		q.steps--
		dropped = true
	}
	q.list = append(q.list, t)
	q.steps++
	q.last = t.seq
	return dropped
}

// addAct adds an act unless too many wait: behind the steps up to a number, or behind
// all.
func (q *inputQueue) addAct(t queuedInput, behind uint32) bool {
	if q.acts >= maxActs {
		return false
	}
	i := slices.IndexFunc(q.list, func(o queuedInput) bool { return !o.isAct && o.seq > behind })
	if i < 0 {
		i = len(q.list)
	}
	q.list = slices.Insert(q.list, i, t)
	q.acts++
	return true
}

// upTo is how many steps wait up to a number.
func (q *inputQueue) upTo(seq uint32) (n int) {
	for i := range q.list {
		if t := &q.list[i]; !t.isAct && t.seq <= seq {
			n++
		}
	}
	return n
}

// filter keeps what keep says.
func (q *inputQueue) filter(keep func(*queuedInput) bool) {
	out := q.list[:0]
	q.steps, q.acts = 0, 0
	for _, t := range q.list {
		if !keep(&t) {
			continue
		}
		out = append(out, t)
		if t.isAct {
			q.acts++
		} else {
			q.steps++
		}
	}
	q.list = out
}

// quota says how many steps are run in a tick: one, two while more wait than
// the jitter buffer holds, all that credit allows while it is very full.
func (q *inputQueue) quota(credit int) int {
	n := 1
	switch {
	case q.steps > 3*jitterBuffer:
		n = q.steps
	case q.steps > jitterBuffer:
		n = 2
	}
	return min(n, credit)
}

// take appends the commands of a tick, with steps up to a number.
func (q *inputQueue) take(h *playerSession, cmds []world.Command, upTo uint32) []world.Command {
	q.actCredit = min(q.actCredit+1, maxActCredit)
	if len(q.list) == 0 {
		q.early = 0
		return cmds
	}
	n := q.quota(min(int(h.p.Credit)+1, maxStepCredit))
	n, q.early = max(n-q.early, 0), 0
	return q.run(h, cmds, min(n, q.upTo(upTo)))
}

// takeNow appends the commands of the act that came last and of all before it,
// if none of that has to wait for a tick, or is a step above a number.
func (q *inputQueue) takeNow(h *playerSession, cmds []world.Command, upTo uint32) []world.Command {
	n := q.upTo(upTo)
	if q.acts > q.actCredit || n > int(h.p.Credit) {
		return cmds
	}
	q.early += n
	return q.run(h, cmds, n)
}

// run appends the first n steps and the acts up to the next.
func (q *inputQueue) run(h *playerSession, cmds []world.Command, n int) []world.Command {
	i, after := 0, h.p.LastSeq
	for ; i < len(q.list); i++ {
		t := &q.list[i]
		if !t.isAct {
			if n == 0 {
				break
			}
			n--
			q.steps--
			after = t.seq
			cmds = append(cmds, world.Command{Player: h.p.ID, Kind: world.CmdInput, Seq: t.seq,
				Input: t.step, Check: t.check, Expect: t.expect})
			continue
		}
		if q.actCredit == 0 || h.leaving {
			break
		}
		q.actCredit--
		q.acts--
		cmds = append(cmds, world.Command{Player: h.p.ID, Kind: world.CmdAct, Seq: t.seq, After: after,
			Late: after - min(after, t.after), Act: t.act})
	}
	q.list = q.list[:copy(q.list, q.list[i:])]
	return cmds
}

// queueSteps takes body steps that come at a tick. Those that the player's last home
// has passed on may be signed already.
func (h *playerSession) queueSteps(m *Inputs, tick uint64, passedOn bool, stats *Stats) {
	if len(m.Steps) == 0 || len(m.Steps) > maxInputs {
		stats.InputsDropped += uint64(len(m.Steps))
		return
	}
	for i, step := range m.Steps {
		seq := m.First + uint32(i)
		if seq <= max(h.inputs.last, h.p.LastSeq) || !h.noteStep(seq, step, tick, passedOn) {
			stats.InputsDropped++
			continue
		}
		t := queuedInput{seq: seq, step: step}
		if i == len(m.Steps)-1 {
			t.check, t.expect = !m.NoPos, m.Pos
		}
		stats.Inputs++
		if h.inputs.addStep(t) {
			stats.InputsDropped++
		}
	}
}

// lasting reports whether an act changes what must last.
func lasting(k world.ActKind) bool {
	switch k {
	case world.ActSelect, world.ActStopDig, world.ActHit, world.ActRespawn:
		return false
	}
	return true
}

// nextAct is the number of the next act, for the region that takes over the
// queue.
func (q *inputQueue) nextAct(next uint32) uint32 {
	for i := range q.list {
		if t := &q.list[i]; t.isAct {
			next = min(next, t.seq)
		}
	}
	return next
}

// messages returns what waits in an inbox as the messages it came in.
func (q *inputQueue) messages(player id.ID) (out []machine.Message) {
	for i := range q.list {
		t := &q.list[i]
		if t.isAct {
			out = append(out, &Act{Player: player, Seq: t.seq, Kind: uint8(t.act.Kind), Pos: t.act.At,
				Face: uint8(t.act.Face), A: uint64(t.act.A), B: uint32(t.act.B), Text: t.act.Text, After: t.after, Proof: t.proof})
			continue
		}
		in := &Inputs{Player: player, First: t.seq, Steps: []Step{t.step}, Pos: t.expect, NoPos: !t.check}
		out = append(out, in)
	}
	return out
}
