package client

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// receive turns a message of the node into messages for the client.
func (s *Session) receive(m machine.Message, to Sink) {
	if s.fromOthers(m) {
		return
	}
	switch m := m.(type) {
	case *region.Frame:
		s.onFrame(m, to)
	case *region.Columns:
		s.onColumns(m, to)
	case *region.ActResult:
		s.onActResult(m, to)
	case *region.Self:
		s.add(to, &wire.Self{Mode: m.Mode, Health: m.Health, Air: m.Air, Food: m.Food, MayFly: m.MayFly, Operator: m.Operator, Dead: m.Dead, Visitor: m.Visitor})
	case *region.Inventory:
		s.add(to, &wire.Inventory{Slots: slotItems(m.Slots), Selected: m.Selected})
	case *region.Container:
		s.add(to, &wire.Container{X: m.At.X, Y: m.At.Y, Z: m.At.Z, Size: m.Size, Slots: slotItems(m.Slots), Heat: m.Heat, Work: m.Work})
	case *region.Signs:
		s.onSigns(m, to)
	case *region.Heard:
		s.add(to, &wire.Chat{Kind: wire.ChatNear, From: m.Name, Text: m.Text})
	case *region.Notice:
		s.onNotice(m, to)
	case *region.NewHost:
		s.onNewHost(m)
	case *lobby.NewHost:
		hello := s.hello
		hello.Resume = s.admitted != nil
		s.send(&hello)
	case *lobby.Chat:
		s.onChat(m, to)
	case *lobby.Players:
		s.onPlayers(m, to)
	case *lobby.Notice:
		s.add(to, &wire.Notice{Code: m.Code, Text: m.Text})
	case *lobby.Waiting:
		s.onWaiting(m, to)
	case *lobby.TimeOffset:
		s.add(to, &wire.TimeOffset{Ticks: m.Ticks})
	case *lobby.Propose:
		s.onPropose(m, to)
	case *lobby.SkinOf:
		s.add(to, &wire.SkinOf{Entity: uint64(m.Entity), Skin: m.Skin})
	case *lobby.Commands:
		s.add(to, &wire.Commands{List: m.List})
	case *lobby.Clip:
		s.onClip(m, to)
	default:
		s.onPlace(m)
	}
}

// onNotice passes on what a region has to say.
func (s *Session) onNotice(m *region.Notice, to Sink) {
	switch code := wire.Code(m.Code); code {
	case wire.Restored:
		if line := wire.RestoredChat(m.Text); line != nil {
			s.add(to, line)
		}
	case wire.Unconfirmed:
		s.add(to, wire.UnconfirmedChat())
	default:
		s.add(to, &wire.Notice{Code: code, Text: m.Text})
	}
}

// onPlace takes the messages about where the player is, and whether.
func (s *Session) onPlace(m machine.Message) {
	switch m := m.(type) {
	case *lobby.Admitted:
		s.admitted, s.why = m, nil
		if len(s.skin) > 0 {
			s.send(&lobby.Skin{Skin: s.skin})
		}
		s.said.repeat(
			func(line *lobby.Say) { s.send(line) },
			func(text string) { s.say(&wire.Chat{Kind: wire.ChatError, Text: text}) },
		)
		s.home, s.before, s.early = m.Home, m.Home, nil
		s.enter(m.Home)
	case *region.Entered:
		s.onEntered(m)
	case *region.Moved:
		s.onMoved(m)
	case *region.Left:
		s.onLeft(m)
	case *lobby.Refused:
		if m.Code == wire.Kicked && !s.isKicked(m) {
			m = &lobby.Refused{Code: wire.Internal, Retry: 5}
		}
		s.end(&wire.Refused{Code: m.Code, Text: textOf(m.Text, string(m.Code)), Retry: m.Retry})
	case *region.Refused:
		s.onRefused(m)
	default:
		s.node.cfg.Log.Error("a session cannot read a message of its node", "message", m)
	}
}

// isKicked reports whether the order that comes with a kick is about this player; the
// session's node has verified it.
func (s *Session) isKicked(m *lobby.Refused) bool {
	o, err := decision.DecodeOrder(m.Order)
	return err == nil && o.Kind == decision.Kick && o.Subject == s.player
}

func textOf(text, code string) string {
	if text == "" && code != "" {
		return wire.Code(code).Text()
	}
	return text
}

// add passes a message on to the client. Its contents come from a part of the world
// whose host may be hostile: what the client could not decode would end its
// connection, and is left out.
func (s *Session) add(to Sink, m wire.Message) {
	s.head = wire.Append(s.head[:0], m)
	if _, err := wire.DecodeNode(s.head); err == nil {
		to.Add(s.head, nil)
	}
}

func (s *Session) end(why *wire.Refused) {
	if s.over == nil {
		s.over = why
	}
}

func (s *Session) onEntered(m *region.Entered) {
	if s.entered == nil {
		s.entered = m
	}
	if s.isHome && m.Epoch < s.epoch {
		return
	}
	s.home, s.epoch, s.isHome, s.heard, s.in = m.Region, m.Epoch, true, time.Now(), true
	s.busy = 0
	s.moveTo(m.Position)
	s.askAgain()
}

// onActResult answers the client, unless that was done before, or the home has
// been asked again since. A home that goes on answering an earlier Enter has not got the
// last one, and no answer of it would ever count.
func (s *Session) onActResult(m *region.ActResult, to Sink) {
	i := slices.IndexFunc(s.asked, func(a asked) bool { return a.number == m.Seq })
	if i < 0 {
		return
	}
	if !s.acts.Complete(m) {
		s.unheard = true
		return
	}
	s.add(to, &wire.ActResult{Seq: s.asked[i].seq, OK: m.OK, Code: wire.Code(m.Reason), Text: textOf(m.Text, m.Reason)})
	s.asked = slices.Delete(s.asked, i, i+1)
}

func (s *Session) onMoved(m *region.Moved) {
	switch m.Reason {
	case region.MovedReplaced:
		s.removed()
	case region.MovedElsewhere:
		s.home, s.before = m.To, m.To
		s.enterAgain()
	default:
		if m.Epoch > s.epoch || !s.isHome {
			s.home, s.before, s.epoch, s.isHome = m.To, m.Region, m.Epoch, true
			if s.in {
				s.askAgain() // what the home before has not done
			}
			s.takeEarly()
		}
	}
}

// onNewHost enters and watches anew where another node leads a region now. What
// the home has not answered is asked again when it has let the player in.
func (s *Session) onNewHost(m *region.NewHost) {
	if m.Region == s.home && s.admitted != nil {
		s.enterAgain()
	}
	if s.watch.watches(m.Region) && s.paced.rewatches.Take(1, time.Now()) {
		s.toRegion(m.Region, &region.Watch{}) // if it is the same node after all
		s.watch.again(m.Region)
		s.sendWatches()
	}
}

// onFrame writes the personal head before the shared cells.
func (s *Session) onFrame(m *region.Frame, to Sink) {
	isHome := m.Region == s.home
	if !isHome && !s.watch.watches(m.Region) {
		return
	}
	h := frame.Head{Region: m.Region, Tick: m.Tick}
	if isHome {
		h.Own = m.Own // of another region it would move the player
	}
	if s.numbers != nil {
		h.Numbered, h.Number = true, s.numbers[m.Region]
		s.numbers[m.Region]++
	}
	s.head = frame.AppendHead(append(s.head[:0], byte(wire.TypeFrame)), &h)
	to.Add(s.head, m.Cells)
	if isHome {
		s.onOwn(&m.Own)
	}
}

// onOwn learns where the player is.
func (s *Session) onOwn(own *region.Own) {
	if !own.HasAck && !own.Corrected {
		return
	}
	if s.in { // otherwise it may not have heard the last Enter
		s.heard = time.Now()
	}
	if own.Corrected {
		s.claims.acked = max(s.claims.acked, own.Ack)
		s.moveTo(own.Position)
	} else if pos, ok := s.claims.at(own.Ack, s.pos); ok {
		s.moveTo(pos)
	}
}

func (s *Session) moveTo(pos world.Vec) {
	s.pos = pos
	s.lookFrom(s.watch.view)
}

func (s *Session) onColumns(m *region.Columns, to Sink) {
	for _, c := range m.Columns {
		if c.Column != nil && c.Column.Pos.Region() == m.Region && s.watch.sent(c.Column.Pos) {
			to.Add(s.node.columns.message(c.Column), nil)
		}
	}
}

func slotItems(slots []region.Slot) (out []wire.SlotItem) {
	for _, sl := range slots {
		out = append(out, wire.SlotItem{Slot: sl.Slot, Block: uint16(sl.Block), Count: sl.Count})
	}
	return out
}

func (s *Session) onSigns(m *region.Signs, to Sink) {
	if m.Column >= world.Columns {
		return
	}
	out := &wire.Signs{Column: m.Region.Column(int(m.Column)), Texts: []wire.SignText{}}
	for _, t := range m.Texts {
		out.Texts = append(out.Texts, wire.SignText(t))
	}
	s.add(to, out)
}
