package transport

import (
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// event is something for the loop: a plain value.
type event struct {
	kind uint8
	gone machine.LinkEvent // evGone: how the link ended
	size int32             // evMessage from another node: its bytes
	from machine.Peer      // evDatagram
	link *Link
	body machine.Message
	fn   func()
}

const (
	evMessage = iota + 1
	evDatagram
	evUp
	evGone
	evCall
	evStop
)

// flushEvery bounds how many events are handled before waiting sessions are
// woken and due timers looked for: a flood of messages delays no tick.
const flushEvery = 256

// run is the loop.
func (l *Loop) run() {
	defer l.finish()
	defer l.recover()
	l.tick()
	l.m = l.cfg.Machine(env{l})
	l.m.Start()
	l.drainLater()
	var batch []event
	for !l.stopping {
		l.fire()
		batch = l.next(batch[:0])
		l.stats.inbox = max(l.stats.inbox, len(batch))
		for i := range batch {
			l.handle(&batch[i])
			batch[i] = event{}
			if i%flushEvery == flushEvery-1 {
				l.flush()
				l.fire()
			}
		}
		l.flush()
	}
}

// longestSleep bounds how late a timer is when the clock jumps while the loop
// sleeps: the system's timers stand still while a machine is suspended.
const longestSleep = 5 * time.Second

// next takes what is in the inbox; if that is nothing it sleeps until there is
// something or the next timer is due.
func (l *Loop) next(buf []event) []event {
	l.mu.Lock()
	if len(l.inbox) > 0 {
		buf, l.inbox = l.inbox, buf
		l.mu.Unlock()
		return buf
	}
	wait, any := l.timers.wait(l.clock())
	if any && wait <= 0 {
		l.mu.Unlock()
		return buf
	}
	l.asleep = true
	l.mu.Unlock()
	l.until = machine.Time(math.MaxInt64)
	if any {
		l.until = l.timers.a[0].at
	}
	l.turn.Unlock()
	l.sleep(min(wait, longestSleep), any)
	l.wanted.Store(true)
	l.turn.Lock()
	l.wanted.Store(false)
	return buf
}

// here handles events on the goroutine of its caller, in the loop's place, if
// the loop sleeps; otherwise it posts them. To wake another goroutine would cost
// a datagram more than all the rest (decision 12). The
// loop may not have begun to handle what was posted before: these come behind it.
func (l *Loop) here(e ...event) {
	if !l.atOnce(e...) {
		l.post(e...)
	}
}

// atOnce is here for what is not to wait: it reports whether the loop slept, with
// nothing to do.
func (l *Loop) atOnce(e ...event) bool {
	if l.wanted.Load() || !l.turn.TryLock() {
		return false
	}
	l.mu.Lock()
	behind := len(l.inbox) > 0
	l.mu.Unlock()
	if behind || l.stopping {
		l.turn.Unlock()
		return false
	}
	l.visitors = append(l.visitors[:0], e...)
	l.visit(l.visitors)
	clear(l.visitors)
	awake := l.stopping || len(l.timers.a) > 0 && l.timers.a[0].at < l.until
	l.turn.Unlock()
	if awake {
		l.mu.Lock()
		l.unlock()
	}
	return true
}

// visit is one round of the loop. A panic stops the loop as everywhere.
func (l *Loop) visit(batch []event) {
	defer func() {
		if l.err != nil {
			l.stopping = true
		}
	}()
	defer l.recover()
	for i := range batch {
		l.handle(&batch[i])
	}
	l.flush()
}

func (l *Loop) sleep(wait time.Duration, timed bool) {
	if !timed {
		<-l.wake
		return
	}
	if l.alarm == nil {
		l.alarm = time.NewTimer(wait)
	} else {
		l.alarm.Reset(wait)
	}
	select {
	case <-l.wake:
		return // the alarm is set again before it is looked at
	case <-l.alarm.C:
	}
	l.mu.Lock()
	woken := !l.asleep // somebody has set wake or is about to
	l.asleep = false
	l.mu.Unlock()
	if woken {
		<-l.wake
	}
}

// holdAtMost is for how long timers that are due at once may run before what they
// have sent goes out: ticks of several regions, and heartbeats, to one node
// travel together.
const holdAtMost = 500 * time.Microsecond

// strainStays is for how many timers at least a loop is strained, or not: ten
// seconds of one that leads nothing, or more.
const strainStays = 200

// fire calls OnTimer for every timer that is due now. Timers that handlers set
// meanwhile have their turn after the messages that wait.
func (l *Loop) fire() {
	due := l.clock()
	var held time.Duration
	for len(l.timers.a) > 0 && l.timers.a[0].at <= due && !l.stopping {
		t := l.timers.pop()
		l.tick()
		l.stats.late.Add(l.now.Sub(t.at))
		if l.strain.Note(l.now.Sub(t.at), strainStays) {
			l.late.Store(l.strain.On())
		}
		l.m.OnTimer(t.timer)
		l.drainLater()
		took := l.clock().Sub(l.now)
		l.stats.timer.Add(took)
		if held += took; held > holdAtMost {
			l.flush()
			held = 0
		}
	}
	l.flush()
}

// handle calls the machine for one event and for what that made it do.
func (l *Loop) handle(e *event) {
	l.tick()
	l.dispatch(e)
	l.drainLater()
	l.stats.event.Add(l.clock().Sub(l.now))
}

func (l *Loop) dispatch(e *event) {
	switch e.kind {
	case evMessage:
		e.link.handled(e.size)
		l.stats.received++
		if e.link.known {
			l.m.OnMessage(e.link.peer, e.body)
		}
	case evDatagram:
		l.net.arrived.Add(-1)
		l.stats.received++
		l.m.OnMessage(e.from, e.body)
	case evUp:
		if l.links[e.link.peer] != nil { // its end is in the inbox, behind this
			l.m.OnLink(e.link.peer, machine.LinkFailed)
		}
		l.know(e.link)
		l.m.OnLink(e.link.peer, machine.LinkUp)
	case evGone:
		l.gone(e.link, e.gone)
	case evCall:
		e.fn()
	case evStop:
		l.stopping = true
	}
}

// gone is the end of a link that the machine did not close itself.
func (l *Loop) gone(k *Link, how machine.LinkEvent) {
	if !k.known {
		return
	}
	l.unknow(k)
	l.m.OnLink(k.peer, how)
	if k.far != nil {
		l.net.ended(k)
	}
}

// know lets the machine have a link, in the place of one that it may have had.
func (l *Loop) know(k *Link) {
	if old := l.links[k.peer]; old != nil {
		old.known = false
	}
	k.known = true
	l.links[k.peer] = k
}

func (l *Loop) unknow(k *Link) {
	k.known = false
	delete(l.links, k.peer)
}

// drainLater handles what handlers made for this machine itself.
func (l *Loop) drainLater() {
	for i := 0; i < len(l.later); i++ {
		e := l.later[i]
		l.later[i] = event{}
		l.dispatch(&e)
	}
	l.later = l.later[:0]
}

// tick reads the clock for the next handler.
func (l *Loop) tick() { l.now = l.clock() }

// flush wakes the sessions that have got messages.
func (l *Loop) flush() {
	for i, k := range l.dirty {
		k.notify()
		l.dirty[i] = nil
	}
	l.dirty = l.dirty[:0]
}

func (l *Loop) recover() {
	if p := recover(); p != nil {
		l.err = fmt.Errorf("%w: %v", ErrPanic, p)
		l.log.Error("the node stops: a handler panicked", "panic", p, "stack", string(debug.Stack()))
	}
}

// finish ends all links and waits for the jobs that run.
func (l *Loop) finish() {
	how := machine.LinkClosed
	if l.err != nil {
		how = machine.LinkFailed
	}
	l.mu.Lock()
	dialed := l.dialed
	l.dialed = nil
	l.mu.Unlock()
	for _, k := range dialed {
		k.end(how)
	}
	l.jobs.close()
	if l.net != nil {
		l.net.stop(how)
	}
	close(l.done)
}
