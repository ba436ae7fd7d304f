package transport

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// How the fast lanes of links run: who sends parcels, when they are
// acknowledged, and what happens to those that are not. A parcel is sealed and
// sent by the loop itself, and opened and handled by the reader of the port: no
// goroutine is woken for it at either end (decision 14).

const (
	// laneSweep is how often lanes are looked after that have something on their
	// way.
	laneSweep = 150 * time.Millisecond
	// askSession is how often it is made sure that there is a session.
	askSession = time.Second
)

// lanes are those of all links that are up.
type lanes struct {
	mu      sync.Mutex
	of      map[uint64]*remote // by our number of the link
	busy    map[*remote]bool   // something is on its way
	running bool
}

// add begins a link's lane. Who has dialled knows that the other end takes
// parcels, and says so, too.
func (l *lanes) add(r *remote, dialled bool) {
	l.mu.Lock()
	if l.of == nil {
		l.of, l.busy = map[uint64]*remote{}, map[*remote]bool{}
	}
	l.of[r.seq] = r
	l.mu.Unlock()
	if !dialled {
		return
	}
	r.k.mu.Lock()
	r.open = true
	r.k.mu.Unlock()
	r.acknowledge()
}

func (l *lanes) remove(r *remote) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[r.seq] == r {
		delete(l.of, r.seq)
	}
}

func (l *lanes) get(number uint64) *remote {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of[number]
}

// tend looks after a lane until nothing of it is on its way any more.
func (n *network) tend(r *remote) {
	if r.tended.Load() { // as for nearly every parcel
		return
	}
	l := &n.lanes
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[r.seq] != r {
		return
	}
	l.busy[r] = true
	r.tended.Store(true)
	if !l.running {
		l.running = true
		n.live.Go(n.sweepLanes)
	}
}

func (n *network) sweepLanes() {
	l := &n.lanes
	tick := time.NewTicker(laneSweep)
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
		lag = max(now-last-laneSweep, lag-lag/8)
		last = now
		l.mu.Lock()
		all = all[:0]
		for r := range l.busy {
			if l.of[r.seq] != r {
				delete(l.busy, r)
				continue
			}
			all = append(all, r)
		}
		l.mu.Unlock()
		for _, r := range all {
			r.sweep(lag)
		}
		clear(all)
		l.mu.Lock()
		if len(l.busy) == 0 {
			l.running = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
	}
}

// sweep does what is due. A node that has its own turn late by lag reads what has
// come as late, and the other end may be no better off: to use the stream then,
// which costs several times as much, would make both later still.
func (r *remote) sweep(lag time.Duration) {
	r.tended.Store(false) // before it is looked: who comes after that says so again
	now := r.n.elapsed()
	r.k.mu.Lock()
	if r.out.overdue(now, 2*lag) && r.out.overdue(now, 2*(lag+r.conn.ConnectionStats().SmoothedRTT)) {
		r.giveLaneUp(now)
	}
	busy := len(r.out.sent) > 0
	r.k.mu.Unlock()
	r.acks.Lock()
	due := r.acks.due(now)
	busy = busy || r.acks.owed > 0 && !due
	r.acks.Unlock()
	if due {
		r.acknowledge()
	}
	if busy {
		r.tended.Store(true)
		return
	}
	l := &r.n.lanes
	l.mu.Lock()
	defer l.mu.Unlock()
	if !r.tended.Load() {
		delete(l.busy, r)
	}
}

// giveLaneUp lets the stream bring what parcels have not. It holds k.mu.
func (r *remote) giveLaneUp(now time.Duration) {
	r.out.lose(now)
	r.n.tally.fail("parcel lost")
	r.wake()
}

// elapsed is the lanes' clock.
func (n *network) elapsed() time.Duration { return time.Since(n.began) }

var parcels = sync.Pool{New: func() any { return &parcel{body: make([]byte, 0, maxParcel)} }}

func freeParcel(p *parcel) {
	if cap(p.body) <= 2*maxParcel {
		parcels.Put(p)
	}
}

// express sends what waits by parcels, if all of it is small and nothing else is
// under way; it reports false if it has not. It holds k.mu.
func (r *remote) express() bool {
	k := r.k
	if !r.open || r.conn == nil || r.writing || r.first != nil || k.state != machine.LinkUp || len(k.out) == 0 {
		return false
	}
	for _, m := range k.out {
		if q, ok := m.(machine.Quick); !ok || !q.Quick() {
			return false
		}
	}
	now := r.n.elapsed()
	if !r.out.free(now) {
		return false
	}
	if now >= r.asked {
		if !r.n.sessions.Ready(r.who) {
			return false
		}
		r.asked = now + askSession
	}
	p := r.newParcel()
	for i, m := range k.out {
		k.out[i] = nil
		r.n.scratch = r.n.appendMessage(r.n.scratch[:0], m)
		b := r.n.scratch
		if len(p.body) > 0 && len(p.body)+len(b)+binary.MaxVarintLen32 > maxParcel {
			r.dispatch(p, now)
			p = r.newParcel()
		}
		r.out.number++
		p.body = append(binary.AppendUvarint(p.body, uint64(len(b))), b...)
	}
	r.dispatch(p, now)
	k.out = k.out[:0]
	k.since = 0
	r.n.tend(r)
	if r.out.lost {
		r.wake()
	}
	return true
}

// newParcel is one for the messages that are counted next.
func (r *remote) newParcel() *parcel {
	p := parcels.Get().(*parcel)
	p.first, p.body = r.out.number+1, p.body[:0]
	return p
}

// dispatch sends a parcel; one that is too long, or one too many, goes over the
// stream. It holds k.mu.
func (r *remote) dispatch(p *parcel, now time.Duration) {
	tooMuch := len(p.body) > maxParcel || !r.out.free(now)
	r.out.keep(p, now)
	if tooMuch {
		r.out.lost = true
		return
	}
	r.sendParcel(laneHead{index: p.index, first: p.first}, p.body, now)
}

// acknowledge sends a parcel without messages.
func (r *remote) acknowledge() { r.sendParcel(laneHead{}, nil, r.n.elapsed()) }

// sendParcel completes the head, and sends.
func (r *remote) sendParcel(h laneHead, body []byte, now time.Duration) {
	r.spoke.Store(int64(now))
	if h.index == 0 {
		r.n.tally.parcels[1].Add(1)
	} else {
		r.n.tally.parcels[0].Add(1)
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

// parcel takes a parcel on the goroutine that reads the port.
func (n *network) parcel(from machine.Peer, b []byte) {
	h, body, err := parseLane(b)
	if err != nil {
		n.malformed(from, err)
		return
	}
	r := n.lanes.get(h.link)
	if r == nil || r.who.ID != from.ID {
		return // the link has just ended, or is not ours yet
	}
	now := n.elapsed()
	r.heard.Store(int64(now))
	r.k.mu.Lock()
	r.open = true
	before := r.out.lost
	r.out.acknowledged(h.acks, now, freeParcel)
	if r.out.lost && !before {
		n.tally.fail("parcel lost")
		r.wake()
	}
	r.k.mu.Unlock()
	if h.index != 0 {
		r.takeParcel(&h, body, now)
	}
}

// takeParcel brings the messages of a parcel to the loop. One that there is no
// room for is dropped: it comes over the stream, which waits for room.
func (r *remote) takeParcel(h *laneHead, body []byte, now time.Duration) {
	r.in.Lock()
	defer r.in.Unlock()
	if r.in.closed || r.full() || !r.in.room(h.first, body) {
		return
	}
	r.acks.Lock()
	gap, fresh := false, r.acks.fresh(h.index)
	if fresh {
		gap = r.acks.note(h.index)
	}
	hurry := r.acks.owe(now) || gap
	r.acks.Unlock()
	if fresh {
		if err := r.in.parcel(h.first, body, r.decode); err != nil {
			r.n.malformed(r.k.peer, err)
		}
		r.post(r.k.loop.here)
	}
	if hurry {
		r.acknowledge()
	} else {
		r.n.tend(r)
	}
}
