package region

import (
	"errors"
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

const (
	unsignedCode = "unsigned" // wire.Unsigned
	unsignedText = "What you do here has to be signed with your key, and nothing signed has come: your program does not do that, or the node that you entered through has changed or lost it."

	// maxProofs bounds what waits to be verified: all acts of a session that may
	// have no answer, and steps.
	maxProofs = MaxActs + 64
	// verifyAtOnce is how many of them one job verifies.
	verifyAtOnce = 32
	// warnAfter is how many ticks a stopped player waits until it is told why.
	warnAfter = 20
)

// signatures verifies what players have signed (package inputlog), in jobs beside the
// tick. The proofs of a player are verified in the order in which they came, and an act
// is done only when its proof is good.
type signatures struct {
	component
	tags     *jobTags
	sessions *playerSessions
	dedup    *deduplication
	players  map[uint64]id.ID // of running jobs, by tag
}

// verifySegments is the job (machine.Work) that verifies segments of a player; its
// result is a []*inputlog.Segment, nil where one is none or is not the player's.
type verifySegments struct {
	of   inputlog.Session
	list [][]byte
}

// Run implements machine.Work.
func (v verifySegments) Run() (any, error) {
	out := make([]*inputlog.Segment, len(v.list))
	for i, b := range v.list {
		if i > 0 && string(b) == string(v.list[i-1]) { // several acts of one segment
			out[i] = out[i-1]
		} else if s, err := inputlog.Decode(b); err == nil && s.Verify(&v.of) {
			out[i] = s
		}
	}
	return out, nil
}

// receive takes an act or a segment of a player. While the player is being handed over
// it is kept for the next home.
func (s *signatures) receive(h *playerSession, m machine.Message) {
	if h.log == nil {
		if act, ok := m.(*Act); ok {
			s.dedup.receive(h, act)
		}
		return
	}
	if len(h.proofs) >= maxProofs {
		s.stats.Refused++
		return
	}
	h.proofs = append(h.proofs, m)
	s.verify(h)
}

// verify begins a job if there is something to verify and none runs.
func (s *signatures) verify(h *playerSession) {
	if h.verifying != 0 || len(h.proofs) == 0 || h.handover != nil {
		return
	}
	v := verifySegments{of: s.of(h)}
	for _, m := range h.proofs[:min(len(h.proofs), verifyAtOnce)] {
		v.list = append(v.list, proofOf(m))
	}
	h.verifying = s.tags.next(jobVerify)
	s.players[h.verifying] = h.p.ID
	s.env.Do("", h.verifying, v)
}

// of is the session that a player's segments must be signed for.
func (s *signatures) of(h *playerSession) inputlog.Session {
	return inputlog.Session{World: s.cfg.World, Key: h.log.Key, Nonce: h.log.Nonce}
}

// proofOf is the segment that comes with a message; nil with a Leave.
func proofOf(m machine.Message) []byte {
	switch m := m.(type) {
	case *Act:
		return m.Proof
	case *Segment:
		return m.Signed
	}
	return nil
}

// onVerified takes what a job has found.
func (s *signatures) onVerified(tag uint64, result any) {
	h := s.sessions.at(s.players[tag])
	delete(s.players, tag)
	if h == nil || h.verifying != tag {
		return // another session has come
	}
	h.verifying = 0
	if h.handover != nil {
		return // they go along
	}
	segments, _ := result.([]*inputlog.Segment)
	n := max(len(segments), 1) // a job that could not be done is not done again
	batch := h.proofs[:n]
	h.proofs = h.proofs[n:]
	for i, m := range batch {
		switch {
		case s.sessions.at(h.p.ID) != h:
			return
		case isLeave(m):
			s.sessions.leave(h, LeftOwn)
		case i < len(segments) && segments[i] != nil:
			s.take(h, m, segments[i])
		default:
			s.stats.Unsigned++
		}
	}
	if s.sessions.at(h.p.ID) == h {
		s.verify(h)
	}
}

func isLeave(m machine.Message) bool { _, ok := m.(*Leave); return ok }

// take does what a player has signed: its steps that have not come, then the act.
func (s *signatures) take(h *playerSession, m machine.Message, seg *inputlog.Segment) {
	tick := TickAt(s.env.Now(), s.cfg.Epoch)
	late := h.log.Current(seg, tick)
	if late == nil {
		of := s.of(h)
		if err := h.log.Take(&of, seg); errors.Is(err, inputlog.ErrForged) {
			s.stats.Forged++
			s.sessions.expel(h)
			return
		} else if err != nil {
			s.stats.Unsigned++
			return
		}
		h.queueSigned(seg, s.stats)
	}
	act, ok := m.(*Act)
	if !ok {
		return
	}
	signed := *act // the session may send it again
	switch {
	case !covers(seg, &signed):
		s.stats.Unsigned++
	case late != nil:
		s.dedup.tooLate(h, &signed)
	default:
		s.dedup.receive(h, &signed)
	}
}

// covers reports whether a segment has an act as it is asked for, and notes what it says
// of the steps before it.
func covers(seg *inputlog.Segment, m *Act) bool {
	a := seg.Act(m.Seq)
	if a == nil {
		return false
	}
	m.After = a.After
	return *a == inputlog.Act{Seq: m.Seq, After: a.After, Kind: m.Kind, At: m.Pos, Face: m.Face, A: m.A, B: m.B, Text: m.Text}
}

// queueSigned takes the steps of a segment that have not come by themselves: over data
// channels some are lost, and an act must not be done before them.
func (h *playerSession) queueSigned(seg *inputlog.Segment, stats *Stats) {
	for i, step := range seg.Steps {
		seq := seg.First + uint32(i)
		if seq > max(h.inputs.last, h.p.LastSeq) && h.inputs.addStep(queuedInput{seq: seq, step: step}) {
			stats.InputsDropped++
		}
	}
}

// noteStep notes a step that comes without a signature; false: it must not be run.
func (h *playerSession) noteStep(seq uint32, step world.Input, tick uint64, passedOn bool) bool {
	return h.log == nil || passedOn && seq <= h.log.To() || h.log.Step(seq, step, tick)
}

// dropProofs gives up what waits to be verified: another session plays now, or the
// same one says it again.
func (h *playerSession) dropProofs() { h.proofs, h.verifying = nil, 0 }

// session is what names the session in an act record: what its player signs for, where
// that is necessary, so that a node cannot have an act done again in another session.
func (h *playerSession) session() id.ID {
	if h.log == nil {
		return h.peer.ID
	}
	return id.Of(h.log.Nonce[:])
}

// session is the same of one that enters.
func (c *Config) session(from machine.Peer, nonce [32]byte) id.ID {
	if !c.Signed {
		return from.ID
	}
	return id.Of(nonce[:])
}

// signedLog is the player's log for the next home.
func (h *playerSession) signedLog() []byte {
	if h.log == nil {
		return nil
	}
	return h.log.Append(nil)
}

// logOf is a player's log as it is stored; nil where nothing need be signed.
func (s *playerSessions) logOf(player id.ID) *inputlog.Log {
	if !s.cfg.Signed {
		return nil
	}
	if l, err := inputlog.DecodeLog(s.store.small[playerKey(keySigned, player)]); err == nil {
		return l
	}
	return &inputlog.Log{}
}

// stepsTo is the last step that may be run at a tick: any, or the last one that is
// signed if the player has signed nothing for too long.
func (h *playerSession) stepsTo(tick uint64) uint32 {
	if h.log == nil || !h.log.Stopped(tick) {
		return math.MaxUint32
	}
	return h.log.To()
}

// signedTo is the last step that is known to come before an act that is begun now.
func (h *playerSession) signedTo() uint32 {
	if h.log == nil {
		return math.MaxUint32
	}
	return h.log.To()
}

// stepsTo is the same for a tick; who is stopped is told why.
func (s *playerSessions) stepsTo(h *playerSession, tick uint64) uint32 {
	to := h.stepsTo(tick)
	switch {
	case to == math.MaxUint32:
		h.stoppedSince = 0
	case h.inputs.steps == 0 || h.verifying != 0: // it does not move, or has signed
	case h.stoppedSince == 0:
		h.stoppedSince = tick
	case tick == h.stoppedSince+warnAfter:
		s.env.Send(h.peer, &Notice{s.cfg.Pos, unsignedCode, unsignedText})
	}
	return to
}

// expel takes a player out of the world for whom somebody else has acted, or who does
// not sign.
func (s *playerSessions) expel(h *playerSession) {
	if h.peer != (machine.Peer{}) {
		s.env.Send(h.peer, &Notice{s.cfg.Pos, unsignedCode, unsignedText})
	}
	s.leave(h, LeftUnsigned)
}
