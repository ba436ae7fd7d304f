package client_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/client/clienttest"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// player is a mirror that runs, for tests.
type player struct {
	*client.Mirror
	end chan error
}

func join(t *testing.T, w *clienttest.World, name string, opt client.Options) *player {
	t.Helper()
	who, err := client.NewIdentity(name)
	if err != nil {
		t.Fatal(err)
	}
	return joinAs(t, w, who, opt)
}

func joinAs(t *testing.T, w *clienttest.World, who client.Identity, opt client.Options) *player {
	t.Helper()
	conn, welcome, err := w.Node.Join(context.Background(), who)
	if err != nil {
		t.Fatal(err)
	}
	p := &player{client.NewMirror(conn, welcome, opt), make(chan error, 1)}
	go func() { p.end <- p.Run() }()
	t.Cleanup(func() { p.Close() })
	if err := p.View(3, 2); err != nil {
		t.Fatal(err)
	}
	return p
}

// until steps the player (standing still) until cond holds.
func (p *player) until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !cond() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		if _, err := p.Step(world.Input{}); err != nil {
			t.Fatalf("waiting for %s: %v", what, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// loaded waits for the whole view: the columns of a circle.
func (p *player) loaded(t *testing.T) {
	p.until(t, "37 columns", func() bool { return p.Loaded() >= 37 })
}

func TestPlayerComesInAndSeesTheWorld(t *testing.T) {
	w := clienttest.Start(t, world.Creative)
	p := join(t, w, "Zoë", client.Options{})
	if p.Welcome().Name != "Zoë" || p.Welcome().World.Name != "test" {
		t.Errorf("welcome: %+v", p.Welcome())
	}
	p.loaded(t)
	below := p.Body().Pos.Block().Add(0, -1, 0)
	if b, ok := p.Blocks().Block(below); !ok || !b.Solid() {
		t.Errorf("below the feet is %v, %v", b, ok)
	}
	p.until(t, "the list of players", func() bool { return len(p.Players()) == 1 })
}

func TestEditsAreSeenByOthers(t *testing.T) {
	w := clienttest.Start(t, world.Creative)
	a, b := join(t, w, "A", client.Options{}), join(t, w, "B", client.Options{})
	a.loaded(t)
	b.loaded(t)
	a.until(t, "each other", func() bool { return len(a.Beings()) > 0 && len(b.Beings()) > 0 })
	ground := a.Body().Pos.Block().Add(0, -1, 0)
	for {
		if g, _ := a.Blocks().Block(ground); g.Solid() {
			break
		}
		ground.Y--
	}
	answer, err := a.Act(wire.Act{Kind: wire.Dig, X: ground.X, Y: ground.Y, Z: ground.Z, Face: 1})
	if err != nil {
		t.Fatal(err)
	}
	if g, _ := a.Blocks().Block(ground); g != world.Air {
		t.Errorf("a creative dig is not shown at once: %v", g)
	}
	var got wire.ActResult
	a.until(t, "the answer", func() bool {
		select {
		case got = <-answer:
			return true
		default:
			return false
		}
	})
	if !got.OK {
		t.Fatalf("refused: %+v", got)
	}
	b.until(t, "the hole", func() bool { g, _ := b.Blocks().Block(ground); return g == world.Air })
}

func TestRefusedEditIsTakenBack(t *testing.T) {
	w := clienttest.Start(t, world.Creative)
	p := join(t, w, "A", client.Options{})
	p.loaded(t)
	far := p.Body().Pos.Block().Add(20, -1, 0)
	for {
		if g, _ := p.Blocks().Block(far); g.Solid() {
			break
		}
		far.Y--
	}
	was, _ := p.Blocks().Block(far)
	answer, err := p.Act(wire.Act{Kind: wire.Dig, X: far.X, Y: far.Y, Z: far.Z, Face: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := <-answer; got.OK || got.Code != wire.TooFar || got.Text == "" {
		t.Errorf("answer: %+v", got)
	}
	if b, _ := p.Blocks().Block(far); b != was {
		t.Errorf("shows %v, was %v", b, was)
	}
}

func TestWalkingAgreesWithTheNode(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	w := clienttest.Start(t, world.Survival)
	p := join(t, w, "A", client.Options{})
	p.loaded(t)
	before := p.Counts().Corrections
	start := p.Body().Pos
	for i := range 60 {
		in := world.Input{Buttons: world.ButtonForward, Yaw: uint16(i * 400)}
		if i%20 < 3 {
			in.Buttons |= world.ButtonJump
		}
		p.walk(t, in)
	}
	if p.Body().Pos == start {
		t.Error("did not move")
	}
	if n := p.Counts().Corrections - before; n > 0 {
		t.Errorf("corrected %d times", n)
	}
}

func TestAskHosts(t *testing.T) {
	answers := make(chan *wire.Hosts, 10)
	w := clienttest.Start(t, world.Survival)
	p := join(t, w, "A", client.Options{Heard: func(m wire.Message) {
		if h, ok := m.(*wire.Hosts); ok {
			answers <- h
		}
	}})
	if err := p.AskHosts(); err != nil {
		t.Fatal(err)
	}
	select {
	case h := <-answers:
		if len(h.Nodes) != 1 || h.Nodes[0].Leads != 7 {
			t.Errorf("answer: %+v", h)
		}
	case <-time.After(time.Minute):
		t.Fatal("no answer")
	}
}

func TestSameKeyTwice(t *testing.T) {
	w := clienttest.Start(t, world.Survival)
	who, _ := client.NewIdentity("A")
	first := joinAs(t, w, who, client.Options{})
	second := joinAs(t, w, who, client.Options{})
	var why *wire.Refused
	if err := <-first.end; !errors.As(err, &why) || why.Code != wire.Elsewhere {
		t.Errorf("the first ended with %v", err)
	}
	second.loaded(t)
}

func TestNameOfAnother(t *testing.T) {
	w := clienttest.Start(t, world.Survival)
	join(t, w, "Zoe", client.Options{})
	who, _ := client.NewIdentity("ZOE")
	var why *wire.Refused
	if _, _, err := w.Node.Join(context.Background(), who); !errors.As(err, &why) || why.Code != wire.NameTaken {
		t.Errorf("got %v", err)
	}
	who.Name = "a\u202eb"
	if _, _, err := w.Node.Join(context.Background(), who); !errors.As(err, &why) || why.Code != wire.BadName {
		t.Errorf("got %v", err)
	}
}

func TestFarTilesAndChat(t *testing.T) {
	w := clienttest.Start(t, world.Survival)
	heard := make(chan wire.Message, 1000)
	p := join(t, w, "A", client.Options{Heard: func(m wire.Message) {
		switch m.(type) {
		case *wire.FarTile, *wire.Chat:
			heard <- m
		}
	}})
	home := p.Welcome().Pos.Block().Region()
	next, away := home, home
	next.X++
	away.X += 1000
	if err := p.Far(away, next); err != nil {
		t.Fatal(err)
	}
	if err := p.Say("hello\u202e"); err != nil {
		t.Fatal(err)
	}
	var tiles, lines int
	for tiles == 0 || lines == 0 {
		select {
		case m := <-heard:
			switch m := m.(type) {
			case *wire.FarTile:
				tiles++
				if m.Region != next {
					t.Errorf("tile of %v", m.Region)
				}
			case *wire.Chat:
				if m.Text == "hello" && m.From == "A" {
					lines++
				}
			}
		case <-time.After(time.Minute):
			t.Fatalf("%d tiles, %d lines", tiles, lines)
		}
	}
}
