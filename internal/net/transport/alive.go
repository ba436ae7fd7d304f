package transport

import (
	"errors"
	"sync/atomic"
	"time"
)

// Whether the other end of a link is alive is seen from what it says, by batch
// or over the stream. QUIC could tell, too, but its sign of life and the answer
// wake six goroutines, and a node of many links would send more of them than of
// anything else. So they are sent only where nothing else has come for a while.

// pulse is what one end knows of the other's life. It knows no clock and no link.
type pulse struct {
	heard   time.Duration // when something came
	asked   time.Duration // when the other end was asked for a sign of life; 0: since heard it was not
	packets uint64        // of QUIC that had come when it was looked last
}

// What a look at a pulse shows.
const (
	pulseFine = iota
	pulseAsk  // nothing has come for half as long as a link may be silent
	pulseDead
)

// look judges a pulse at now: last is when a batch or a message came last,
// packets how many of QUIC have come. A link that is silent for dead has failed.
func (p *pulse) look(now, last time.Duration, packets uint64, dead time.Duration) int {
	if packets != p.packets { // an answer of QUIC alone is a sign of life, too
		p.packets, last = packets, now
	}
	if last > p.heard {
		p.heard, p.asked = last, 0
	}
	switch silent := now - p.heard; {
	case p.asked == 0 && silent >= dead/2:
		p.asked = now
		return pulseAsk
	case p.asked != 0 && silent >= dead && now-p.asked >= dead/2:
		return pulseDead
	}
	return pulseFine
}

// quiet is how many times Dead passes until QUIC does something itself about a
// link that nothing is sent over.
const quiet = 10

// looks is how often in the time that a link may be silent all are looked at.
const looks = 6

var errSilent = errors.New("nothing has come from the other end for too long")

// life is a link's part of it.
type life struct {
	heard  atomic.Int64 // when a batch or a message came, by the network's clock
	spoke  atomic.Int64 // when a batch was sent
	silent atomic.Bool  // it was given up for that
	pulse               // only watchLinks touches it
}

// watchLinks looks after the life of all links that are up. An end that has not
// had its turn itself for a while does not blame others for it: what they have
// said waits to be read.
func (n *network) watchLinks() {
	every := max(n.cfg.Dead/looks, time.Millisecond)
	tick := time.NewTicker(every)
	defer tick.Stop()
	var all []*remote
	last := n.elapsed()
	for {
		select {
		case <-tick.C:
		case <-n.ctx.Done():
			return
		}
		now := n.elapsed()
		late := now-last > 2*every
		last = now
		all = n.datagrams.all(all[:0])
		for _, r := range all {
			r.look(now, late)
		}
		clear(all)
	}
}

// all appends the links that are up.
func (l *datagramPaths) all(to []*remote) []*remote {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.byNumber {
		to = append(to, r)
	}
	return to
}

// look does what a link's life wants now.
func (r *remote) look(now time.Duration, late bool) {
	dead := r.n.cfg.Dead
	if late && r.pulse.asked != 0 {
		r.pulse.asked = now // the answer may be there already
	}
	switch r.pulse.look(now, time.Duration(r.heard.Load()), r.conn.ConnectionStats().PacketsReceived, dead) {
	case pulseAsk:
		r.k.mu.Lock()
		r.ask = true
		r.wake()
		r.k.mu.Unlock()
	case pulseDead:
		if !r.silent.Swap(true) {
			r.n.live.Go(func() { r.conn.abort(codeFailed) })
		}
		return
	}
	if now-time.Duration(r.spoke.Load()) < dead/3 {
		return
	}
	r.k.mu.Lock()
	open := r.acceptsBatches
	r.k.mu.Unlock()
	if open {
		r.acknowledge()
	}
}
