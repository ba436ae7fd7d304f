package transport

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// How the datagram paths of links run: who sends batches, when they are
// acknowledged, and what happens to those that are not. A batch is sealed and
// sent by the loop itself, and opened and handled by the reader of the port: no
// goroutine is woken for it at either end (decision 14).

const (
	// pathSweep is how often datagram paths are looked after that have something on their
	// way.
	pathSweep = 150 * time.Millisecond
	// sessionCheckInterval is how often it is made sure that there is a session.
	sessionCheckInterval = time.Second
)

// datagrams are those of all links that are up.
type datagramPaths struct {
	mu       sync.Mutex
	byNumber map[uint64]*remote // by our number of the link
	active   map[*remote]bool   // something is on its way
	running  bool
}

// add begins a link's datagram path. Who has dialled knows that the other end takes
// batches, and says so, too.
func (l *datagramPaths) add(r *remote, dialled bool) {
	l.mu.Lock()
	if l.byNumber == nil {
		l.byNumber, l.active = map[uint64]*remote{}, map[*remote]bool{}
	}
	l.byNumber[r.seq] = r
	l.mu.Unlock()
	if !dialled {
		return
	}
	r.k.mu.Lock()
	r.acceptsBatches = true
	r.k.mu.Unlock()
	r.acknowledge()
}

func (l *datagramPaths) remove(r *remote) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byNumber[r.seq] == r {
		delete(l.byNumber, r.seq)
	}
}

func (l *datagramPaths) get(number uint64) *remote {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byNumber[number]
}

// watchPath looks after a datagram path until nothing of it is on its way any more.
func (n *network) watchPath(r *remote) {
	if r.watched.Load() { // as for nearly every batch
		return
	}
	l := &n.datagrams
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byNumber[r.seq] != r {
		return
	}
	l.active[r] = true
	r.watched.Store(true)
	if !l.running {
		l.running = true
		n.live.Go(n.sweepPaths)
	}
}

func (n *network) sweepPaths() {
	l := &n.datagrams
	tick := time.NewTicker(pathSweep)
	defer tick.Stop()
	var all []*remote
	var lag time.Duration // about the longest that this has waited for its turn of late
	last := n.elapsed()
	for {
		select {
		case <-tick.C:
		case <-n.ctx.Done():
			return
		}
		now := n.elapsed()
		lag = max(now-last-pathSweep, lag-lag/8)
		last = now
		l.mu.Lock()
		all = all[:0]
		for r := range l.active {
			if l.byNumber[r.seq] != r {
				delete(l.active, r)
				continue
			}
			all = append(all, r)
		}
		l.mu.Unlock()
		for _, r := range all {
			r.sweepPath(lag)
		}
		clear(all)
		l.mu.Lock()
		if len(l.active) == 0 {
			l.running = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
	}
}

// sweepPath does what is due. A node that has its own turn late by lag reads what has
// come as late, and the other end may be no better off: to use the stream then,
// which costs several times as much, would make both later still.
func (r *remote) sweepPath(lag time.Duration) {
	r.watched.Store(false) // before it is looked: who comes after that says so again
	now := r.n.elapsed()
	r.k.mu.Lock()
	if r.sender.overdue(now, 2*lag) && r.sender.overdue(now, 2*(lag+r.conn.ConnectionStats().SmoothedRTT)) {
		r.abandonPath(now)
	}
	busy := len(r.sender.sent) > 0
	r.k.mu.Unlock()
	r.acks.Lock()
	due := r.acks.ackDue(now)
	busy = busy || r.acks.owed > 0 && !due
	r.acks.Unlock()
	if due {
		r.acknowledge()
	}
	if busy {
		r.watched.Store(true)
		return
	}
	l := &r.n.datagrams
	l.mu.Lock()
	defer l.mu.Unlock()
	if !r.watched.Load() {
		delete(l.active, r)
	}
}

// abandonPath lets the stream bring what batches have not. It holds k.mu.
func (r *remote) abandonPath(now time.Duration) {
	r.sender.abandon(now)
	r.n.tally.fail("batch lost")
	r.wake()
}

// elapsed is the datagram paths' clock.
func (n *network) elapsed() time.Duration { return time.Since(n.began) }

var batchPool = sync.Pool{New: func() any { return &batch{body: make([]byte, 0, maxBatch)} }}

func freeBatch(b *batch) {
	if cap(b.body) <= 2*maxBatch {
		batchPool.Put(b)
	}
}

// sendBatches sends what waits by batches, if all of it is small and nothing else is
// under way; it reports false if it has not. It holds k.mu.
func (r *remote) sendBatches() bool {
	k := r.k
	if !r.acceptsBatches || r.conn == nil || r.writing || r.first != nil || k.state != machine.LinkUp || len(k.out) == 0 {
		return false
	}
	for _, m := range k.out {
		if !machine.IsQuick(m) {
			return false
		}
	}
	now := r.n.elapsed()
	if !r.sender.ready(now) {
		return false
	}
	if now >= r.sessionChecked {
		if !r.n.sessions.Ready(r.who) {
			return false
		}
		r.sessionChecked = now + sessionCheckInterval
	}
	p := r.newBatch()
	for i, m := range k.out {
		k.out[i] = nil
		r.n.scratch = r.n.appendMessage(r.n.scratch[:0], m)
		b := r.n.scratch
		if len(p.body) > 0 && len(p.body)+len(b)+binary.MaxVarintLen32 > maxBatch {
			r.dispatchBatch(p, now)
			p = r.newBatch()
		}
		r.sender.number++
		p.body = append(binary.AppendUvarint(p.body, uint64(len(b))), b...)
	}
	r.dispatchBatch(p, now)
	k.out = k.out[:0]
	k.since = 0
	r.n.watchPath(r)
	if r.sender.lost {
		r.wake()
	}
	return true
}

// newBatch is one for the messages that are counted next.
func (r *remote) newBatch() *batch {
	b := batchPool.Get().(*batch)
	b.first, b.body = r.sender.number+1, b.body[:0]
	return b
}

// dispatchBatch sends a batch; one that is too long, or one too many, goes over the
// stream. It holds k.mu.
func (r *remote) dispatchBatch(b *batch, now time.Duration) {
	tooMuch := len(b.body) > maxBatch || !r.sender.ready(now)
	r.sender.track(b, now)
	if tooMuch {
		r.sender.lost = true
		return
	}
	r.sendBatch(batchHeader{index: b.index, first: b.first}, b.body, now)
}

// acknowledge sends a batch without messages.
func (r *remote) acknowledge() { r.sendBatch(batchHeader{}, nil, r.n.elapsed()) }

// sendBatch completes the head, and sends.
func (r *remote) sendBatch(h batchHeader, body []byte, now time.Duration) {
	r.spoke.Store(int64(now))
	if h.index == 0 {
		r.n.tally.batches[1].Add(1)
	} else {
		r.n.tally.batches[0].Add(1)
	}
	h.link = r.farSeq
	r.acks.Lock()
	h.acks = r.acks.acks
	r.acks.owed = 0
	r.acks.Unlock()
	room := headRoom.Get().(*[MaxDatagram]byte)
	r.n.sessions.SendBy(&r.way, append(h.append(room[:0]), body...))
	headRoom.Put(room)
}

var headRoom = sync.Pool{New: func() any { return new([MaxDatagram]byte) }}

// takeBatch takes a batch on the goroutine that reads the port.
func (n *network) onBatch(from machine.Peer, b []byte) {
	h, body, err := parseBatch(b)
	if err != nil {
		n.malformed(from, err)
		return
	}
	r := n.datagrams.get(h.link)
	if r == nil || r.who.ID != from.ID {
		return // the link has just ended, or is not ours yet
	}
	now := n.elapsed()
	r.heard.Store(int64(now))
	r.k.mu.Lock()
	r.acceptsBatches = true
	before := r.sender.lost
	r.sender.acknowledged(h.acks, now, freeBatch)
	if r.sender.lost && !before {
		n.tally.fail("batch lost")
		r.wake()
	}
	r.k.mu.Unlock()
	if h.index != 0 {
		r.takeBatch(&h, body, now)
	}
}

// takeBatch brings the messages of a batch to the loop. One that there is no
// room for is dropped: it comes over the stream, which waits for room.
func (r *remote) takeBatch(h *batchHeader, body []byte, now time.Duration) {
	r.receiver.Lock()
	defer r.receiver.Unlock()
	if r.receiver.closed || r.full() || !r.receiver.room(h.first, body) {
		return
	}
	r.acks.Lock()
	gap, fresh := false, r.acks.isNew(h.index)
	if fresh {
		gap = r.acks.note(h.index)
	}
	hurry := r.acks.received(now) || gap
	r.acks.Unlock()
	if fresh {
		if err := r.receiver.takeBatch(h.first, body, r.decode); err != nil {
			r.n.malformed(r.k.peer, err)
		}
		r.post(r.k.loop.here)
	}
	if hurry {
		r.acknowledge()
	} else {
		r.n.watchPath(r)
	}
}
