package client

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// listener is a forgetful node that writes down steps and acts.
type listener struct {
	forgetful
	said []string
}

func (l *listener) OnMessage(p machine.Peer, m machine.Message) {
	if to, ok := m.(*region.To); ok {
		switch m := to.Msg.(type) {
		case *region.Inputs:
			l.said = append(l.said, fmt.Sprint("from ", m.First, ": ", len(m.Steps), " at ", m.Pos.X))
		case *region.Act:
			l.said = append(l.said, strings.TrimSpace(fmt.Sprint("act behind ", m.After, " ", m.Text)))
		}
	}
	l.forgetful.OnMessage(p, m)
}

// TestLostSteps: the region hears each step once, however often it is said, and those that
// were lost before an act that builds on them.
func TestLostSteps(t *testing.T) {
	f := &listener{forgetful: forgetful{columns: map[world.ColumnPos]*world.Column{}}}
	loop := transport.Start(transport.Config{Machine: func(env machine.Env) machine.Machine { f.env = env; return f }})
	defer loop.Stop()
	n := NewNode(Config{Node: loop, Terrain: terrain.New(1)})
	s, err := n.Enter(context.Background(), Login{Player: id.Of([]byte("A")), Name: "A"})
	if err != nil {
		t.Fatal(err)
	}
	s.heard = time.Now().Add(time.Hour) // however slow the machine is, nothing is asked again
	s.lookedLate = s.heard
	steps := func(first uint32, count int) wire.Message {
		return &wire.Input{Seq: first, Pos: world.Vec{X: fixed.Num(first)}, Steps: make([]wire.Step, count)}
	}
	segment := &inputlog.Segment{Number: 1, First: 4, Steps: make([]world.Input, 5), Acts: []inputlog.Act{{Seq: 1, After: 8, Kind: 1}}}
	for _, c := range []struct {
		says wire.Message
		want []string
	}{
		{steps(1, 1), []string{"from 1: 1 at 1"}},
		{steps(1, 2), []string{"from 2: 1 at 1"}},
		{steps(1, 2), nil},
		{steps(1, 5), []string{"from 3: 3 at 1"}},
		{steps(3, 2), nil}, // overtaken
		{&wire.Segment{Segment: segment.Append(nil)}, []string{"from 6: 3 at 0", "act behind 8"}},
		{steps(6, 4), []string{"from 9: 1 at 6"}},
	} {
		if err := s.Handle(wire.Encode(c.says)); err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := loop.Call(context.Background(), func() { got, f.said = f.said, nil }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("after %+v the region hears %q, want %q", c.says, got, c.want)
		}
	}
}

// TestStepsTwoByTwo: while the node is strained two steps travel together, all of
// them arrive once and in order, and nothing overtakes one that waits.
func TestStepsTwoByTwo(t *testing.T) {
	f := &listener{forgetful: forgetful{columns: map[world.ColumnPos]*world.Column{}}}
	loop := transport.Start(transport.Config{Machine: func(env machine.Env) machine.Machine { f.env = env; return f }})
	defer loop.Stop()
	var strained atomic.Bool
	n := NewNode(Config{Node: loop, Terrain: terrain.New(1), Strained: strained.Load})
	s, err := n.Enter(context.Background(), Login{Player: id.Of([]byte("A")), Name: "A"})
	if err != nil {
		t.Fatal(err)
	}
	s.heard = time.Now().Add(time.Hour) // however slow the machine is, nothing is asked again
	s.lookedLate = s.heard
	steps := func(first uint32, count int) {
		m := &wire.Input{Seq: first, Pos: world.Vec{X: fixed.Num(first)}, Steps: make([]wire.Step, count)}
		if err := s.Handle(wire.Encode(m)); err != nil {
			t.Fatal(err)
		}
	}
	said := func(want ...string) {
		t.Helper()
		var got []string
		if err := loop.Call(context.Background(), func() { got, f.said = f.said, nil }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the region hears %q, want %q", got, want)
		}
	}
	steps(1, 1)
	steps(2, 1)
	said("from 1: 1 at 1", "from 2: 1 at 2")
	strained.Store(true)
	steps(3, 1)
	said()
	steps(4, 1)
	said("from 3: 2 at 4")
	steps(5, 1)
	if err := s.Handle(wire.Encode(&wire.Act{Seq: 1, Kind: wire.Dig})); err != nil {
		t.Fatal(err)
	}
	said("from 5: 1 at 5", "act behind 5")
	s.asked = nil
	steps(6, 1)
	steps(7, 2) // more than fit behind the one that waits
	said("from 6: 1 at 6", "from 7: 2 at 7")
	steps(9, 1)
	steps(11, 1) // one was lost
	said("from 9: 1 at 9")
	strained.Store(false)
	steps(12, 1)
	said("from 11: 2 at 12")
	steps(13, 1)
	said("from 13: 1 at 13")
	strained.Store(true)
	steps(14, 1)
	if err := s.Handle(wire.Encode(&wire.Leave{})); err != nil {
		t.Fatal(err)
	}
	said("from 14: 1 at 14")
}

// TestTextOfAct: the text of an act reaches the home, whether the client signs its acts or
// not, and again when the home is asked once more.
func TestTextOfAct(t *testing.T) {
	f := &listener{forgetful: forgetful{columns: map[world.ColumnPos]*world.Column{}}}
	loop := transport.Start(transport.Config{Machine: func(env machine.Env) machine.Machine { f.env = env; return f }})
	defer loop.Stop()
	s, err := NewNode(Config{Node: loop, Terrain: terrain.New(1)}).Enter(context.Background(), Login{Player: id.Of([]byte("A")), Name: "A"})
	if err != nil {
		t.Fatal(err)
	}
	segment := &inputlog.Segment{Number: 1, First: 1, Acts: []inputlog.Act{{Seq: 2, Kind: uint8(wire.Write), Text: "signed"}}}
	for _, m := range []wire.Message{&wire.Act{Seq: 1, Kind: wire.Write, Text: "plain"}, &wire.Segment{Segment: segment.Append(nil)}} {
		if err := s.Handle(wire.Encode(m)); err != nil {
			t.Fatal(err)
		}
	}
	s.askAgain()
	var got []string
	if err := loop.Call(context.Background(), func() { got = f.said }); err != nil {
		t.Fatal(err)
	}
	want := []string{"act behind 0 plain", "act behind 0 signed", "act behind 0 plain", "act behind 0 signed"}
	if !slices.Equal(got, want) {
		t.Errorf("the region hears %q, want %q", got, want)
	}
}
