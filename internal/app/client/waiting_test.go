package client

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// leaderless is a node that finds no lobby, and says why.
type leaderless struct {
	env machine.Env
	why lobby.Waiting
}

func (l *leaderless) Start()                                      {}
func (l *leaderless) OnTimer(machine.Timer)                       {}
func (l *leaderless) OnLink(machine.Peer, machine.LinkEvent)      {}
func (l *leaderless) OnDone(uint64, any, error)                   {}
func (l *leaderless) OnMessage(p machine.Peer, _ machine.Message) { l.env.Send(p, &l.why) }

// TestReasonToWait: whoever waits to come in hears why, as the node knows it, and is
// asked to come again for the same reason.
func TestReasonToWait(t *testing.T) {
	since := time.Date(2026, 3, 1, 21, 4, 0, 0, time.Local)
	for _, c := range []struct {
		why  lobby.Waiting
		says string
	}{
		{lobby.Waiting{Lobby: true, Code: wire.Silent, Since: machine.Time(since.UnixNano())}, "21:04"},
		{lobby.Waiting{Lobby: true, Code: wire.NoNodes}, "No other node"},
		{lobby.Waiting{Code: wire.NoRoom}, "room"},
		{lobby.Waiting{Code: wire.Starting}, "starting"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := &leaderless{why: c.why}
			loop := transport.Start(transport.Config{Machine: func(env machine.Env) machine.Machine { l.env = env; return l }})
			n := NewNode(Config{Node: loop, Terrain: terrain.New(1)})
			told := 0
			_, err := n.Enter(context.Background(), Login{Player: id.Of([]byte("A")), Name: "A", Waits: func(why *wire.Notice) {
				if told++; why.Code != c.why.Code || !strings.Contains(why.Text, c.says) {
					t.Errorf("%s: told %+v, want a text with %q", c.why.Code, why, c.says)
				}
			}})
			var why *wire.Refused
			if !errors.As(err, &why) || why.Code != c.why.Code || !strings.Contains(why.Text, c.says) || why.Retry == 0 || told < 10 {
				t.Errorf("%s: told %d times, then refused with %v", c.why.Code, told, err)
			}
			_ = loop.Stop()
			time.Sleep(time.Minute)
		})
	}
}

func TestClockTime(t *testing.T) {
	now := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	for hours, want := range map[time.Duration]string{1: "07:00", 9: "1 March 23:00"} {
		if got := clockTime(machine.Time(now.Add(-hours*time.Hour).UnixNano()), now); got != want {
			t.Errorf("%d hours ago: %q, want %q", hours, got, want)
		}
	}
}
