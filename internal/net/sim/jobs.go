package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// queue keeps jobs in order: one runs, the others wait.
type queue struct {
	jobs []job // the first one runs
}

type job struct {
	tag  uint64
	work machine.Job
	err  error // set: fails with this when its turn comes
}

// do begins a job, or lets it wait in its queue. The empty queue has no order.
func (n *Node) do(name string, tag uint64, work machine.Job) {
	j := job{tag: tag, work: work}
	if name == "" {
		n.begin(name, j)
		return
	}
	q := n.queues[name]
	if q == nil {
		q = &queue{}
		n.queues[name] = q
	}
	q.jobs = append(q.jobs, j)
	if len(q.jobs) == 1 {
		n.begin(name, j)
	}
}

// doing is a job on its way to its end.
type doing struct {
	queue string
	job   job
}

func (n *Node) begin(name string, j job) {
	n.sim.at(n.sim.now.Add(n.sim.cost(j.work)), event{do: evDone, node: n.index, life: n.life, body: doing{name, j}})
}

// cost is how long a job takes.
func (s *Sim) cost(work machine.Job) time.Duration {
	switch w := work.(type) {
	case machine.DiskWrite:
		return s.cfg.Sync
	case machine.DiskRead:
		return s.cfg.Read
	case Coster:
		return w.Cost()
	}
	return s.cfg.Compute
}

// finishJob does a job whose time is over, starts the next one of its queue
// and tells the machine.
func (n *Node) finishJob(e *event) {
	d := e.body.(doing)
	q := n.queues[d.queue]
	if q != nil {
		d.job = q.jobs[0] // it may have been marked as failing meanwhile
	}
	result, err := n.perform(d.job)
	if q != nil {
		q.jobs = q.jobs[1:]
		if _, write := d.job.work.(machine.DiskWrite); write && err != nil {
			q.failBehind(err)
		}
		if len(q.jobs) > 0 {
			n.begin(d.queue, q.jobs[0])
		} else {
			delete(n.queues, d.queue)
		}
	}
	n.m.OnDone(d.job.tag, result, err)
}

func (n *Node) perform(j job) (any, error) {
	if j.err != nil {
		return nil, j.err
	}
	switch w := j.work.(type) {
	case machine.DiskWrite:
		return nil, n.Disk.write(w)
	case machine.DiskRead:
		return n.Disk.read(w), nil
	case machine.Work:
		return w.Run()
	}
	return nil, fmt.Errorf("%w: %T", machine.ErrJob, j.work)
}

// failBehind lets the writes that wait behind a failed one fail as well.
func (q *queue) failBehind(err error) {
	for i := range q.jobs {
		if _, write := q.jobs[i].work.(machine.DiskWrite); write && q.jobs[i].err == nil {
			q.jobs[i].err = fmt.Errorf("%w: %w", machine.ErrBehind, err)
		}
	}
}

// crashDisk decides what of the writes that nobody was told about is on the
// disk: of every queue the write that ran, or nothing. (Those behind it had not
// been given to the disk yet.)
func (n *Node) crashDisk() {
	for _, name := range slices.Sorted(maps.Keys(n.queues)) {
		first := n.queues[name].jobs[0]
		w, write := first.work.(machine.DiskWrite)
		if write && first.err == nil && !n.Disk.Full && n.Disk.FailNext == 0 && n.sim.rand.OneIn(2) {
			n.Disk.apply(w)
		}
	}
}
