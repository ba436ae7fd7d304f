package bot_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/bot"
	"github.com/voxelpopuli/voxelpopuli/internal/app/client/clienttest"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// play runs bots in a world of their own, until enough is seen or the time is
// over.
func play(t *testing.T, mode world.Mode, cfg bot.Config, seconds int, enough func(bot.Progress) bool) bot.Summary {
	t.Helper()
	t.Parallel()
	w := clienttest.Start(t, mode)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cfg.Join, cfg.Ramp, cfg.Duration = w.Node.Join, 100, time.Duration(seconds)*time.Second
	cfg.Progress = func(p bot.Progress) {
		if enough != nil && enough(p) {
			cancel()
		}
	}
	sum, err := bot.Run(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if testing.Verbose() {
		sum.Print(os.Stdout)
	}
	if sum.Failed+sum.Lost > 0 || len(sum.Errors) > 0 {
		t.Errorf("%d failed, %d lost: %v", sum.Failed, sum.Lost, sum.Errors)
	}
	return sum
}

func edited(n int) func(bot.Progress) bool { return func(p bot.Progress) bool { return p.Edits >= n } }

func TestWander(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	sum := play(t, world.Survival, bot.Config{Players: 5, Chatter: time.Second}, 4, nil)
	if sum.MovesMade == 0 || sum.MovesGot == 0 || sum.FrameRate < 5 || sum.RoundTrip.N == 0 {
		t.Errorf("%+v", sum)
	}
}

func TestCrowdSeesItsMoves(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	sum := play(t, world.Survival, bot.Config{Players: 20, Behaviour: "crowd"}, 4, nil)
	if sum.Delivered < 0.3 { // next to 1 on a machine that has time for it
		t.Errorf("%.1f %% delivered: %+v", 100*sum.Delivered, sum)
	}
}

func TestBuildersRaiseHouses(t *testing.T) {
	slowtest.Skip(t, "a house takes half a minute")
	sum := play(t, world.Creative, bot.Config{Players: 4, Behaviour: "build"}, 180, func(p bot.Progress) bool { return p.Houses > 0 })
	if sum.Houses == 0 {
		t.Errorf("%+v", sum)
	}
}

func TestBuildersFindTheirMaterial(t *testing.T) {
	slowtest.Skip(t, "takes longer than five seconds")
	sum := play(t, world.Survival, bot.Config{Players: 4, Behaviour: "build"}, 60, edited(20))
	if sum.Edits == 0 {
		t.Errorf("%+v", sum)
	}
}

func TestMinersDig(t *testing.T) {
	sum := play(t, world.Creative, bot.Config{Players: 4, Behaviour: "mine"}, 60, edited(20))
	if sum.Edits == 0 || sum.Tunnelled == 0 {
		t.Errorf("%+v", sum)
	}
}

func TestUnknownBehaviour(t *testing.T) {
	if _, err := bot.Run(context.Background(), bot.Config{Behaviour: "fly"}); err == nil {
		t.Error("no error")
	}
}

func TestNobodyAnswers(t *testing.T) {
	sum, err := bot.Run(context.Background(), bot.Config{Players: 1, Addr: "127.0.0.1:1", Duration: time.Second})
	if err == nil || sum.Players != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
}
