package kademlia

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// sendTimes is how often a request is sent.
const sendTimes = 3

// lateTimes is after how many sendings whoever has not answered counts as late.
const lateTimes = 2

// call is an RPC under way.
type call struct {
	to    machine.Peer
	req   *Request
	wait  time.Duration // a quarter of the timeout
	sent  uint8         // times
	until machine.Time  // when the answer to what was sent last is late
	// then has the answer and who gave it, at the address that it answered from;
	// nil: no answer came, and the peer is who was asked.
	then func(machine.Peer, *Reply)
	late func() // once, when it is sent for the lateTimes-th time; may be nil
}

// call sends a request, again after a quarter and after half of the timeout, and
// calls then with the answer, or with nil after the timeout. A lost datagram
// would otherwise hide a node from a lookup; procedures are idempotent.
func (n *Node) call(to machine.Peer, r *Request, then func(*Reply)) {
	n.callWithin(n.cfg.Timeout, to, r, func(_ machine.Peer, reply *Reply) { then(reply) })
}

// callWithin is call with another timeout; then also has who has answered.
func (n *Node) callWithin(timeout time.Duration, to machine.Peer, r *Request, then func(machine.Peer, *Reply)) *call {
	r.RPC = n.env.Rand().Uint64()
	if n.calls[r.RPC] != nil {
		r.RPC++
	}
	c := &call{to: to, req: r, then: then, wait: timeout / 4}
	n.calls[r.RPC] = c
	n.transmit(c)
	return c
}

func (n *Node) transmit(c *call) {
	wait := c.wait
	if c.sent++; c.sent == sendTimes {
		wait *= 2
	}
	c.until = n.env.Now().Add(wait)
	n.deadlines.add(n, c)
	n.env.Send(c.to, c.req)
}

// onReply ends a call. Answers that nobody waits for, from another id or to
// another procedure are dropped. The address does not matter: a node with several
// addresses answers from the one that it is known by, which need not be the one
// that was asked (docs/decisions/0029-answers-by-id.md).
func (n *Node) onReply(from machine.Peer, r *Reply) {
	c := n.calls[r.RPC]
	if c == nil || c.to.ID != from.ID || c.req.Proc != r.Proc {
		return
	}
	delete(n.calls, r.RPC)
	n.seen(from)
	c.then(from, r)
}

func (n *Node) onTimeout(c *call) {
	if c.sent < sendTimes {
		n.transmit(c)
		if c.late != nil && c.sent == lateTimes {
			c.late()
		}
		return
	}
	delete(n.calls, c.req.RPC)
	n.table.Failed(c.to.ID, n.env.Now())
	c.then(c.to, nil)
}

// answer serves a request.
func (n *Node) answer(from machine.Peer, r *Request) {
	switch {
	case r.Proc == Ping:
		n.env.Send(from, &Reply{RPC: r.RPC, Proc: Ping})
	case r.Proc == FindNode || r.Proc.finds():
		n.env.Send(from, n.found(r, from.ID, slack))
	case r.Proc.stores():
		n.answerStore(from, r)
	}
}

// Answer implements machine.Answerer: who asks where something is need not have
// shown who it is. It comes into no table before.
func (n *Node) Answer(q machine.Question) machine.Message {
	if r, ok := q.(*Request); ok && (r.Proc == FindNode || r.Proc.finds()) {
		return n.found(r, id.ID{}, slackOpen)
	}
	return nil
}

// closestFor returns the k contacts nearest to key and some more, without the
// asker.
func (n *Node) closestFor(key, asker id.ID, more int) []machine.Peer {
	most := n.cfg.K + more
	out := n.table.Closest(key, most+1, n.env.Now(), make([]machine.Peer, 0, most+2))
	for i, p := range out {
		if p.ID == asker {
			return append(out[:i], out[i+1:]...)
		}
	}
	return out[:min(len(out), most)]
}

// found answers FIND_NODE, FIND_PLAYER and FIND_CHUNK: with the record, or with
// the contacts nearest to the key and so many more.
func (n *Node) found(r *Request, asker id.ID, more int) *Reply {
	if r.Proc.finds() {
		switch h := n.live(r.Proc.kind(), r.Key); {
		case h == nil || h.claim:
		case h.remembered:
			n.check(h)
		default:
			return &Reply{RPC: r.RPC, Proc: r.Proc, Record: h.rec}
		}
	}
	return &Reply{RPC: r.RPC, Proc: r.Proc, Contacts: n.closestFor(r.Key, asker, more)}
}
