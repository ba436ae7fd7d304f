package kademlia

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// lookup is the iterative search for the k nodes nearest to a target, or for a
// record (Kademlia 2.3). It runs over one or more paths that share no node
// (S/Kademlia 4.4), so that a malicious node spoils one path at most.
type lookup struct {
	target id.ID
	proc   Proc
	done   func(*lookup) // nil: nobody waits for the outcome

	single bool // over one path, whatever the configuration says

	k      int
	paths  []path
	used   map[id.ID]bool // nodes that a path has taken
	asked  int
	failed int
	found  []foundRecord
	best   *Record // of those
}

// foundRecord is a record, or several that follow one another, of which it is the last.
type foundRecord struct {
	rec   *Record
	paths int // that have brought it
}

// path is one of a lookup's searches.
type path struct {
	list     []candidate // nearest first
	inflight int
	dry      int           // answers in a row that named nobody nearer
	late     map[id.ID]int // nodes that were late, by who has named them
	closed   bool
	found    bool         // has brought a record
	lacked   machine.Peer // the nearest node that answered without the record
}

type candidate struct {
	peer  machine.Peer
	by    id.ID // who has named it
	state uint8
}

const (
	fresh uint8 = iota
	asked
	late // asked, and may have failed: others are asked meanwhile
	answered
	silent
)

// start begins a lookup with the nearest contacts, dealt out to the paths.
func (n *Node) start(l *lookup) {
	l.k = n.cfg.K
	l.used = map[id.ID]bool{n.cfg.Self: true}
	l.paths = make([]path, n.cfg.Paths)
	if l.single {
		l.paths = l.paths[:1]
	}
	n.lookups[l] = struct{}{}
	n.table.Touch(l.target, n.env.Now())
	for i, p := range n.table.Closest(l.target, max(l.k, len(l.paths)), n.env.Now(), nil) {
		l.add(&l.paths[i%len(l.paths)], p, n.cfg.Self)
	}
	for i := range l.paths {
		n.advance(l, i)
	}
	n.finish(l)
}

// add puts p, which by has named, into a path unless some path has it, and reports
// whether it is now the path's nearest.
func (l *lookup) add(at *path, p machine.Peer, by id.ID) bool {
	if l.used[p.ID] {
		return false
	}
	i, _ := slices.BinarySearchFunc(at.list, p.ID, func(c candidate, who id.ID) int {
		if Closer(l.target, c.peer.ID, who) {
			return -1
		}
		return 1
	})
	l.used[p.ID] = true
	at.list = slices.Insert(at.list, i, candidate{peer: p, by: by})
	return i == 0
}

// advance asks the next nodes of a path: as many as may be in flight of the k
// nearest that have not been asked. After a round that named nobody nearer all
// of the k nearest are asked at once.
//
// An attacker names as many nodes that do not exist as it likes. Therefore who is late
// counts neither as in flight nor among the k; and nodes named by somebody of whose nodes
// several have been late are asked last, and then all at once.
func (n *Node) advance(l *lookup, at int) {
	p := &l.paths[at]
	width := Alpha
	if p.dry >= Alpha {
		width = l.k
	}
	left := l.k
	for i := 0; i < len(p.list) && left > 0 && p.inflight < width && !p.closed; i++ {
		switch c := &p.list[i]; {
		case c.state == fresh && !p.doubts(c):
			n.ask(l, at, c)
			left--
		case c.state == asked || c.state == answered:
			left--
		}
	}
	if p.inflight > 0 {
		return
	}
	left = l.k
	for i := 0; i < len(p.list) && left > 0 && !p.closed; i++ {
		switch c := &p.list[i]; c.state {
		case fresh:
			n.ask(l, at, c)
		case answered:
			left--
		}
	}
}

// maxLate is how many of the nodes that somebody names may be late until the others are
// doubtful.
const maxLate = 1

func (p *path) doubts(c *candidate) bool { return p.late[c.by] > maxLate }

func (n *Node) ask(l *lookup, at int, c *candidate) {
	p, to := &l.paths[at], c.peer
	c.state = asked
	p.inflight++
	l.asked++
	// What is looked for is no secret, but for who looks itself up that would be
	// who it is; and it wants to be known.
	open := l.target != n.cfg.Self
	req := &Request{Proc: l.proc, Key: l.target, open: open}
	rpc := n.callWithin(n.cfg.Timeout, to, req, func(from machine.Peer, r *Reply) {
		if _, running := n.lookups[l]; !running {
			return
		}
		p.over(to.ID, r != nil)
		n.learn(l, at, from, r)
	})
	rpc.late = func() {
		if _, running := n.lookups[l]; running {
			p.isLate(to.ID)
			n.advance(l, at)
			n.finish(l)
		}
	}
}

// learn takes in one node's answer.
func (n *Node) learn(l *lookup, at int, from machine.Peer, r *Reply) {
	p := &l.paths[at]
	switch {
	case r == nil:
		p.mark(from, silent)
		l.failed++
	case r.Record != nil && l.proc.finds():
		n.judge(l, at, from, r.Record)
		return
	default:
		p.mark(from, answered)
		n.learnContacts(l, p, from, r.Contacts)
	}
	n.advance(l, at)
	n.finish(l)
}

// mark notes what became of asking a node, and the address that it answered from:
// that is the one that the lookup's result names.
func (p *path) mark(who machine.Peer, state uint8) {
	c := &p.list[p.index(who.ID)]
	c.peer, c.state = who, state
}

// over notes that a call has ended, with an answer or without.
func (p *path) over(who id.ID, answered bool) {
	switch c := &p.list[p.index(who)]; {
	case c.state == asked:
		p.inflight--
	case answered: // it was late and is there all the same
		p.late[c.by]--
	}
}

// isLate notes that somebody who was asked may have failed.
func (p *path) isLate(who id.ID) {
	c := &p.list[p.index(who)]
	c.state = late
	p.inflight--
	if p.late == nil {
		p.late = map[id.ID]int{}
	}
	p.late[c.by]++
}

func (p *path) index(who id.ID) int {
	return slices.IndexFunc(p.list, func(c candidate) bool { return c.peer.ID == who })
}

func (n *Node) learnContacts(l *lookup, p *path, from machine.Peer, contacts []machine.Peer) {
	if p.lacked.ID.IsZero() || Closer(l.target, from.ID, p.lacked.ID) {
		p.lacked = from
	}
	nearer := false
	for _, c := range contacts[:min(len(contacts), MaxContacts)] {
		if c.ID.IsZero() { // whoever is at an address: its answer could not be told from a stranger's
			continue
		}
		nearer = l.add(p, c, from.ID) || nearer
	}
	if nearer {
		p.dry = 0
	} else {
		p.dry++
	}
}

// judge checks a record that a path has brought; a valid one ends the path, a
// wrong one counts as no answer.
func (n *Node) judge(l *lookup, at int, from machine.Peer, rec *Record) {
	p := &l.paths[at]
	decide := func(good bool) {
		if good {
			p.mark(from, answered)
			p.closed, p.found = true, true
			n.take(l, rec)
		} else {
			p.mark(from, silent)
		}
		n.advance(l, at)
		n.finish(l)
	}
	if rec.plausible(l.proc.kind(), l.target, n.env.Now()) != OK {
		decide(false)
		return
	}
	p.inflight++ // until the signature is checked
	n.verify(rec, func(err error) {
		if _, running := n.lookups[l]; running {
			p.inflight--
			decide(err == nil)
		}
	})
}

// take takes the valid record of a path. Of records that cannot follow one another that of
// the most paths is believed, of equal ones the first: what a signer can choose, such as
// its key or the version, makes no difference.
func (n *Node) take(l *lookup, rec *Record) {
	i := slices.IndexFunc(l.found, func(f foundRecord) bool { return n.follows(f.rec, rec) || n.follows(rec, f.rec) })
	if i < 0 {
		i = len(l.found)
		l.found = append(l.found, foundRecord{rec: rec})
	}
	f := &l.found[i]
	if f.paths++; n.supersedes(rec, f.rec) {
		f.rec = rec
	}
	best := slices.MaxFunc(l.found, func(a, b foundRecord) int { return a.paths - b.paths }) // the first of equal ones
	l.best = best.rec
}

// finish ends the lookup once all its paths have: by a record, or when the k
// nearest of the path have answered.
func (n *Node) finish(l *lookup) {
	if _, running := n.lookups[l]; !running {
		return
	}
	for i := range l.paths {
		if !l.paths[i].complete(l.k) {
			return
		}
	}
	delete(n.lookups, l)
	if l.done != nil {
		l.done(l)
	}
}

// complete reports whether nothing more is to be learned from a path. Late nodes are
// waited for, but not those of somebody whose nodes are late by the dozen.
func (p *path) complete(k int) bool {
	if p.closed {
		return true
	}
	left := k
	for _, c := range p.list {
		if left == 0 {
			break
		}
		switch c.state {
		case fresh, asked:
			return false
		case late:
			if p.late[c.by] < k/2 {
				return false
			}
		case answered:
			left--
		}
	}
	return true
}

func (l *lookup) result() Result {
	r := Result{Record: l.best, Asked: l.asked, Failed: l.failed}
	for i := range l.paths {
		for _, c := range l.paths[i].list {
			if c.state == answered {
				r.Closest = append(r.Closest, c.peer)
			}
		}
	}
	SortNearest(l.target, r.Closest)
	r.Closest = r.Closest[:min(len(r.Closest), l.k)]
	return r
}
