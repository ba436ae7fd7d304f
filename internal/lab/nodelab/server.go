package nodelab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// Server is a node in this process with a new world in a temporary folder. The
// lab does nothing else meanwhile, so the CPU time of this process is the
// node's.
type Server struct {
	*host.Host
	dir string
}

func startServer(seed uint64) (*Server, error) {
	return StartServerWith(seed, func(*host.Config) {})
}

// StartServerWith is startServer with other settings.
func StartServerWith(seed uint64, change func(*host.Config)) (*Server, error) {
	dir, err := os.MkdirTemp("", "voxelpopuli-lab-")
	if err != nil {
		return nil, err
	}
	cfg := host.Config{
		Data: dir, World: "lab", Create: true, Seed: strconv.FormatUint(seed, 10), Mode: "creative",
		Port: -1, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	change(&cfg)
	h, err := host.Start(cfg)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &Server{h, dir}, nil
}

func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	err := s.Host.Close(ctx)
	if rerr := os.RemoveAll(s.dir); err == nil {
		err = rerr
	}
	return err
}

// Seed is the world's seed as a number.
func (s *Server) Seed() uint64 { m := s.World(); return m.SeedNumber() }

// homes returns the middles of n columns around the middle of the spawn's
// region, across columns to a row.
func (s *Server) homes(n, across int) []world.Pos {
	m := s.World()
	middle := m.Spawn.Region().Column(5) // column 1, 1 of the region
	out := make([]world.Pos, n)
	for i := range out {
		c := world.ColumnPos{X: middle.X + int32(i%across-(across-1)/2), Z: middle.Z + int32(i/across)}
		if n > across {
			c.Z -= int32((n/across - 1) / 2)
		}
		out[i] = c.Origin().Add(world.ChunkSize/2, 80, world.ChunkSize/2)
	}
	return out
}

// reading is the state of the node at one moment.
type reading struct {
	at      time.Time
	cpu     time.Duration
	machine time.Duration // of all programs
	loop    transport.Stats
	node    node.Stats
}

func (s *Server) read(ctx context.Context) (r reading, err error) {
	if r.loop, err = s.LoopStats(ctx); err != nil {
		return r, err
	}
	r.node, err = s.Stats(ctx)
	r.at, r.cpu = time.Now(), lab.CPUTime()
	r.machine, _ = lab.MachineCPU()
	return r, err
}

// Window is what the node did between two readings.
type Window struct {
	Seconds  float64
	CPU      float64 // cores
	Machine  float64 // cores that all programs of this machine used; 0: not known
	TickP50  float64 // ms: ticks of the busiest region
	TickP99  float64
	LateP99  float64 // ms: how late timers fired
	Missed   float64 // share of the busiest region's ticks that were left out
	Heap     float64 // MB
	Resident float64
	Routines int
	Regions  int
}

// Watch lets the node work for a while and says how it did.
func (s *Server) Watch(ctx context.Context, d time.Duration) (Window, error) {
	before, err := s.read(ctx)
	if err != nil {
		return Window{}, err
	}
	select {
	case <-ctx.Done():
		return Window{}, ctx.Err()
	case <-time.After(d):
	}
	after, err := s.read(ctx)
	if err != nil {
		return Window{}, err
	}
	mem := lab.ReadMemory()
	w := Window{
		Seconds: after.at.Sub(before.at).Seconds(),
		Heap:    mem.Heap, Resident: mem.Resident,
		Routines: runtime.NumGoroutine(), Regions: len(after.node.Regions),
	}
	w.CPU = (after.cpu - before.cpu).Seconds() / w.Seconds
	w.Machine = (after.machine - before.machine).Seconds() / w.Seconds
	timer, late := after.loop.Timer.Since(&before.loop.Timer), after.loop.Late.Since(&before.loop.Late)
	ticks, missed := busiest(&before.node, &after.node)
	w.TickP50, w.TickP99 = slowest(&timer, ticks, 0.5), slowest(&timer, ticks, 0.99)
	w.LateP99 = Milliseconds(late.Quantile(0.99))
	w.Missed = lab.Finite(float64(missed) / float64(ticks+missed))
	return w, nil
}

// busiest returns how many ticks the region with the most players ran and left
// out.
func busiest(before, after *node.Stats) (ticks, missed uint64) {
	players := -1
	for _, r := range after.Regions {
		if r.Figures.Players <= players {
			continue
		}
		players = r.Figures.Players
		ticks, missed = r.Figures.Ticks, r.Figures.TicksMissed
		for _, b := range before.Regions {
			if b.Pos == r.Pos && b.Figures.Ticks <= ticks {
				ticks -= b.Figures.Ticks
				missed -= b.Figures.TicksMissed
			}
		}
	}
	return ticks, missed
}

// slowest returns a quantile in milliseconds of the n slowest of all timers.
// The timers of a node are the ticks of all its regions; those of the busiest
// are taken to be the slowest, which errs on the careful side.
func slowest(timers *transport.Histogram, n uint64, q float64) float64 {
	if timers.Count == 0 {
		return 0
	}
	share := min(1, float64(n)/float64(timers.Count))
	return Milliseconds(timers.Quantile(1 - (1-q)*share))
}

func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Under lets the node work while it is attacked, and says how it did and how much
// memory it had at most.
func (s *Server) Under(ctx context.Context, d time.Duration, watched <-chan error, ended <-chan error) (w Window, peak float64, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		w, err = s.Watch(ctx, d)
	}()
	for tick := time.NewTicker(500 * time.Millisecond); ; {
		select {
		case <-done:
			return w, peak, err
		case err := <-watched:
			return w, peak, fmt.Errorf("the player who does nothing: %w", err)
		case err := <-ended:
			return w, peak, fmt.Errorf("the editor was thrown out: %w", err)
		case <-s.Failed():
			return w, peak, errors.New("the node has crashed")
		case <-tick.C:
			peak = max(peak, lab.ReadMemory().Resident)
		}
	}
}
