package kademlia

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// holding is a record that this node keeps for others.
type holding struct {
	rec    *Record
	until  machine.Time // the record's own expiry, or sooner for a cached copy
	stored machine.Time // the last STORE of it: who gets one need not pass it on

	claim      bool    // only reserved (Create): nobody is told of it
	remembered bool    // from before a restart, and nobody has been asked since (remember.go)
	checking   bool    // others are being asked
	challenger *Record // replaces it if none of its keepers answers
}

// publication is a record that this node publishes.
type publication struct {
	rec  *Record
	next machine.Time
}

// Publish stores a signed record at the k nodes nearest to its key and asks for
// a fresh one (Events.Renew) each Republish, until Withdraw.
func (n *Node) Publish(tag uint64, r *Record) {
	n.publish(r)
	n.keep(r, n.env.Now())
	n.spread(r, func(holders int, refused map[Code]int) { n.cfg.Events.Stored(tag, holders, refused) })
}

// Give stores a record that this node publishes at some nodes, which need it before the
// nearest ones are found.
func (n *Node) Give(kind Kind, key id.ID, to []machine.Peer) {
	x := n.published[recordKey{kind, key}]
	for _, p := range to {
		if x != nil && p.ID != n.cfg.Self {
			n.call(p, &Request{Proc: store(kind), Key: key, Record: x.rec}, func(*Reply) {})
		}
	}
}

func (n *Node) publish(r *Record) {
	n.published[recordKey{r.Kind, r.Key}] = &publication{rec: r, next: n.env.Now().Add(Republish)}
}

// Withdraw ends the republishing of a record; what is stored expires.
func (n *Node) Withdraw(kind Kind, key id.ID) { delete(n.published, recordKey{kind, key}) }

// Forget drops what is kept here under a key, which this node knows to be wrong: others may
// have a record that it would not let replace its own, as long as that names this node.
func (n *Node) Forget(kind Kind, key id.ID) {
	n.Withdraw(kind, key)
	delete(n.held[kind], key)
}

// spread looks up the nearest nodes and stores the record there.
func (n *Node) spread(r *Record, then func(int, map[Code]int)) {
	n.start(&lookup{target: r.Key, proc: FindNode, done: func(l *lookup) {
		closest := l.result().Closest
		left, holders, refused := len(closest), 0, map[Code]int{}
		if left == 0 {
			then(0, refused)
			return
		}
		for _, p := range closest {
			n.call(p, &Request{Proc: store(r.Kind), Key: r.Key, Record: r}, func(reply *Reply) {
				left--
				switch {
				case reply == nil:
				case reply.Code == OK:
					holders++
				default:
					refused[reply.Code]++
				}
				if left == 0 {
					then(holders, refused)
				}
			})
		}
	}})
}

// live returns what is held under a key and has not expired, nil if nothing.
func (n *Node) live(kind Kind, key id.ID) *holding {
	if h := n.held[kind][key]; h != nil && h.until > n.env.Now() {
		return h
	}
	return nil
}

// Record returns the record that this node keeps under a key, nil if it keeps none.
func (n *Node) Record(kind Kind, key id.ID) *Record {
	if h := n.live(kind, key); h != nil && !h.claim {
		return h.rec
	}
	return nil
}

// Holds reports whether this node keeps a record.
func (n *Node) Holds(kind Kind, key id.ID) bool { return n.Record(kind, key) != nil }

func (n *Node) put(r *Record, h *holding) {
	if n.held[r.Kind] == nil {
		n.held[r.Kind] = map[id.ID]*holding{}
	}
	n.held[r.Kind][r.Key] = h
}

// answerStore serves a STORE: validated first, then kept.
func (n *Node) answerStore(from machine.Peer, r *Request) {
	answer := func(code Code, held *Record) {
		n.env.Send(from, &Reply{RPC: r.RPC, Proc: r.Proc, Code: code, Record: held})
	}
	kind := r.Proc.kind()
	if r.Record == nil {
		answer(WrongKey, nil)
		return
	}
	if code := r.Record.plausible(kind, r.Key, n.env.Now()); code != OK {
		answer(code, nil)
		return
	}
	if h := n.live(kind, r.Key); h != nil && !h.claim && h.rec.newer(r.Record) && n.follows(h.rec, r.Record) {
		answer(Older, h.rec)
		return
	}
	n.verify(r.Record, func(err error) {
		switch {
		case err != nil:
			answer(Forged, nil)
		case r.Absent:
			answer(n.reserve(r.Record))
		default:
			n.replace(r.Record, answer)
		}
	})
}

// replace keeps a valid record, if need be after the keepers of the one that is
// here were asked.
func (n *Node) replace(r *Record, answer func(Code, *Record)) {
	h := n.live(r.Kind, r.Key)
	if h == nil || h.claim || n.follows(h.rec, r) {
		answer(n.keep(r, n.env.Now()), nil)
		return
	}
	if c := h.challenger; c != nil {
		if !sameRecord(c, r) { // else sent again while its answer is on its way
			answer(Taken, h.rec)
		}
		return
	}
	n.challenge(h, r, func(free bool) {
		if now := n.live(r.Kind, r.Key); !free || now != nil && now != h {
			answer(Taken, h.rec)
			return
		}
		answer(n.hold(r, n.env.Now()), nil)
	})
}

// full reports whether there is no room for a record: for those that this node
// is one of the nearest to there always is.
func (n *Node) full(r *Record) bool {
	return n.held[r.Kind][r.Key] == nil && len(n.held[r.Kind]) >= MaxRecords && n.nearerThanSelf(r.Key) >= n.cfg.K
}

// keep stores a valid record, unless the one that is here is newer.
func (n *Node) keep(r *Record, now machine.Time) Code {
	if h := n.live(r.Kind, r.Key); h != nil && !h.claim && h.rec.newer(r) {
		return Older
	}
	return n.hold(r, now)
}

// hold stores a valid record. The farther this node is from the key, the sooner
// it forgets it: the life of a copy halves with each node beyond the k nearest
// that is known to be nearer (Kademlia 2.3).
func (n *Node) hold(r *Record, now machine.Time) Code {
	old := n.live(r.Kind, r.Key)
	if n.full(r) {
		return Full
	}
	until := r.Until
	if beyond := n.nearerThanSelf(r.Key) - n.cfg.K; beyond >= 0 {
		life := Expire >> min(beyond+1, 20)
		until = min(until, now.Add(life))
	}
	n.put(r, &holding{rec: r, until: until, stored: now})
	n.kept++
	if old != nil && !old.claim && n.cfg.Replaced != nil {
		n.cfg.Replaced(old.rec, r)
	}
	return OK
}

// nearerThanSelf counts the contacts nearer to key than this node, up to 2k.
func (n *Node) nearerThanSelf(key id.ID) int {
	count := 0
	for _, p := range n.table.Closest(key, 2*n.cfg.K, n.env.Now(), nil) {
		if Closer(key, p.ID, n.cfg.Self) {
			count++
		}
	}
	return count
}

// cacheFound stores a found record at the nearest asked node of each path that
// lacked it (Kademlia 2.3).
func (n *Node) cacheFound(l *lookup) {
	if l.best == nil {
		return
	}
	for i := range l.paths {
		if p := &l.paths[i]; p.found && !p.lacked.ID.IsZero() {
			n.call(p.lacked, &Request{Proc: store(l.best.Kind), Key: l.best.Key, Record: l.best}, func(*Reply) {})
		}
	}
}

// welcome gives a new contact the records that it should hold: those whose keys
// it is nearer to than this node, if of all that is known this node was the
// nearest (Kademlia 2.5), so that only one node sends.
func (n *Node) welcome(p machine.Peer) {
	now := n.env.Now()
	for kind := range n.held {
		for _, key := range sortedKeys(n.held[kind]) {
			h := n.held[kind][key]
			if h.until > now && !h.claim && !h.remembered && Closer(key, p.ID, n.cfg.Self) && n.nearestBut(key, p.ID) {
				n.call(p, &Request{Proc: store(Kind(kind)), Key: key, Record: h.rec}, func(*Reply) {})
			}
		}
	}
}

// nearestBut reports whether this node is the nearest to key of all it knows but
// one.
func (n *Node) nearestBut(key, but id.ID) bool {
	for _, p := range n.table.Closest(key, 2, n.env.Now(), nil) {
		if p.ID != but && Closer(key, p.ID, n.cfg.Self) {
			return false
		}
	}
	return true
}

// sweepRecords forgets what has expired, passes on what nobody has stored for an
// hour, and asks for fresh versions of what this node publishes.
func (n *Node) sweepRecords() {
	now := n.env.Now()
	for kind := range n.held {
		for _, key := range sortedKeys(n.held[kind]) {
			h := n.held[kind][key]
			switch {
			case h.until <= now:
				delete(n.held[kind], key)
			case h.remembered:
				if now.Sub(h.stored) >= Replicate {
					n.check(h)
				}
			case now.Sub(h.stored) >= Replicate && h.until == h.rec.Until:
				h.stored = now
				n.spread(h.rec, func(int, map[Code]int) {})
			}
		}
	}
	for _, k := range n.sortedPublications() {
		p := n.published[k]
		if p.next <= now {
			p.next = now.Add(sweep + time.Duration(n.env.Rand().Intn(int(sweep))))
			n.cfg.Events.Renew(p.rec)
		}
	}
}
