package bot

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// run is a run of bots.
type run struct {
	cfg  Config
	copy *client.Copy

	receivers sync.WaitGroup
	door      sync.WaitGroup

	mu      sync.Mutex
	first   error // that a bot did not come in for
	outside []int // bots that wait because the world is full
	gather  *world.Vec
	bots    []*bot
	drivers []*driver
	sum     Summary
	sites   []world.Pos // of houses
}

// Run lets bots play until the duration is over or ctx ends, whichever comes
// first. Who finds the world full waits until there is room; the time begins when
// everybody is in or waits, and somebody is in. The error says why not a single bot came in, or what is wrong with the
// configuration; what happens to single bots is in the summary.
func Run(ctx context.Context, cfg Config) (Summary, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return Summary{}, err
	}
	r := &run{cfg: cfg, copy: client.NewCopy()}
	r.sum.Refusals, r.sum.Errors = map[string]int{}, map[string]int{}
	if g := cfg.Gather; g != nil {
		v := g.Centre()
		r.gather = &v
	}
	driving, stop := context.WithCancel(context.Background())
	var drivers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		d := &driver{run: r}
		r.drivers = append(r.drivers, d)
		drivers.Go(func() { d.drive(driving) })
	}
	defer func() {
		stop()
		drivers.Wait()
		for _, b := range r.bots {
			b.Leave() // may have gone already
		}
		for _, b := range r.bots {
			b.Close()
		}
		r.receivers.Wait()
	}()
	coming, turnAway := context.WithCancel(ctx)
	defer r.door.Wait() // before the others leave
	defer turnAway()
	watch := newWatch(r)
	r.join(coming, watch)
	for r.nobody() && ctx.Err() == nil {
		watch.pause(ctx, 100*time.Millisecond)
	}
	if err := r.inVain(); err != nil {
		return r.summary(), err
	}
	watch.measure(ctx)
	return r.summary(), nil
}

// nobody reports whether nobody is in yet, but somebody waits to come in.
func (r *run) nobody() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bots) == 0 && len(r.outside) > 0
}

// inVain is why not a single bot came in, nil if one did.
func (r *run) inVain() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.bots) > 0 {
		return nil
	}
	return r.first
}

// summary is a copy of what the run has shown: who waits may still come in.
func (r *run) summary() Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sum
	s.Refusals, s.Errors = maps.Clone(s.Refusals), maps.Clone(s.Errors)
	return s
}

// joiners is how many bots may be on their way in at a time.
const joiners = 32

// join lets the bots come in at the ramp's pace.
func (r *run) join(ctx context.Context, w *watch) {
	var wait sync.WaitGroup
	slots := make(chan struct{}, joiners)
	next := time.Now()
	for i := range r.cfg.Players {
		for ctx.Err() == nil && time.Now().Before(next) {
			w.pause(ctx, time.Until(next))
		}
		next = next.Add(time.Duration(float64(time.Second) / r.cfg.Ramp))
		if !w.slot(ctx, slots) {
			break
		}
		wait.Go(func() {
			defer func() { <-slots }()
			err := r.joinOne(ctx, i)
			if err == nil || ctx.Err() != nil {
				return
			}
			if why, is := full(err); is {
				r.wait(ctx, i, why)
				return
			}
			r.notIn(err)
		})
	}
	done := make(chan struct{})
	go func() { wait.Wait(); close(done) }()
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			<-done // soon: joining ends with ctx
			return
		default:
			w.pause(ctx, 100*time.Millisecond)
		}
	}
}

func (r *run) name(i int) string { return fmt.Sprintf("%s %d", r.cfg.Name, i+1) }

func (r *run) joinOne(ctx context.Context, i int) error {
	who, err := r.cfg.Identity(r.name(i))
	if err != nil {
		return err
	}
	conn, welcome, err := r.cfg.Join(ctx, who)
	if err != nil {
		return err
	}
	b := &bot{run: r, rng: rng.New(r.cfg.Seed, uint64(i))}
	b.Mirror = client.NewMirror(conn, welcome, client.Options{Copy: r.copy, Count: true})
	b.steps = b.rng.Intn(pingEvery)
	r.mu.Lock()
	if r.gather == nil {
		v := welcome.Pos
		r.gather = &v
	}
	b.mind = r.newMind(b)
	r.bots = append(r.bots, b)
	r.sum.Players++
	d := r.drivers[len(r.bots)%len(r.drivers)]
	r.mu.Unlock()
	r.receivers.Go(b.receive)
	if err := b.View(r.cfg.View, 0); err != nil {
		return err
	}
	d.add(b)
	return nil
}

// newMind makes a behaviour; the lock is held.
func (r *run) newMind(b *bot) mind {
	switch r.cfg.Behaviour {
	case "build":
		return &builder{}
	case "crowd":
		return newCrowd(b, *r.gather)
	case "mine":
		return &miner{}
	}
	return &wanderer{home: b.Welcome().Pos}
}

// plot is how far apart houses are, in blocks.
const plot = 10

// claim takes a site for a house, unless another bot builds too near.
func (r *run) claim(site world.Pos) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sites {
		if abs(s.X-site.X) < plot && abs(s.Z-site.Z) < plot {
			return false
		}
	}
	r.sites = append(r.sites, site)
	return true
}

// count changes the summary.
func (r *run) count(change func(*Summary)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.sum)
}

func (r *run) refused(c wire.Code) { r.count(func(s *Summary) { s.Refusals[string(c)]++ }) }
func (r *run) failed(err error)    { r.count(func(s *Summary) { s.Errors[reasonOf(err)]++ }) }
