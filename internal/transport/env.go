package transport

import (
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

// env is what the machine sees of its loop. All methods run on the loop.
type env struct{ l *Loop }

func (e env) Now() machine.Time { return e.l.now }

func (e env) Rand() *rng.Rand { return &e.l.rand }

func (e env) Send(to machine.Peer, m machine.Message) {
	if k := e.l.links[to]; k != nil {
		e.l.stats.sent++
		k.push(m)
	}
}

func (e env) SetTimer(at machine.Time, t machine.Timer) { e.l.timers.push(at, t) }

// Open fails: links to other nodes come with worlds of many nodes.
func (e env) Open(to machine.Peer) {
	l := e.l
	l.later = append(l.later, event{kind: evCall, fn: func() { l.m.OnLink(to, machine.LinkFailed) }})
}

func (e env) Close(to machine.Peer) {
	if k := e.l.links[to]; k != nil {
		delete(e.l.links, to)
		k.cut(machine.LinkClosed)
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
	return len(k.out), e.l.cfg.Queue
}
