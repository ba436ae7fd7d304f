package transport

import (
	"fmt"
	"runtime/debug"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// event is something for the loop: a plain value.
type event struct {
	kind uint8
	gone machine.LinkEvent // evGone: how the link ended
	tag  uint64
	link *Link
	body any // message or job result
	err  error
	fn   func()
}

const (
	evMessage = iota + 1
	evUp
	evGone
	evDone
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
	l.sleep(wait, any)
	return buf
}

func (l *Loop) sleep(wait time.Duration, timed bool) {
	if !timed {
		<-l.wake
		return
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-l.wake:
		return
	case <-t.C:
	}
	l.mu.Lock()
	woken := !l.asleep // somebody has set wake or is about to
	l.asleep = false
	l.mu.Unlock()
	if woken {
		<-l.wake
	}
}

// fire calls OnTimer for every timer that is due now. Timers that handlers set
// meanwhile have their turn after the messages that wait.
func (l *Loop) fire() {
	due := l.clock()
	for len(l.timers.a) > 0 && l.timers.a[0].at <= due && !l.stopping {
		t := l.timers.pop()
		l.tick()
		l.stats.late.Add(l.now.Sub(t.at))
		l.m.OnTimer(t.timer)
		l.drainLater()
		l.stats.timer.Add(l.clock().Sub(l.now))
		l.flush()
	}
}

// handle calls the machine for one event.
func (l *Loop) handle(e *event) {
	l.tick()
	switch e.kind {
	case evMessage:
		e.link.inflight.Add(-1)
		l.stats.received++
		if l.links[e.link.peer] == e.link {
			l.m.OnMessage(e.link.peer, e.body)
		}
	case evUp:
		if l.links[e.link.peer] != nil { // its end is in the inbox, behind this
			l.m.OnLink(e.link.peer, machine.LinkFailed)
		}
		l.links[e.link.peer] = e.link
		l.m.OnLink(e.link.peer, machine.LinkUp)
	case evGone:
		if l.links[e.link.peer] == e.link {
			delete(l.links, e.link.peer)
			l.m.OnLink(e.link.peer, e.gone)
		}
	case evDone:
		l.m.OnDone(e.tag, e.body, e.err)
	case evCall:
		e.fn()
	case evStop:
		l.stopping = true
	}
	l.drainLater()
	l.stats.event.Add(l.clock().Sub(l.now))
}

// drainLater handles what handlers made for this machine itself.
func (l *Loop) drainLater() {
	for i := 0; i < len(l.later); i++ {
		e := l.later[i]
		l.later[i] = event{}
		switch e.kind {
		case evGone:
			if l.links[e.link.peer] == e.link {
				delete(l.links, e.link.peer)
				l.m.OnLink(e.link.peer, e.gone)
			}
		case evDone:
			l.m.OnDone(e.tag, e.body, e.err)
		case evCall:
			e.fn()
		}
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
	close(l.done)
}
