// Package transport is the real driver of machines: one goroutine, the loop,
// owns a node's machine and calls its handlers one at a time, with the real
// clock. Sessions in the same process reach the machine through links (Dial);
// jobs run on a pool of workers and come back as OnDone on the loop. With a
// NetConfig it reaches other nodes: links over QUIC, datagrams in Noise sessions,
// both through one UDP port (docs/protocols/transport.md).
//
// Invariants:
//   - one goroutine at a time touches the machine: the loop, or while that
//     sleeps the reader of the UDP port, which has the loop's turn meanwhile;
//     Call is the way for others to look;
//   - messages of a link arrive in the order in which they were sent;
//   - jobs of one queue run one after the other, in the order given;
//   - after Done is closed nothing runs any more: the disk may be closed.
//
// A panic in a handler is a broken invariant: it is logged with its stack, the
// loop stops, every link fails, and Err says why.
package transport

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/core/timing"
	"github.com/voxelpopuli/voxelpopuli/internal/net/clock"
)

// Disk is the disk port. *disk.Store is one.
type Disk interface {
	Read(machine.DiskRead) ([]machine.KV, error)
	// Write calls done exactly once, from a goroutine of its own, when the
	// write is synced or has failed.
	Write(w machine.DiskWrite, done func(error))
}

// Config says what a loop drives, and with what. Only Machine is needed.
type Config struct {
	// Machine builds the machine around its Env. It is called on the loop.
	Machine func(machine.Env) machine.Machine
	Disk    Disk
	// Clock is the node's time, which never goes back; nil: a clock.Clock that
	// nobody corrects.
	Clock   func() machine.Time
	Seed    uint64 // of the node's Rand; 0: drawn from the system's random numbers
	Workers int    // for Work jobs; 0: one less than there are CPUs, at least 1
	Queue   int    // messages that may wait for a session; 0: DefaultQueue
	// Patience is how long a session's queue may stay more than half full
	// before its link fails; 0: DefaultPatience.
	Patience time.Duration
	Log      *slog.Logger // nil: slog.Default()
	Net      *NetConfig   // nil: a node without a network
}

// Defaults of Config.
const (
	DefaultQueue    = 1024
	DefaultPatience = 20 * time.Second
)

// ErrPanic is what Err wraps after a handler has panicked.
var ErrPanic = errors.New("a handler of the node panicked")

// Loop drives one machine.
type Loop struct {
	cfg Config
	log *slog.Logger

	mu     sync.Mutex // guards what follows
	inbox  []event
	asleep bool
	dialed map[id.ID]*Link

	wake chan struct{}
	done chan struct{}
	err  error // set before done is closed

	turn   sync.Mutex  // held by whoever runs handlers
	wanted atomic.Bool // the loop waits for turn
	late   atomic.Bool // strain is on

	// Only the holder of turn touches these.
	until    machine.Time  // when the loop means to wake by itself
	strain   timing.Strain // of timers that are late
	m        machine.Machine
	now      machine.Time
	rand     rng.Rand
	timers   timerHeap
	links    map[machine.Peer]*Link
	dirty    []*Link // have messages that their sessions were not woken for
	later    []event // made by handlers for this very machine
	visitors []event // handled on another goroutine (here)
	jobs     jobs
	net      *network    // nil: none
	alarm    *time.Timer // used again for each sleep
	stopping bool
	stats    stats
}

// seed is one that nobody can guess: nodes draw auditors by their own numbers.
func seed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.BigEndian.Uint64(b[:])
}

// Start starts a loop.
func Start(cfg Config) *Loop {
	if cfg.Workers <= 0 {
		cfg.Workers = max(1, runtime.GOMAXPROCS(0)-1)
	}
	if cfg.Queue <= 0 {
		cfg.Queue = DefaultQueue
	}
	if cfg.Patience <= 0 {
		cfg.Patience = DefaultPatience
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.New().Now
	}
	if cfg.Seed == 0 {
		cfg.Seed = seed()
	}
	l := &Loop{
		cfg: cfg, log: cfg.Log,
		dialed: map[id.ID]*Link{}, links: map[machine.Peer]*Link{},
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	l.rand = rng.New(cfg.Seed)
	l.jobs.init(l)
	l.turn.Lock() // the loop's, and given up only while it sleeps
	if cfg.Net != nil {
		l.net = startNetwork(l, *cfg.Net)
	}
	go l.run()
	return l
}

func (l *Loop) clock() machine.Time { return l.cfg.Clock() }

// Call runs fn on the loop, between two handlers, and waits for it. It is how
// others read the machine's state or tell it something that is no message. After an
// error fn has not run and will not: what fn writes can be read in any case.
func (l *Loop) Call(ctx context.Context, fn func()) error {
	var taken atomic.Bool // by the loop, to run it, or by the caller, who waits no longer
	ran := make(chan struct{})
	l.post(event{kind: evCall, fn: func() {
		if taken.CompareAndSwap(false, true) {
			fn()
			close(ran)
		}
	}})
	select {
	case <-ran:
		return nil
	case <-ctx.Done():
		if taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
	case <-l.done:
	}
	select { // fn runs, or ran, or broke the loop, or the loop ended before it
	case <-ran:
		return nil
	case <-l.done:
	}
	select {
	case <-ran:
		return nil
	default:
		return machine.ErrStopped
	}
}

// Stop ends the loop: what is in the inbox is still handled, then the links are
// closed and the running jobs waited for. Stop returns when all that is done.
func (l *Loop) Stop() error {
	l.post(event{kind: evStop})
	<-l.done
	return l.err
}

// Done is closed once the loop has stopped and no job runs any more.
func (l *Loop) Done() <-chan struct{} { return l.done }

// Err says why the loop stopped, nil if it was asked to. Valid after Done.
func (l *Loop) Err() error { return l.err }

// Strained reports whether the loop does not keep up with its timers. Anybody may
// ask.
func (l *Loop) Strained() bool { return l.late.Load() }

// post puts events into the inbox, waking the loop if it sleeps.
func (l *Loop) post(e ...event) {
	l.mu.Lock()
	l.inbox = append(l.inbox, e...)
	l.unlock()
}

// unlock unlocks mu and ends the loop's sleep.
func (l *Loop) unlock() {
	wake := l.asleep
	l.asleep = false
	l.mu.Unlock()
	if wake {
		l.wake <- struct{}{} // never blocks: asleep was true once
	}
}
