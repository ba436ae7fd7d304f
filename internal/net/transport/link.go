package transport

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Errors of links.
var (
	ErrInUse  = errors.New("there is a link with this id already")
	ErrClosed = errors.New("the link is closed")
	ErrFailed = errors.New("the link has failed")
	ErrBusy   = errors.New("the node is too busy to take more messages")
)

// maxInflight bounds the messages of one link that wait for the loop.
const maxInflight = 1024

// Link is a session's end of an in-process link to the machine. The machine
// sees the session as a Peer with the dialled id and a zero Addr. (A link to
// another node is one as well, with a remote in the session's place.)
//
// One goroutine reads: it waits on Ready and then calls Take until that has
// nothing more. Send and Close may be called from any goroutine.
type Link struct {
	loop     *Loop
	peer     machine.Peer
	far      *remote // the connection to another node; nil: a session takes
	ready    chan struct{}
	inflight atomic.Int32
	known    bool // it is in loop.links; only the loop touches it

	mu    sync.Mutex
	out   []machine.Message // waiting for Take
	taken int               // out of out, but not sent yet
	since machine.Time      // since when out is more than half full, 0: it is not
	state machine.LinkEvent // LinkUp, LinkClosed or LinkFailed
	dirty bool              // the loop will call notify
}

// Dial opens a link. The machine hears of it as LinkUp; messages may be sent at
// once.
func (l *Loop) Dial(who id.ID) (*Link, error) {
	k := &Link{loop: l, peer: machine.Peer{ID: who}, ready: make(chan struct{}, 1), state: machine.LinkUp}
	l.mu.Lock()
	switch {
	case l.dialed == nil:
		l.mu.Unlock()
		return nil, machine.ErrStopped
	case l.dialed[who] != nil:
		l.mu.Unlock()
		return nil, fmt.Errorf("%w: %s", ErrInUse, who.Short())
	}
	l.dialed[who] = k
	l.mu.Unlock()
	l.post(event{kind: evUp, link: k})
	return k, nil
}

// Peer is how the machine sees this link's session.
func (k *Link) Peer() machine.Peer { return k.peer }

// Send gives a message to the machine; it is frozen from here on.
func (k *Link) Send(m machine.Message) error {
	k.mu.Lock()
	state := k.state
	k.mu.Unlock()
	if state != machine.LinkUp {
		return stateErr(state)
	}
	if k.inflight.Add(1) > maxInflight {
		k.inflight.Add(-1)
		return ErrBusy
	}
	k.loop.post(event{kind: evMessage, link: k, body: m})
	return nil
}

// Ready gets a value when there is something to Take: messages or the end.
func (k *Link) Ready() <-chan struct{} { return k.ready }

// Poke lets Ready have a value although nothing has come.
func (k *Link) Poke() {
	select {
	case k.ready <- struct{}{}:
	default:
	}
}

// Take returns what has arrived, appended to buf[:0], which is reused for the
// next messages: give the slice of the last call back. Once everything was
// taken from a link that has ended it returns ErrClosed or ErrFailed.
func (k *Link) Take(buf []machine.Message) ([]machine.Message, error) {
	clear(buf)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.out) == 0 {
		return buf[:0], stateErr(k.state)
	}
	got := k.out
	k.out, k.since = buf[:0], 0
	if k.state != machine.LinkUp {
		k.wakeReader() // for the end, which is to be taken yet
	}
	return got, nil
}

// Close ends the link; the machine hears LinkClosed after the messages that
// were sent before.
func (k *Link) Close() { k.hangUp(machine.LinkClosed) }

// hangUp ends the link from the session's side. The machine's event is in the
// inbox before the id is free: a new link with it comes after.
func (k *Link) hangUp(how machine.LinkEvent) {
	if k.end(how) {
		k.loop.post(event{kind: evGone, link: k, gone: how})
		k.free()
	}
}

// cut ends the link from the loop's side. The id is free before the session
// can know of the end: it may dial again at once.
func (k *Link) cut(how machine.LinkEvent) bool {
	k.free()
	return k.end(how)
}

// end marks the link as ended; false if it was already.
func (k *Link) end(how machine.LinkEvent) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.state != machine.LinkUp {
		return false
	}
	k.state = how
	k.wakeReader()
	return true
}

// handled is when the loop takes a message of this link out of its inbox.
func (k *Link) handled(size int32) {
	n := k.inflight.Add(-1)
	if k.far != nil {
		k.far.handled(n, size)
	}
}

// ready lets others dial with the link's id.
func (k *Link) free() {
	k.loop.mu.Lock()
	defer k.loop.mu.Unlock()
	if k.loop.dialed[k.peer.ID] == k {
		delete(k.loop.dialed, k.peer.ID)
	}
}

// push queues a message for the session; only the loop calls it. A queue that
// is full, or was more than half full for too long, fails the link.
func (k *Link) push(m machine.Message) {
	l := k.loop
	k.mu.Lock()
	if k.state != machine.LinkUp {
		k.mu.Unlock()
		return
	}
	k.out = append(k.out, m)
	n := len(k.out) + k.taken
	if n > l.cfg.Queue/2 && k.since == 0 {
		k.since = l.now
	}
	slow := n > l.cfg.Queue || k.since != 0 && l.now.Sub(k.since) > l.cfg.Patience
	first := !k.dirty
	k.dirty = true
	k.mu.Unlock()
	if first {
		l.dirty = append(l.dirty, k)
	}
	if slow && k.cut(machine.LinkFailed) {
		l.stats.tooSlow++
		l.later = append(l.later, event{kind: evGone, link: k, gone: machine.LinkFailed})
	}
}

// notify wakes the reader; only the loop calls it.
func (k *Link) notify() {
	k.mu.Lock()
	k.dirty = false
	if k.far == nil || !k.far.sendBatches() {
		k.wakeReader()
	}
	k.mu.Unlock()
}

// wakeReader lets the session, or the connection's writer, take what waits. It
// holds mu.
func (k *Link) wakeReader() {
	if k.far != nil {
		k.far.wake()
		return
	}
	k.Poke()
}

func stateErr(s machine.LinkEvent) error {
	switch s {
	case machine.LinkClosed:
		return ErrClosed
	case machine.LinkFailed:
		return ErrFailed
	}
	return nil
}
