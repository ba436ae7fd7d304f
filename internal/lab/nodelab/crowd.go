package nodelab

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/pprof"
	"slices"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// A crowd is many walkers in a process of their own.

// crowdOrder is what the lab says to a crowd, one JSON object a line. Every
// order is answered by a crowdReport once it has been carried out.
type crowdOrder struct {
	Addr  string        `json:",omitempty"` // the first order: where to go,
	Seed  uint64        `json:",omitempty"` // the world's seed,
	Homes []world.Pos   `json:",omitempty"` // and around which places to walk, in turn
	Above int           `json:",omitempty"` // and by which names: of the walkers with higher numbers
	Join  int           `json:",omitempty"` // so many more
	Leave int           `json:",omitempty"` // so many fewer, the oldest first
	Pause time.Duration `json:",omitempty"` // between two that join
}

// crowdReport says what happened since the last report.
type crowdReport struct {
	tally
	Players int // now
	Decoder int // of them count the moves in frames
	Lost    int // whose connection ended
	Back    int // times that somebody was sent away for a while, and came back
	Seconds float64
	CPU     float64 // seconds that the crowd's process used
	Error   string  // why the last one was lost or could not join
}

// decoders is how many walkers of a crowd count the moves in frames: enough to
// know what is delivered, few enough to leave the CPU to the node.
const decoders = 100

// joining is how many walkers join at the same time.
const joining = 4

// crowd is the state of the child process.
type crowd struct {
	order  crowdOrder // the first
	enter  door
	label  func(ctx context.Context, number int) context.Context // of what a walker does; nil: none
	land   *Land
	heads  bool        // nobody asks for moves: of frames only the heads are read
	loyal  bool        // who is told to come back later does, as a browser does
	tour   []world.Vec // that all fly, in turn from one end or the next; nil: they stay at home
	mu     sync.Mutex
	all    []*walker
	joined int // ever
	since  time.Time
	cpu    time.Duration
	lost   int
	back   int // times that somebody has come back
	why    error
}

func crowdMain(in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := &crowd{since: time.Now()}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var o crowdOrder
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		if o.Addr != "" {
			c.begin(ctx, o, func(ctx context.Context, who client.Identity, _ int) (client.Conn, *wire.Welcome, error) {
				return client.Dial(ctx, o.Addr, who, "")
			})
		}
		c.join(ctx, o.Join, o.Pause)
		c.leave(o.Leave)
		if err := json.NewEncoder(out).Encode(c.report()); err != nil {
			return err
		}
	}
	c.leave(len(c.all))
	return lines.Err()
}

// begin readies a crowd for its first order.
func (c *crowd) begin(ctx context.Context, first crowdOrder, enter door) {
	c.order, c.enter = first, enter
	c.land = NewLand(first.Seed)
	for i := range pacers {
		go c.pace(ctx, i)
	}
}

// join adds walkers.
func (c *crowd) join(ctx context.Context, n int, pause time.Duration) {
	turn := make(chan struct{}, joining)
	var wait sync.WaitGroup
	for range n {
		turn <- struct{}{}
		number := c.joined
		c.joined++
		wait.Go(func() {
			defer func() { <-turn }()
			who, err := client.NewIdentity(fmt.Sprintf("walker %d", c.order.Above+number))
			if err == nil {
				err = c.let(ctx, who, number)
			}
			if err != nil {
				c.lose(err)
			}
		})
		time.Sleep(pause)
	}
	wait.Wait()
}

// let lets one walker in. A loyal one that is told to come back later does.
func (c *crowd) let(ctx context.Context, who client.Identity, number int) error {
	as := ctx
	if c.label != nil {
		as = c.label(ctx, number)
		pprof.SetGoroutineLabels(as)
		defer pprof.SetGoroutineLabels(ctx)
	}
	for tries := 1; ; tries++ {
		w, err := JoinWalker(ctx, c.enter, c.land, who, number, c.order.Homes[number%len(c.order.Homes)])
		if err == nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			w.as = as
			w.full = !c.heads && c.decoding() < decoders
			if c.tour != nil {
				w.tour, w.stream = slices.Clone(c.tour), &stream{}
			}
			c.all = append(c.all, w)
			go c.follow(ctx, w, who, number)
			return nil
		}
		if tries == mostTries || !c.later(ctx, err) {
			return err
		}
	}
}

// mostTries is how often a loyal walker asks to be let in.
const mostTries = 20

// comesBack reports whether a walker who is told that is to come back, and after
// how many seconds.
func (c *crowd) comesBack(err error) (seconds float64, will bool) {
	var no *wire.Refused
	if !c.loyal || !errors.As(err, &no) {
		return 0, false
	}
	return float64(no.Retry), no.Retry > 0
}

// later waits as long as a walker was told to. It reports whether it comes back.
func (c *crowd) later(ctx context.Context, err error) bool {
	seconds, will := c.comesBack(err)
	if !will {
		return false
	}
	c.mu.Lock()
	c.back++
	c.mu.Unlock()
	return lab.Sleep(ctx, lab.Duration(seconds)) == nil
}

// follow listens to what a walker is told, until it is sent away; then a loyal one
// comes back.
func (c *crowd) follow(ctx context.Context, w *walker, who client.Identity, number int) {
	err := w.Listen()
	c.mu.Lock()
	at := slices.Index(c.all, w)
	if _, will := c.comesBack(err); !will || at < 0 { // report finds it, or it was to leave
		c.mu.Unlock()
		return
	}
	c.all = slices.Delete(c.all, at, at+1)
	c.mu.Unlock()
	w.Conn.Close()
	if c.later(ctx, err) {
		err = c.let(ctx, who, number)
	}
	if err != nil && ctx.Err() == nil {
		c.lose(err)
	}
}

// lose counts a walker that is not in, and why.
func (c *crowd) lose(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost, c.why = c.lost+1, err
}

func (c *crowd) decoding() (n int) {
	for _, w := range c.all {
		if w.full {
			n++
		}
	}
	return n
}

// leave takes the oldest walkers away.
func (c *crowd) leave(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n = min(n, len(c.all))
	for _, w := range c.all[:n] {
		w.Conn.Close()
	}
	c.all = append([]*walker{}, c.all[n:]...)
}

// Walkers step 20 times a second, spread evenly over the tick in slots.
const (
	pacers = 2
	slots  = 10
)

// pace lets every pacers-th walker step.
func (c *crowd) pace(ctx context.Context, number int) {
	const gap = 50 * time.Millisecond / slots
	next := time.Now()
	var buf []byte
	var mine []*walker
	for slot := 0; ctx.Err() == nil; slot = (slot + 1) % slots {
		c.mu.Lock()
		mine = mine[:0]
		for i := number + pacers*slot; i < len(c.all); i += pacers * slots {
			mine = append(mine, c.all[i])
		}
		c.mu.Unlock()
		for _, w := range mine {
			if c.label != nil {
				pprof.SetGoroutineLabels(w.as)
			}
			buf, _ = w.Step(buf) // report finds those that ended
		}
		next = next.Add(gap)
		if late := time.Since(next); late > time.Second {
			next = time.Now() // no use catching up
		}
		time.Sleep(time.Until(next))
	}
}

// report counts, forgets walkers that ended, and begins to count anew.
func (c *crowd) report() crowdReport {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, cpu := time.Now(), lab.CPUTime()
	r := crowdReport{Seconds: now.Sub(c.since).Seconds(), CPU: (cpu - c.cpu).Seconds(), Lost: c.lost, Back: c.back}
	kept := c.all[:0]
	for _, w := range c.all {
		t, err := w.take()
		r.add(t)
		if _, will := c.comesBack(err); err != nil && !will {
			r.Lost++
			c.why = err
			w.Conn.Close()
			continue
		}
		kept = append(kept, w)
	}
	clear(c.all[len(kept):])
	c.all = kept
	if r.Players, r.Decoder = len(c.all), c.decoding(); r.Lost > 0 && c.why != nil {
		r.Error = c.why.Error()
	}
	c.since, c.cpu, c.lost, c.back = now, cpu, 0, 0
	return r
}
