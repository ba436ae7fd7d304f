package client

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// homeBed is a session whose home a test speaks for, in fake time.
type homeBed struct {
	*testing.T
	f   *forgetful
	s   *Session
	got *counter
}

func newHomeBed(t *testing.T) *homeBed {
	b := &homeBed{T: t, f: &forgetful{columns: map[world.ColumnPos]*world.Column{}}}
	b.s, b.got = playAt(t, b.f)
	synctest.Wait()
	return b
}

// say lets the home say something.
func (b *homeBed) say(messages ...machine.Message) {
	b.s.node.cfg.Node.(*transport.Loop).Call(context.Background(), func() {
		for _, m := range messages {
			b.f.env.Send(b.f.peer, m)
		}
	})
	synctest.Wait()
}

// step lets the client play for a second.
func (b *homeBed) step() {
	time.Sleep(time.Second)
	if err := b.s.Handle(wire.Encode(&wire.Input{Seq: 1, Steps: []wire.Step{{}}})); err != nil {
		b.Fatal(err)
	}
	synctest.Wait()
}

func (b *homeBed) enters() int {
	b.f.mu.Lock()
	defer b.f.mu.Unlock()
	return b.f.enters
}

func (b *homeBed) over() error {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	return b.s.over
}

// TestHostileHome: the home of a player cannot end its session, whatever it says about
// why the player is gone. The session comes in again when the home has been silent.
func TestHostileHome(t *testing.T) {
	player := id.Of([]byte("A"))
	for what, m := range map[string]machine.Message{
		"has left":       &region.Left{Player: player, Reason: region.LeftOwn},
		"is idle":        &region.Left{Player: player, Reason: region.LeftIdle},
		"was kicked":     &region.Left{Player: player, Reason: region.LeftKicked},
		"has left at 99": &region.Left{Player: player, Reason: 99},
		"is elsewhere":   &region.Moved{Player: player, Reason: region.MovedReplaced},
		"is banned":      &region.Refused{Player: player, Code: string(wire.Banned), Text: "You are banned."},
		"is not saved":   &region.Refused{Player: player, Code: string(wire.Storage)},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newHomeBed(t)
				b.step()
				b.say(m)
				if b.enters() != 1 {
					t.Errorf("entered %d times at once", b.enters())
				}
				for range int(silence/time.Second) + 1 {
					b.step()
				}
				if b.enters() != 2 {
					t.Errorf("entered %d times", b.enters())
				}
				if b.over() != nil || b.got.count(wire.TypeRefused) != 0 {
					t.Errorf("the session has ended: %v", b.over())
				}
			})
		})
	}
}

// TestIdlePlayerIsLetGo: a player from whom nothing came for long is let go by its home,
// and its session ends.
func TestIdlePlayerIsLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newHomeBed(t)
		b.step()
		time.Sleep(idleFrom)
		b.say(&region.Left{Player: id.Of([]byte("A")), Reason: region.LeftIdle})
		if why, ok := b.over().(*wire.Refused); !ok || why.Code != wire.Idle {
			t.Errorf("the session has ended with %v", b.over())
		}
	})
}

// TestHostileFlapping: a host that says all the time that the player has to enter or to
// watch anew does not make the session do so all the time.
func TestHostileFlapping(t *testing.T) {
	player := id.Of([]byte("A"))
	for what, m := range map[string]machine.Message{
		"a new host":     &region.NewHost{},
		"go elsewhere":   &region.Moved{Player: player, Reason: region.MovedElsewhere},
		"has been gone":  &region.Left{Player: player, Reason: region.LeftClosed},
		"has no time":    &region.Refused{Player: player, Code: string(wire.Busy)},
		"is not at home": &region.Refused{Player: player},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newHomeBed(t)
				const seconds = 10
				for range seconds {
					for range 100 {
						b.say(m)
					}
					b.step()
				}
				b.f.mu.Lock()
				defer b.f.mu.Unlock()
				if most := 2 + entriesAtOnce + seconds; b.f.enters > most {
					t.Errorf("entered %d times, want at most %d", b.f.enters, most)
				}
				if most := 20 + rewatchesAtOnce + seconds*rewatchesPerSecond; len(b.f.watches) > most {
					t.Errorf("watched %d times, want at most %d", len(b.f.watches), most)
				}
			})
		})
	}
}
