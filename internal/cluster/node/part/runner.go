package part

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Runner runs jobs for components that are no machines.
type Runner struct {
	jobs    Jobs
	waiting map[uint64]func(result any, err error)
	tag     uint64
}

func NewRunner(p Seat) *Runner {
	j := &Runner{jobs: p, waiting: map[uint64]func(any, error){}}
	p.Put(j)
	return j
}

// Do runs a job after those before it; then hears of its end.
func (j *Runner) Do(job machine.Work, then func(result any, err error)) {
	j.tag++
	j.waiting[j.tag] = then
	j.jobs.Do("jobs", j.tag, job)
}

// OnDone implements machine.Machine.
func (j *Runner) OnDone(tag uint64, result any, err error) {
	then := j.waiting[tag]
	delete(j.waiting, tag)
	then(result, err)
}

// Start implements machine.Machine.
func (j *Runner) Start() {}

// OnMessage implements machine.Machine.
func (j *Runner) OnMessage(machine.Peer, machine.Message) {}

// OnTimer implements machine.Machine.
func (j *Runner) OnTimer(machine.Timer) {}

// OnLink implements machine.Machine.
func (j *Runner) OnLink(machine.Peer, machine.LinkEvent) {}
