package transport

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// env is what the machine sees of its loop. All methods run on the loop.
type env struct{ l *Loop }

func (e env) Now() machine.Time { return e.l.now }

func (e env) Rand() *rng.Rand { return &e.l.rand }

func (e env) Send(to machine.Peer, m machine.Message) {
	l := e.l
	if l.net != nil && !to.Addr.IsZero() {
		if _, loose := m.(machine.Datagram); loose {
			l.net.sendLoose(to, m)
			return
		}
	}
	if k := l.links[to]; k != nil {
		l.stats.sent++
		k.push(m)
	} else if l.net != nil {
		l.net.tally.fail("no link")
	}
}

func (e env) SetTimer(at machine.Time, t machine.Timer) { e.l.timers.push(at, t) }

// Open opens a link to another node; one that is there, or on its way, stays.
// Sessions in this process come by Dial: there is nobody to open a link to.
func (e env) Open(to machine.Peer) {
	l := e.l
	if l.links[to] != nil {
		return
	}
	if l.net == nil || !l.net.open(to) {
		l.later = append(l.later, event{kind: evCall, fn: func() { l.m.OnLink(to, machine.LinkFailed) }})
	}
}

func (e env) Close(to machine.Peer) {
	if k := e.l.links[to]; k != nil {
		e.l.unknow(k)
		k.cut(machine.LinkClosed)
		if k.far != nil {
			e.l.net.ended(k)
		}
	}
}

func (e env) Do(queue string, tag uint64, job machine.Job) { e.l.jobs.add(queue, tag, job) }

// Backlog makes env a machine.Backlogger.
func (e env) Backlog(to machine.Peer) (waiting, limit int) {
	k := e.l.links[to]
	if k == nil {
		return 0, 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.out) + k.taken, e.l.cfg.Queue
}
