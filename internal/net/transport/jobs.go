package transport

import (
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// jobs keeps the order of each queue on the loop and runs what may run: disk
// writes are handed to the disk, which groups them into one sync; disk reads
// and computations have worker pools of their own, so that a read does not
// wait behind the terrain of a whole region.
type jobs struct {
	l       *Loop
	queues  map[string]*queue
	cpu, io workerPool
	writes  sync.WaitGroup
}

// queue holds the jobs that wait behind one that runs.
type queue struct{ waiting []job }

type job struct {
	tag   uint64
	work  machine.Job
	given machine.Time
	err   error // set: it fails with this when its turn comes
}

func (j *jobs) init(l *Loop) {
	j.l = l
	j.queues = map[string]*queue{}
	j.cpu.start(l.cfg.Workers)
	j.io.start(2)
}

// close waits for what runs and drops what waits.
func (j *jobs) close() {
	j.cpu.close()
	j.io.close()
	j.writes.Wait()
}

func (j *jobs) add(name string, tag uint64, work machine.Job) {
	w := job{tag: tag, work: work, given: j.l.now}
	j.l.stats.running++
	if name == "" {
		j.start(name, w)
		return
	}
	if q := j.queues[name]; q != nil {
		q.waiting = append(q.waiting, w)
		return
	}
	j.queues[name] = &queue{}
	j.start(name, w)
}

// start begins a job; its end is an event of the loop.
func (j *jobs) start(name string, w job) {
	switch d := w.work.(type) {
	case machine.DiskWrite:
		if j.l.cfg.Disk != nil && w.err == nil {
			j.writes.Add(1)
			j.l.cfg.Disk.Write(d, func(err error) {
				j.end(name, w, nil, err)
				j.writes.Done()
			})
			return
		}
	case machine.DiskRead:
		if j.l.cfg.Disk != nil {
			j.io.run(func() {
				kvs, err := j.l.cfg.Disk.Read(d)
				j.end(name, w, kvs, err)
			})
			return
		}
	case machine.Work:
		j.cpu.run(func() {
			result, err := j.compute(d)
			j.end(name, w, result, err)
		})
		return
	}
	if w.err == nil {
		w.err = fmt.Errorf("%w: %T", machine.ErrJob, w.work)
	}
	j.l.later = append(j.l.later, event{kind: evCall, fn: func() { j.done(name, w, nil, w.err) }})
}

// end brings a result to the loop; it may be called from any goroutine.
func (j *jobs) end(name string, w job, result any, err error) {
	j.l.post(event{kind: evCall, fn: func() { j.done(name, w, result, err) }})
}

// done runs on the loop: the next job of the queue begins, the machine hears.
func (j *jobs) done(name string, w job, result any, err error) {
	if q := j.queues[name]; q != nil {
		if _, write := w.work.(machine.DiskWrite); write && err != nil {
			q.failBehind(err)
		}
		if len(q.waiting) == 0 {
			delete(j.queues, name)
		} else {
			next := q.waiting[0]
			q.waiting = q.waiting[1:]
			j.start(name, next)
		}
	}
	j.l.stats.running--
	j.l.stats.job.Add(j.l.now.Sub(w.given))
	j.l.m.OnDone(w.tag, result, err)
}

// failBehind lets the writes that wait behind a failed one fail as well.
func (q *queue) failBehind(err error) {
	for i := range q.waiting {
		if _, write := q.waiting[i].work.(machine.DiskWrite); write && q.waiting[i].err == nil {
			q.waiting[i].err = fmt.Errorf("%w: %w", machine.ErrBehind, err)
		}
	}
}

// compute runs a computation; a panic in it is its error.
func (j *jobs) compute(w machine.Work) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			j.l.log.Error("a job panicked", "job", fmt.Sprintf("%T", w), "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("%T panicked: %v", w, p)
		}
	}()
	return w.Run()
}

// workerPool is a pool of workers with an unbounded queue: the loop never waits.
type workerPool struct {
	mu      sync.Mutex
	cond    sync.Cond
	waiting []func()
	closed  bool
	workers sync.WaitGroup
}

func (p *workerPool) start(n int) {
	p.cond.L = &p.mu
	for range n {
		p.workers.Go(p.work)
	}
}

func (p *workerPool) run(fn func()) {
	p.mu.Lock()
	p.waiting = append(p.waiting, fn)
	p.mu.Unlock()
	p.cond.Signal()
}

func (p *workerPool) work() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for len(p.waiting) == 0 && !p.closed {
			p.cond.Wait()
		}
		if p.closed {
			return
		}
		fn := p.waiting[0]
		p.waiting[0] = nil
		p.waiting = p.waiting[1:]
		p.mu.Unlock()
		fn()
		p.mu.Lock()
	}
}

// close drops what waits and waits for what runs.
func (p *workerPool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cond.Broadcast()
	p.workers.Wait()
}
