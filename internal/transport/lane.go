package transport

import (
	"encoding/binary"
	"errors"
	"time"
)

// The fast lane of a link: small messages travel in parcels, which are datagrams,
// instead of over the link's stream. All messages of a link are numbered
// whichever way they go, and the other end puts them in order. The stream is
// what makes the lane reliable: before anything is written to it, all parcels
// that were not acknowledged are. So what comes over the stream is always the
// next message or one that has come already; only parcels may come early.
//
// What is here knows no clock, no socket and no lock; express.go brings it all
// together.

const (
	// maxUnacked is how many parcels may be on their way; then the stream is used.
	maxUnacked = 64
	// maxEarly and maxEarlySize bound the parcels that wait for what is before
	// them. One that does not fit is not acknowledged: it comes over the stream.
	maxEarly     = maxUnacked
	maxEarlySize = 64 << 10
	// laneMark is the first byte of a datagram that belongs to a lane: no message
	// begins with it, for 0 is no message's number.
	laneMark = 0
	// maxLaneHead is the longest head: the mark and five numbers.
	maxLaneHead = 1 + 5*binary.MaxVarintLen64
	// maxParcel is how many bytes of messages a parcel has at most.
	maxParcel = MaxDatagram - maxLaneHead
	// lossRest is how long the stream is used after a loss: its congestion control
	// knows better how much the way bears. Losses soon after each other double it.
	lossRest    = 250 * time.Millisecond
	maxLossRest = 5 // doublings
	forgetLoss  = 10 * time.Second
	// overtakes is by how much a parcel may be late.
	overtakes = 10 * time.Millisecond
	// ackAfter is how long an acknowledgement may wait for a parcel to go with
	// when no more come, ackFlow while others do, ackAtLeast how many parcels do
	// without one.
	ackAfter   = 100 * time.Millisecond
	ackFlow    = 500 * time.Millisecond
	ackAtLeast = 16
	// laneLimit is after how long, and two round trips, the last parcel must have
	// been acknowledged, laneFlow any.
	laneLimit = 450 * time.Millisecond
	laneFlow  = 900 * time.Millisecond
)

var (
	errLane  = errors.New("a parcel is malformed")
	errOrder = errors.New("a message on the link is not the next one")
)

// parcel is some messages in a row, each with its length before it.
type parcel struct {
	index uint64 // of the parcels of its direction, from 1
	first uint64 // the number of the first message
	at    time.Duration
	body  []byte
}

// acks say which parcels have arrived: the one with the greatest index, and bit
// i of missing is set if the one i+1 before it has not.
type acks struct{ largest, missing uint64 }

// laneHead is what a parcel says beside its messages. One without an index only
// acknowledges.
type laneHead struct {
	link uint64 // the receiver's number for the link
	acks
	index, first uint64
}

func (h *laneHead) append(b []byte) []byte {
	b = append(b, laneMark)
	b = binary.AppendUvarint(b, h.link)
	b = binary.AppendUvarint(b, h.largest)
	b = binary.AppendUvarint(b, h.missing)
	b = binary.AppendUvarint(b, h.index)
	if h.index != 0 {
		b = binary.AppendUvarint(b, h.first)
	}
	return b
}

// parseLane reads a head; the rest of b is the messages.
func parseLane(b []byte) (h laneHead, body []byte, err error) {
	if len(b) == 0 || b[0] != laneMark {
		return h, nil, errLane
	}
	b = b[1:]
	for _, v := range []*uint64{&h.link, &h.largest, &h.missing, &h.index, &h.first} {
		if v == &h.first && h.index == 0 {
			break
		}
		n := 0
		if *v, n = binary.Uvarint(b); n <= 0 {
			return h, nil, errLane
		}
		b = b[n:]
	}
	if (h.index == 0) != (len(b) == 0) {
		return h, nil, errLane
	}
	return h, b, nil
}

// nextIn takes the first message off a parcel's body.
func nextIn(body []byte) (message, rest []byte, err error) {
	size, n := binary.Uvarint(body)
	if n <= 0 || size > uint64(len(body)-n) {
		return nil, nil, errLane
	}
	body = body[n:]
	return body[:size:size], body[size:], nil
}

// outLane is the sending half. Of the link's messages it counts those that went
// over the stream, too.
type outLane struct {
	number uint64    // of the last message
	index  uint64    // of the last parcel
	sent   []*parcel // and not acknowledged, oldest first
	lost   bool      // a parcel is: all are to go over the stream now
	rest   time.Duration
	losses int
	lostAt time.Duration // when the last one was noticed
	top    time.Duration // when the parcel with the greatest acknowledged index was sent
}

// free reports whether a parcel may be sent.
func (o *outLane) free(now time.Duration) bool {
	return !o.lost && now >= o.rest && len(o.sent) < maxUnacked
}

// keep notes a parcel that is sent now.
func (o *outLane) keep(p *parcel, now time.Duration) {
	o.index++
	p.index, p.at = o.index, now
	o.sent = append(o.sent, p)
}

// lose gives the lane up for a while.
func (o *outLane) lose(now time.Duration) {
	if o.lost {
		return
	}
	if now-o.lostAt > forgetLoss {
		o.losses = 0
	}
	o.lost, o.lostAt = true, now
	o.rest = now + lossRest<<min(o.losses, maxLossRest)
	o.losses++
}

// acknowledged takes what the other end says; done gets the parcels that have
// arrived. One that has not is lost if two that were sent later have, or one
// that was sent well after it: parcels hardly overtake each other by more.
func (o *outLane) acknowledged(a acks, now time.Duration, done func(*parcel)) {
	if a.largest > o.index {
		return // nonsense
	}
	for _, p := range o.sent {
		if p.index == a.largest {
			o.top = max(o.top, p.at)
		}
	}
	kept := o.sent[:0]
	lost := false
	for _, p := range o.sent {
		switch d := a.largest - 1 - p.index; {
		case p.index > a.largest:
			kept = append(kept, p)
		case p.index == a.largest, d < 64 && a.missing>>d&1 == 0:
			done(p)
		default:
			kept = append(kept, p)
			lost = lost || d > 0 || o.top-p.at > overtakes
		}
	}
	clear(o.sent[len(kept):])
	o.sent = kept
	if lost {
		o.lose(now)
	}
}

// overdue reports whether something should have been acknowledged by now: the
// first parcel, though others follow it, or the last. trip is added to both.
func (o *outLane) overdue(now, trip time.Duration) bool {
	n := len(o.sent)
	return n > 0 && (now-o.sent[0].at > laneFlow+trip || now-o.sent[n-1].at > laneLimit+trip)
}

// spill appends what was not acknowledged as frames of the stream.
func (o *outLane) spill(b []byte, done func(*parcel)) []byte {
	for i, p := range o.sent {
		number := p.first
		for body := p.body; len(body) > 0; number++ {
			m, rest, err := nextIn(body)
			if err != nil {
				panic(err) // we have written it
			}
			start := len(b)
			b = append(b, make([]byte, frameHead)...)
			b = binary.BigEndian.AppendUint64(b, number)
			b = append(b, m...)
			putFrameHead(b[start:])
			body = rest
		}
		done(p)
		o.sent[i] = nil
	}
	o.sent, o.lost = o.sent[:0], false
	return b
}

// inAcks is what the receiving half knows of parcels.
type inAcks struct {
	acks
	owed  int           // parcels that were not acknowledged yet
	since time.Duration // when the first of them came,
	last  time.Duration // and the last
}

// owe is when another parcel is to be acknowledged; it reports whether that are
// so many that it is to be done at once.
func (a *inAcks) owe(now time.Duration) (enough bool) {
	if a.owed++; a.owed == 1 {
		a.since = now
	}
	a.last = now
	return a.owed >= ackAtLeast
}

// due reports whether an acknowledgement has waited long enough for a parcel to
// go with. While others come it may wait for longer: it tells of all of them.
func (a *inAcks) due(now time.Duration) bool {
	return a.owed > 0 && (now-a.last >= ackAfter || now-a.since >= ackFlow)
}

// fresh reports whether a parcel has not come yet, as far as can be told.
func (a *inAcks) fresh(index uint64) bool {
	if index > a.largest {
		return true
	}
	d := a.largest - 1 - index
	return index < a.largest && d < 64 && a.missing>>d&1 == 1
}

// note is when a fresh parcel has come; it reports whether one before it has
// not.
func (a *inAcks) note(index uint64) (gap bool) {
	if index < a.largest {
		a.missing &^= 1 << (a.largest - 1 - index)
		return false
	}
	step := index - a.largest
	if step > 64 {
		a.missing = ^uint64(0)
	} else {
		a.missing = a.missing<<step | (1<<(step-1) - 1)
	}
	a.largest = index
	return step > 1
}

// inLane puts messages in order.
type inLane struct {
	done      uint64 // the number of the last message that was delivered
	early     []parcel
	earlySize int
}

// deliver gets messages in order.
type deliver func(message []byte)

// stream takes a message that came over the stream.
func (l *inLane) stream(number uint64, message []byte, to deliver) error {
	switch {
	case number <= l.done:
		return nil // it has come by parcel
	case number != l.done+1:
		return errOrder
	}
	l.done = number
	to(message)
	return l.drain(to)
}

// room reports whether a parcel can be taken now.
func (l *inLane) room(first uint64, body []byte) bool {
	return first <= l.done+1 || len(l.early) < maxEarly && l.earlySize+len(body) <= maxEarlySize
}

// parcel takes a parcel that there is room for. It keeps nothing of body.
func (l *inLane) parcel(first uint64, body []byte, to deliver) error {
	if first > l.done+1 {
		l.early = append(l.early, parcel{first: first, body: append([]byte(nil), body...)})
		l.earlySize += len(body)
		return nil
	}
	if err := l.open(first, body, to); err != nil {
		return err
	}
	return l.drain(to)
}

// open delivers those messages of a parcel that have not come yet.
func (l *inLane) open(number uint64, body []byte, to deliver) error {
	for ; len(body) > 0; number++ {
		m, rest, err := nextIn(body)
		if err != nil {
			return err
		}
		if body = rest; number == l.done+1 {
			l.done = number
			to(m)
		}
	}
	return nil
}

// drain takes the parcels whose turn has come.
func (l *inLane) drain(to deliver) error {
	for i := 0; i < len(l.early); i++ {
		p := l.early[i]
		if p.first > l.done+1 {
			continue
		}
		last := len(l.early) - 1
		l.early[i] = l.early[last]
		l.early[last] = parcel{}
		l.early = l.early[:last]
		l.earlySize -= len(p.body)
		if err := l.open(p.first, p.body, to); err != nil {
			return err
		}
		i = -1 // others may be next now
	}
	return nil
}
