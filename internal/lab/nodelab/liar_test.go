package nodelab

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestLiarLiesOnce: a liar waits until somebody is in a region that it leads, lies once, and
// says about what.
func TestLiarLiesOnce(t *testing.T) {
	slowtest.Skip(t, "starts a node")
	dir := t.TempDir()
	if err := FoundLab(dir, 1); err != nil {
		t.Fatal(err)
	}
	h, err := host.Start(LabConfig(dir, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	who, err := client.NewIdentity("Ann")
	if err != nil {
		t.Fatal(err)
	}
	ann, err := JoinMason(ctx, h.URL(), who, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer ann.Close()
	var said bytes.Buffer
	l := &Liar{Lie: "invents a block", After: 100 * time.Millisecond, Out: &said}
	told := make(chan world.RegionPos, 1)
	l.told = func(at world.RegionPos, place world.Pos) {
		if err := h.WithArea(ctx, at, func(a *regionlog.Area) {
			if b, _ := a.Block(place.Add(0, 12, 0)); b != world.GoldOre {
				t.Errorf("there is %v", b)
			}
		}); err != nil {
			t.Error(err)
		}
		told <- at
		stop()
	}
	if err := l.wait(ctx, h); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if len(told) != 1 || strings.Count(said.String(), "It has lied about") != 1 {
		t.Errorf("said %q", said.String())
	}
	if err := (&Liar{Lie: "whistles"}).Run(t.Context(), host.Config{}); !errors.Is(err, host.ErrUsage) {
		t.Errorf("what is no lie: %v", err)
	}
}
