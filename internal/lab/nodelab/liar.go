package nodelab

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Liar is a host for people who want to see how one that lies is caught: it hosts a world
// like any other, until it leads a region in which somebody has been for some time.
type Liar struct {
	Lie   string        // one of LieNames
	After time.Duration // how long somebody must have been in a region that it leads
	Out   io.Writer     // where it says what it does

	lying lyingNode
	told  func(at world.RegionPos, place world.Pos) // is called when it has lied; nil: nobody hears
}

// LieNames are the lies that the leader of a region can tell.
func LieNames() (names []string) {
	for _, l := range lies {
		if !l.follows && !l.restarts {
			names = append(names, l.name)
		}
	}
	return names
}

// Run hosts a world by a configuration that joins it, and lies once.
func (l *Liar) Run(ctx context.Context, cfg host.Config) error {
	if !slices.Contains(LieNames(), l.Lie) {
		return fmt.Errorf("%w: there is no lie %q, but these: %q", host.ErrUsage, l.Lie, LieNames())
	}
	l.lying.around(&cfg.Faults)
	h, err := host.Start(cfg)
	if err != nil {
		return err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		_ = h.Close(end) // what it has is nobody's
	}()
	fmt.Fprintf(l.Out, "This node hosts a share of the world. It lies once somebody has been for %v in a region that it leads.\n", l.After)
	return l.wait(ctx, h)
}

// wait looks each second who is where, until ctx ends.
func (l *Liar) wait(ctx context.Context, h *host.Host) error {
	since, lied := map[world.RegionPos]time.Time{}, false
	for {
		s, err := h.Stats(ctx)
		if err != nil {
			return ctx.Err()
		}
		for i := range s.Regions {
			at := s.Regions[i].Pos
			if s.Regions[i].Figures.Players == 0 {
				delete(since, at)
				continue
			}
			if since[at].IsZero() {
				since[at] = time.Now()
				fmt.Fprintf(l.Out, "This node leads the region %d,%d, where somebody is.\n", at.X, at.Z)
			}
			if !lied && time.Since(since[at]) >= l.After {
				lied = l.lie(ctx, h, at)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
		}
	}
}

// lie tells the lie where the first player of a region stands.
func (l *Liar) lie(ctx context.Context, h *host.Host, at world.RegionPos) (told bool) {
	var place world.Pos
	var players []id.ID
	err := h.WithArea(ctx, at, func(a *regionlog.Area) {
		for _, p := range a.Players() {
			players = append(players, p.ID)
		}
		if list := a.Players(); len(list) > 0 {
			place, told = list[0].Body.Pos.Block().Add(0, -1, 0), true
		}
	})
	if err == nil && told {
		err = l.lying.tell(h, &NodeOrder{Lie: l.Lie, Region: &at, Place: &place, Players: players})
	}
	if err != nil {
		told = false
	}
	if told {
		fmt.Fprintf(l.Out, "It has lied about the region %d,%d: it %s, at x %d, y %d, z %d.\n", at.X, at.Z, l.Lie, place.X, place.Y, place.Z)
		if l.told != nil {
			l.told(at, place)
		}
	}
	return told
}
