// Package machine is the contract that every protocol of the project is
// written to: event-driven state with no sockets, no goroutines, no wall clock
// and no global randomness. Two drivers run the same code: the simulator and
// the real transport (docs/architecture.md).
//
// Invariants of the contract:
//   - a driver calls one handler of a machine at a time;
//   - Env.Now is constant within a handler;
//   - a message given to Send is frozen from then on, for both sides;
//   - Env methods are fire-and-forget and never re-enter the machine.
package machine

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// Time is a node's local clock in nanoseconds. On real nodes it is Unix time;
// in the simulator it begins at zero.
type Time int64

// Add returns t moved by d.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// Sub returns the time from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Addr is an IPv6 (or mapped IPv4) address and a port, comparable and without
// pointers. The zero Addr is a peer inside the same process.
type Addr [18]byte

// Peer is another party: a node, or a player's session.
type Peer struct {
	ID   id.ID
	Addr Addr
}

// Message is a frozen plain value or a pointer to a frozen struct.
type Message any

// LinkEvent says what happened to a link that was opened or accepted.
type LinkEvent uint8

// The life of a link.
const (
	LinkUp     LinkEvent = iota + 1 // open in both directions
	LinkClosed                      // closed by either side in an orderly way
	LinkFailed                      // lost, refused or timed out
)

// Timer is a plain value that comes back when its time has come. Kind and
// fields are the machine's own; a machine that re-arms a timer raises Gen and
// ignores older generations.
type Timer struct {
	Kind uint16
	Gen  uint32
	Arg  uint64
}

// Env is what a driver gives to a machine.
type Env interface {
	Now() Time
	Rand() *rng.Rand
	Send(to Peer, m Message)
	SetTimer(at Time, t Timer)
	Open(to Peer)
	// Close ends a link: for the caller at once and without an event, for the
	// far end (LinkClosed) after what was sent before.
	Close(to Peer)
	// Do hands a job to a port (disk, terrain, signatures). It runs outside the
	// handler, perhaps on another CPU, and its result comes back by OnDone with
	// the same tag. Jobs given with the same non-empty queue name run in order.
	Do(queue string, tag uint64, job Job)
}

// Job is work for a port: a plain value that names what is to be done; the
// driver knows how. See the packages that declare jobs.
type Job any

// Machine is a protocol.
type Machine interface {
	Start()
	OnMessage(from Peer, m Message)
	OnTimer(t Timer)
	OnLink(peer Peer, ev LinkEvent)
	// OnDone reports a finished job: its result, or why there is none.
	OnDone(tag uint64, result any, err error)
}
