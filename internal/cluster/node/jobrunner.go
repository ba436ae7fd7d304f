package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// jobRunner runs jobs for components that are no machines.
type jobRunner struct {
	jobs    part.Jobs
	waiting map[uint64]func(result any, err error)
	tag     uint64
}

func newJobRunner(p part.Seat) *jobRunner {
	j := &jobRunner{jobs: p, waiting: map[uint64]func(any, error){}}
	p.Put(j)
	return j
}

// do runs a job after those before it; then hears of its end.
func (j *jobRunner) do(job machine.Work, then func(result any, err error)) {
	j.tag++
	j.waiting[j.tag] = then
	j.jobs.Do("jobs", j.tag, job)
}

// OnDone implements machine.Machine.
func (j *jobRunner) OnDone(tag uint64, result any, err error) {
	then := j.waiting[tag]
	delete(j.waiting, tag)
	then(result, err)
}

// Start implements machine.Machine.
func (j *jobRunner) Start() {}

// OnMessage implements machine.Machine.
func (j *jobRunner) OnMessage(machine.Peer, machine.Message) {}

// OnTimer implements machine.Machine.
func (j *jobRunner) OnTimer(machine.Timer) {}

// OnLink implements machine.Machine.
func (j *jobRunner) OnLink(machine.Peer, machine.LinkEvent) {}
