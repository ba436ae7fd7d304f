package kademlia

import (
	"cmp"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// deadlines knows when calls are late. One timer serves all: nearly every answer
// comes in time, and a timer for each call would wake the node once for each,
// for nothing.
type rpcDeadlines struct {
	list  []deadline   // by time
	armed machine.Time // 0: no timer
	gen   uint32
}

type deadline struct {
	at  machine.Time
	rpc uint64
}

// add notes until when a call has time.
func (p *rpcDeadlines) add(n *Node, c *call) {
	d := deadline{c.until, c.req.RPC}
	i := len(p.list)
	for i > 0 && p.list[i-1].at > d.at { // most calls have the same time: hardly a step
		i--
	}
	p.list = slices.Insert(p.list, i, d)
	p.arm(n)
}

// arm sets the timer for the first call that still waits.
func (p *rpcDeadlines) arm(n *Node) {
	done := 0
	for done < len(p.list) && n.waits(p.list[done]) == nil {
		done++
	}
	p.list = slices.Delete(p.list, 0, done)
	if len(p.list) == 0 || p.armed != 0 && p.armed <= p.list[0].at {
		return
	}
	p.armed = p.list[0].at
	p.gen++
	n.env.SetTimer(p.armed, machine.Timer{Kind: timerRPC, Gen: p.gen})
}

// fire is when the timer is due.
func (p *rpcDeadlines) fire(n *Node, t machine.Timer) {
	if t.Gen != p.gen {
		return
	}
	p.armed = 0
	now := n.env.Now()
	late, _ := slices.BinarySearchFunc(p.list, now+1, func(d deadline, at machine.Time) int { return cmp.Compare(d.at, at) })
	due := slices.Clone(p.list[:late])
	p.list = slices.Delete(p.list, 0, late)
	for _, d := range due {
		if c := n.waits(d); c != nil {
			n.onTimeout(c)
		}
	}
	p.arm(n)
}

// waits is the call that a deadline is of, nil if it has been answered.
func (n *Node) waits(d deadline) *call {
	if c := n.calls[d.rpc]; c != nil && c.until == d.at {
		return c
	}
	return nil
}
