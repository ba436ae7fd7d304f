package client

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	typed "github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

const (
	// silence is how long a home may say nothing to a client that sends inputs
	// before the session enters and watches from new.
	silence = 5 * time.Second
	// maxTiles bounds the far tiles that wait for a client.
	maxTiles = 512
	// lateColumns is how long columns may not come until they are watched anew: a
	// Watch or its answer can be lost when a region changes its host.
	lateColumns = 10 * time.Second
	// patience is how long an act may go without an answer before it is sent
	// again: what is passed on between nodes can be lost with a link.
	patience = 5 * time.Second
	// holdAtMost is how long a step may wait for the next one.
	holdAtMost = 75 * time.Millisecond
	// tilesAtOnce are sent with one batch, so that frames do not wait long.
	tilesAtOnce = 4
)

// Handle takes one encoded message of the client. A message that the client
// may not send is a *wire.Refused, and ends the session.
func (s *Session) Handle(b []byte) error {
	if wire.TypeOf(b) == wire.TypeInput {
		return s.onInput(b)
	}
	m, err := wire.DecodeClient(b)
	if err != nil {
		return malformed(err)
	}
	if say, ok := m.(*wire.Say); ok && s.command(say.Text) {
		return nil
	}
	if part, ok := m.(*wire.PutSchematic); ok {
		s.onSchematic(part)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := m.(type) {
	case *wire.View:
		s.onView(m)
	case *wire.Act:
		if s.node.cfg.Signed {
			return wire.Unsigned.Refusal(0)
		}
		s.ask(m, s.lastStep, nil)
	case *wire.Segment:
		return s.onSegment(m.Segment)
	case *wire.Say:
		if text := wire.CleanText(m.Text); text != "" {
			line := s.signedLine(m)
			s.said.add(text, line)
			s.send(line)
		}
	case *wire.Signed:
		s.send(&lobby.Signed{Statement: slices.Clone(m.Statement)})
	case *wire.Skin:
		s.skin = slices.Clone(m.Skin)
		s.send(&lobby.Skin{Skin: s.skin})
	case *wire.AskSkin:
		s.send(&lobby.AskSkin{Entity: uint32(m.Entity)})
	case *wire.Ping:
		s.say(&wire.Pong{Time: m.Time, Tick: s.node.tick()})
		s.tend() // a client that hears nothing of its body sends no steps
	case *wire.Far:
		s.onFar(m)
	case *wire.Missed:
		s.onMissed(m.Region)
	case *wire.AskHosts:
		s.out = append(s.out, s.node.hosts.message())
		s.poke()
	case *wire.AskEntrances:
		if m := s.Entrances(); m != nil {
			s.say(m)
		}
	case *wire.Leave:
		s.release()
		s.link.Close()
	default:
		return malformed(fmt.Errorf("%T after the handshake", m))
	}
	return nil
}

// Entrances says where else the player can enter the world, and with which code; nil:
// it is not known.
func (s *Session) Entrances() *wire.Entrances {
	if s.entrances == nil {
		return nil
	}
	m := s.entrances()
	if len(s.hello.Invitation) > 0 {
		m.Code = invitation.AdmissionCode(s.hello.Invitation)
	}
	return m
}

func malformed(err error) error {
	return &wire.Refused{Code: wire.Malformed, Text: wire.Malformed.Text() + " (" + err.Error() + ")"}
}

// inputs is a message to a region with its contents in one piece of memory:
// there are twenty a second from each player.
type inputs struct {
	to    region.To
	msg   region.Inputs
	steps [2]region.Step
}

func (s *Session) onInput(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := &s.input
	if err := wire.DecodeInto(b, in); err != nil {
		return malformed(err)
	}
	s.spoke = time.Now()
	if s.skipKnown(in); len(in.Steps) > 0 {
		together := s.steps(in)
		s.claims.add(s.lastStep, in.Pos, together)
	}
	s.tend()
	return nil
}

// skipKnown leaves out the steps that were said before: a client repeats them on a
// channel that loses messages.
func (s *Session) skipKnown(in *wire.Input) {
	if in.Seq <= s.lastStep {
		n := min(uint32(len(in.Steps)), s.lastStep+1-in.Seq)
		in.Seq, in.Steps = in.Seq+n, slices.Delete(in.Steps, 0, int(n))
	}
	s.lastStep = max(s.lastStep, in.Seq+uint32(len(in.Steps))-1)
}

// tend asks again for what does not come.
func (s *Session) tend() {
	if time.Since(s.heard) > silence {
		s.recover()
	}
	s.watchLate()
}

// tendActs asks again for what has had no answer for too long, and looks again later for
// the rest: the client may say nothing else meanwhile.
func (s *Session) tendActs() {
	if len(s.asked) == 0 {
		return
	}
	left := patience - time.Since(s.asked[0].at)
	if left <= 0 {
		if s.unheard || time.Since(s.heard) >= silence {
			s.recover()
		}
		s.askAgain()
		left = patience
	}
	s.overdue.Reset(left)
}

// steps sends body steps to the home. While the node is strained one waits for the
// next, and they travel together: the home runs one in each tick all the same
// (region.smooth), and the packet costs more than what is in it. It reports whether
// they travel behind one that has waited.
func (s *Session) steps(in *wire.Input) (together bool) {
	m := s.held
	if together = m != nil && len(in.Steps) == 1 && in.Seq == m.msg.First+1; together {
		s.held = nil
	} else {
		m = new(inputs)
		m.msg = region.Inputs{Player: s.player, First: in.Seq, Steps: m.steps[:0]}
	}
	m.msg.Pos = in.Pos
	for _, st := range in.Steps {
		m.msg.Steps = append(m.msg.Steps, region.Step{Buttons: uint16(st.Buttons), Yaw: st.Yaw, Pitch: st.Pitch})
	}
	s.release()
	s.held = m
	if strained := s.node.cfg.Strained; len(m.msg.Steps) == 1 && strained != nil && strained() {
		s.heldAt = time.Now()
		return together
	}
	s.release()
	return together
}

// release sends the step that waits.
func (s *Session) release() {
	if m := s.held; m != nil {
		s.held = nil
		m.to = region.To{Region: s.home, Msg: &m.msg}
		s.send(&m.to)
	}
}

func (s *Session) onView(m *wire.View) {
	s.lookFrom(int32(m.Distance))
	s.sendWatches()
}

// onSegment passes on what the player has signed, unchanged. Acts are kept with the
// segment that they are in, until they have an answer.
func (s *Session) onSegment(signed []byte) error {
	seg, err := inputlog.Decode(signed)
	if err != nil {
		return malformed(err)
	}
	signed = slices.Clone(signed)
	s.signedAt = time.Now()
	if len(seg.Acts) == 0 && s.node.cfg.Signed {
		s.toRegion(s.home, &region.Segment{Player: s.player, Signed: signed})
	}
	if !s.node.cfg.Signed {
		s.stepsOf(seg)
	}
	for i := range seg.Acts {
		a := &seg.Acts[i]
		if a.Seq != s.acts.Next() { // it is signed: the session cannot count otherwise
			return malformed(fmt.Errorf("act %d instead of %d", a.Seq, s.acts.Next()))
		}
		if !s.ask(&wire.Act{Seq: a.Seq, Kind: wire.ActKind(a.Kind), X: a.At.X, Y: a.At.Y, Z: a.At.Z, Face: a.Face, A: a.A, B: a.B, Text: a.Text}, a.After, signed) {
			return wire.TooFast.Refusal(5)
		}
	}
	return nil
}

// stepsOf passes on the steps of a segment that have not come as Input, which may be
// lost: what follows in the segment builds on them.
func (s *Session) stepsOf(seg *inputlog.Segment) {
	m := new(inputs)
	m.msg = region.Inputs{Player: s.player, NoPos: true}
	for i, st := range seg.Steps {
		if seq := seg.First + uint32(i); seq > s.lastStep {
			if len(m.msg.Steps) == 0 {
				m.msg.First = seq
			}
			m.msg.Steps = append(m.msg.Steps, st)
			s.lastStep = seq
		}
	}
	if len(m.msg.Steps) > 0 {
		s.release()
		s.held = m
		s.release()
	}
}

// ask asks the home to do an act behind a step; false: too many have no answer.
func (s *Session) ask(m *wire.Act, after uint32, proof []byte) bool {
	act := s.acts.Ask(&region.Act{
		Player: s.player, Kind: uint8(m.Kind), Pos: m.Pos(), Face: m.Face, A: m.A, B: m.B, Text: m.Text, After: after, Proof: proof,
	})
	s.spoke = time.Now()
	if act == nil { // what was asked before waits for a host
		s.say(&wire.ActResult{Seq: m.Seq, Code: wire.TooFast, Text: wire.TooFast.Text()})
		return false
	}
	s.asked = append(s.asked, asked{act.Seq, m.Seq, time.Now()})
	if len(s.asked) == 1 {
		s.overdue.Reset(patience)
	}
	if s.in {
		s.toRegion(s.home, act)
	} // otherwise when the home has let the player in
	return true
}

// askAgain sends what has no answer to the home, which does each act once. A home that
// has not let the player in gets it when it does.
func (s *Session) askAgain() {
	if s.in {
		for _, m := range s.acts.Resend() {
			s.toRegion(s.home, m)
		}
	}
	for i := range s.asked {
		s.asked[i].at = time.Now()
	}
}

// missedEvery is how often a region is asked for keyframes: on a bad line there is
// always another frame missing.
const missedEvery = 250 * time.Millisecond

// onMissed lets a region send keyframes after the client has missed a frame.
func (s *Session) onMissed(r world.RegionPos) {
	if s.numbers == nil || !s.watch.watches(r) || time.Since(s.missed[r]) < missedEvery {
		return
	}
	maps.DeleteFunc(s.missed, func(r world.RegionPos, _ time.Time) bool { return !s.watch.watches(r) })
	if s.missed == nil {
		s.missed = map[world.RegionPos]time.Time{}
	}
	s.missed[r] = time.Now()
	s.toRegion(r, &region.Watch{Rates: *s.watch.rates[r], Missed: true})
}

// onFar queues the tiles that lie where the client may see them.
func (s *Session) onFar(m *wire.Far) {
	here := s.pos.Block().Region()
	for _, r := range m.Regions {
		if max(abs(r.X-here.X), abs(r.Z-here.Z)) <= wire.MaxFarView+2 && len(s.tiles) < maxTiles {
			s.tiles = append(s.tiles, r)
		}
	}
	s.poke()
}

func (s *Session) sendTiles(to Sink) {
	n := min(len(s.tiles), tilesAtOnce)
	for _, r := range s.tiles[:n] {
		to.Add(s.node.far.message(r), nil)
	}
	if s.tiles = s.tiles[n:]; len(s.tiles) > 0 {
		s.poke()
	}
}

// lookFrom looks around from where the player is.
func (s *Session) lookFrom(view int32) {
	for _, c := range s.watch.look(s.pos.Block(), view) {
		s.say(&wire.Unload{Column: c})
	}
}

func (s *Session) sendWatches() {
	s.watch.more()
	s.watch.take(func(r world.RegionPos, w *region.Watch) {
		s.watchedAt[r] = time.Now()
		s.toRegion(r, w)
	})
}

// watchLate watches columns anew that have not come for long. While they wait,
// others are not asked for.
func (s *Session) watchLate() {
	if s.watch.waiting == 0 || time.Since(s.lookedLate) < time.Second {
		return
	}
	s.lookedLate = time.Now()
	maps.DeleteFunc(s.watchedAt, func(r world.RegionPos, _ time.Time) bool { return !s.watch.watches(r) })
	for _, r := range s.watch.lacking() {
		if time.Since(s.watchedAt[r]) > lateColumns {
			s.toRegion(r, s.watch.without(r))
			s.watch.note(r)
		}
	}
	s.sendWatches()
}

// recover enters and watches from new: the home has lost the player, for
// example because it was restarted.
func (s *Session) recover() {
	s.node.cfg.Log.Warn("home region is silent, entering again", "player", s.player.Short(), "region", s.home)
	s.enter(s.home)
	for r := range s.watch.rates {
		s.toRegion(r, &region.Watch{})
		s.watch.again(r)
	}
	s.sendWatches()
}

func (s *Session) enter(r world.RegionPos) {
	a := s.admitted
	s.in, s.unheard, s.heard = false, false, time.Now()
	m := &region.Enter{
		Player: s.player, Entity: a.Entity, Name: a.Name, Mode: a.Mode, Operator: a.Operator, Visitor: a.Visitor,
		New: a.New && s.entered == nil,
	}
	if p := s.hello.Pass; p != nil {
		m.Key, m.Nonce = p.Key, p.Nonce
	}
	s.toRegion(r, s.acts.Enter(m))
}

// signedLine is a line as the lobby is told it: with the player's signature, if there is one.
func (s *Session) signedLine(m *wire.Say) *lobby.Say {
	line := &lobby.Say{Text: m.Text}
	if p := s.hello.Pass; p != nil && len(m.Sig) == len(p.Sig) {
		line.Signed = &typed.Signature{Key: p.Key, Name: s.hello.Name, Tick: m.Tick, Sig: [64]byte(m.Sig)}
	}
	return line
}
