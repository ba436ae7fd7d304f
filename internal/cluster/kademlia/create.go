package kademlia

import (
	"bytes"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Create stores a record if nobody has stored one under its key: the first step
// of GENERATE (dissertation, algorithm 3), so that two nodes that miss the same
// region at the same moment do not both host it. The k nodes nearest to the key,
// this one among them if it is that near, reserve the key for the record, each
// for whoever asks first; with more than half of them the record is stored for
// good and published from then on. Otherwise nothing is stored, and what was
// reserved is free again after ClaimFor.
//
// done has the outcome, called as the methods of Events are. If it was not won,
// rival is a record that is stored; none means that others are creating one: try
// again later.
func (n *Node) Create(r *Record, done func(won bool, rival *Record)) {
	c := &creation{n: n, rec: r, done: done}
	n.start(&lookup{target: r.Key, proc: FindNode, done: func(l *lookup) { c.claim(l.result().Closest) }})
}

// creation is a Create under way.
type creation struct {
	n      *Node
	rec    *Record
	done   func(won bool, rival *Record)
	voters []machine.Peer // besides this node
	self   bool           // this node votes
	yes    int
	rival  *Record
}

func (c *creation) size() int { return len(c.voters) + one(c.self) }

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// claim asks for reservations.
func (c *creation) claim(closest []machine.Peer) {
	c.voters, c.self = closest, true
	if len(closest) >= c.n.cfg.K {
		c.self = Closer(c.rec.Key, c.n.cfg.Self, closest[c.n.cfg.K-1].ID)
		c.voters = closest[:c.n.cfg.K-one(c.self)]
	}
	if c.self {
		code, held := c.n.reserve(c.rec)
		c.count(code, held)
	}
	c.ask(true, func() {
		if 2*c.yes <= c.size() {
			c.n.release(c.rec)
			c.done(false, c.rival)
			return
		}
		c.confirm()
	})
}

// confirm stores the record for good.
func (c *creation) confirm() {
	c.yes = 0
	c.n.publish(c.rec)
	if c.self {
		c.count(c.n.keep(c.rec, c.n.env.Now()), nil)
	}
	c.ask(false, func() {
		won := 2*c.yes > c.size()
		if !won {
			c.n.Withdraw(c.rec.Kind, c.rec.Key)
		}
		c.done(won, c.rival)
	})
}

func (c *creation) count(code Code, held *Record) {
	if code == OK {
		c.yes++
	} else if held != nil {
		c.rival = held
	}
}

// ask sends the record to the other voters and goes on when all have answered.
func (c *creation) ask(absent bool, then func()) {
	left := len(c.voters)
	if left == 0 {
		then()
		return
	}
	for _, p := range c.voters {
		req := &Request{Proc: store(c.rec.Kind), Key: c.rec.Key, Record: c.rec, Absent: absent}
		c.n.call(p, req, func(reply *Reply) {
			if reply != nil {
				c.count(reply.Code, reply.Record)
			}
			if left--; left == 0 {
				then()
			}
		})
	}
}

// reserve keeps a key for a record that is to be created, unless there is one
// or somebody else has reserved it. A record that is there for good is returned, also one
// from before this node was restarted.
func (n *Node) reserve(r *Record) (Code, *Record) {
	now := n.env.Now()
	switch h := n.live(r.Kind, r.Key); {
	case h == nil:
	case sameRecord(h.rec, r):
		if !h.claim {
			return OK, nil
		}
	case h.claim:
		return Taken, nil
	default:
		return Taken, h.rec
	}
	if n.full(r) {
		return Full, nil
	}
	n.put(r, &holding{rec: r, until: now.Add(ClaimFor), stored: now, claim: true})
	return OK, nil
}

// release forgets a reservation.
func (n *Node) release(r *Record) {
	if h := n.held[r.Kind][r.Key]; h != nil && h.claim && sameRecord(h.rec, r) {
		delete(n.held[r.Kind], r.Key)
	}
}

func sameRecord(a, b *Record) bool {
	return a.Signer == b.Signer && a.Version == b.Version && bytes.Equal(a.Payload, b.Payload)
}

// follows reports whether the signer of r may replace old: the same signer, or
// one that old names.
func (n *Node) follows(old, r *Record) bool {
	if n.cfg.Keepers == nil || old.Signer == r.Signer {
		return true
	}
	who := r.SignerID()
	keepers, _ := n.cfg.Keepers(old)
	return slices.ContainsFunc(keepers, func(p machine.Peer) bool { return p.ID == who })
}

// supersedes reports whether r is to be believed rather than old, one of which may follow
// the other. A record may name others as those who follow it, but not make itself follow:
// it is not believed for its version if only the other one names its signer.
func (n *Node) supersedes(r, old *Record) bool {
	return n.follows(old, r) && (r.newer(old) || !n.follows(r, old))
}

// challenge asks those whom a stored record names whether they are still there
// before somebody else replaces it: then is told whether the record may go,
// before the one who asked for it gives up.
func (n *Node) challenge(h *holding, by *Record, then func(free bool)) {
	keepers, alive := n.cfg.Keepers(h.rec)
	left := len(keepers)
	alive = alive || slices.ContainsFunc(keepers, func(p machine.Peer) bool { return p.ID == n.cfg.Self })
	if alive || left == 0 {
		then(!alive)
		return
	}
	h.challenger = by
	for _, p := range keepers {
		n.callWithin(n.cfg.Timeout/2, p, &Request{Proc: Ping}, func(_ machine.Peer, reply *Reply) {
			alive = alive || reply != nil
			if left--; left == 0 {
				h.challenger = nil
				then(!alive)
			}
		})
	}
}
