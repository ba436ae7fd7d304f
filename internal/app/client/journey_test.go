package client_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/client/clienttest"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestJourney: a player who flies from region to region always has ground
// around it, is never corrected, and its friend stays in its list.
func TestJourney(t *testing.T) {
	slowtest.Skip(t, "takes ten seconds")
	synctest.Test(t, journey) // on a machine that always has time: one that has none is corrected
}

func journey(t *testing.T) {
	w := clienttest.Start(t, world.Creative)
	p := join(t, w, "A", client.Options{})
	p.loaded(t)
	for range 60 { // up, above trees and hills
		p.fly(t, world.ButtonJump)
	}
	home := p.Body().Pos.Block().Region()
	corrections, frames := p.Counts().Corrections, p.Counts().Frames
	crossed := map[world.RegionPos]bool{}
	for range 160 {
		p.fly(t, world.ButtonForward|world.ButtonSprint)
		at := p.Body().Pos.Block()
		crossed[at.Region()] = true
		if _, ok := p.Blocks().Block(at); !ok {
			t.Fatalf("nothing is known of %v", at)
		}
	}
	if len(crossed) < 2 {
		t.Errorf("came from %v to %v", home, crossed)
	}
	if n := p.Counts().Corrections - corrections; n > 0 {
		t.Errorf("corrected %d times", n)
	}
	if p.Counts().Frames == frames {
		t.Error("no frames")
	}
	p.until(t, "old columns to be forgotten", func() bool { return p.Loaded() <= 9*9 })
}

func (p *player) fly(t *testing.T, buttons uint16) {
	t.Helper()
	p.walk(t, world.Input{Buttons: buttons | world.ButtonFly, Yaw: 16384})
}

// walk does a step, and waits for the next tick: a world on a machine that has no
// time leaves ticks out, and corrects who goes on all the same. As frames come from
// regions beside it, too, those steps count that its own has not done.
func (p *player) walk(t *testing.T, in world.Input) {
	t.Helper()
	frames, patience := p.Counts().Frames, time.Now().Add(time.Minute)
	if _, err := p.Step(in); err != nil {
		t.Fatal(err)
	}
	for wait := 50 * time.Millisecond; ; wait = 5 * time.Millisecond {
		time.Sleep(wait)
		if p.Counts().Frames > frames && p.Unanswered() <= 8 {
			return
		}
		if time.Now().After(patience) {
			t.Fatal("no frame comes")
		}
	}
}

// TestTeleport: the node brings the player far away, and the session follows.
func TestTeleport(t *testing.T) {
	w := clienttest.Start(t, world.Creative)
	p := join(t, w, "A", client.Options{})
	p.loaded(t)
	to := p.Body().Pos.Block().Add(1000, 60, -1000)
	if err := p.Say("/tp " + to.String()); err != nil {
		t.Fatal(err)
	}
	p.until(t, "the other place", func() bool {
		at := p.Body().Pos.Block()
		_, ok := p.Blocks().Block(at)
		return at.X > to.X-20 && ok
	})
	p.loaded(t)
	answer, err := p.Act(wire.Act{Kind: wire.Select, A: 3})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case r := <-answer:
		if !r.OK {
			t.Errorf("at the new home: %+v", r)
		}
	case <-time.After(time.Minute):
		t.Error("the new home does not answer")
	}
}
