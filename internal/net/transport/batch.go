package transport

import (
	"encoding/binary"
	"errors"
	"time"
)

// The datagram path of a link: small messages travel in batches, which are datagrams,
// instead of over the link's stream. All messages of a link are numbered
// whichever way they go, and the other end puts them in order. The stream is
// what makes the datagram path reliable: before anything is written to it, all batches
// that were not acknowledged are. So what comes over the stream is always the
// next message or one that has come already; only batches may come early.
//
// What is here knows no clock, no socket and no lock; express.go brings it all
// together.

const (
	// maxUnacked is how many batches may be on their way; then the stream is used.
	maxUnacked = 64
	// maxEarly and maxEarlySize bound the batches that wait for what is before
	// them. One that does not fit is not acknowledged: it comes over the stream.
	maxEarly     = maxUnacked
	maxEarlySize = 64 << 10
	// batchMark is the first byte of a datagram that belongs to a datagram path: no message
	// begins with it, for 0 is no message's number.
	batchMark = 0
	// maxBatchHeader is the longest head: the mark and five numbers.
	maxBatchHeader = 1 + 5*binary.MaxVarintLen64
	// maxBatch is how many bytes of messages a batch has at most.
	maxBatch = MaxDatagram - maxBatchHeader
	// lossPause is how long the stream is used after a loss: its congestion control
	// knows better how much the way bears. Losses soon after each other double it.
	lossPause        = 250 * time.Millisecond
	maxLossDoublings = 5 // doublings
	lossMemory       = 10 * time.Second
	// reorderWindow is by how much a batch may be late.
	reorderWindow = 10 * time.Millisecond
	// ackAfter is how long an acknowledgement may wait for a batch to go with
	// when no more come, ackFlow while others do, ackAtLeast how many batches do
	// without one.
	ackAfter   = 100 * time.Millisecond
	ackFlow    = 500 * time.Millisecond
	ackAtLeast = 16
	// lastAckLimit is after how long, and two round trips, the last batch must have
	// been acknowledged, anyAckLimit any.
	lastAckLimit = 450 * time.Millisecond
	anyAckLimit  = 900 * time.Millisecond
)

var (
	errBatch = errors.New("a batch is malformed")
	errOrder = errors.New("a message on the link is not the next one")
)

// takeBatch is some messages in a row, each with its length before it.
type batch struct {
	index  uint64 // of the batches of its direction, from 1
	first  uint64 // the number of the first message
	sentAt time.Duration
	body   []byte
}

// acks say which batches have arrived: the one with the greatest index, and bit
// i of missing is set if the one i+1 before it has not.
type acks struct{ largest, missing uint64 }

// batchHeader is what a batch says beside its messages. One without an index only
// acknowledges.
type batchHeader struct {
	link uint64 // the receiver's number for the link
	acks
	index, first uint64
}

func (h *batchHeader) append(b []byte) []byte {
	b = append(b, batchMark)
	b = binary.AppendUvarint(b, h.link)
	b = binary.AppendUvarint(b, h.largest)
	b = binary.AppendUvarint(b, h.missing)
	b = binary.AppendUvarint(b, h.index)
	if h.index != 0 {
		b = binary.AppendUvarint(b, h.first)
	}
	return b
}

// parseBatch reads a head; the rest of b is the messages.
func parseBatch(b []byte) (h batchHeader, body []byte, err error) {
	if len(b) == 0 || b[0] != batchMark {
		return h, nil, errBatch
	}
	b = b[1:]
	for _, v := range []*uint64{&h.link, &h.largest, &h.missing, &h.index, &h.first} {
		if v == &h.first && h.index == 0 {
			break
		}
		n := 0
		if *v, n = binary.Uvarint(b); n <= 0 {
			return h, nil, errBatch
		}
		b = b[n:]
	}
	if (h.index == 0) != (len(b) == 0) {
		return h, nil, errBatch
	}
	return h, b, nil
}

// nextMessage takes the first message off a batch's body.
func nextMessage(body []byte) (message, rest []byte, err error) {
	size, n := binary.Uvarint(body)
	if n <= 0 || size > uint64(len(body)-n) {
		return nil, nil, errBatch
	}
	body = body[n:]
	return body[:size:size], body[size:], nil
}

// batchSender is the sending half. Of the link's messages it counts those that went
// over the stream, too.
type batchSender struct {
	number      uint64   // of the last message
	index       uint64   // of the last batch
	sent        []*batch // and not acknowledged, oldest first
	lost        bool     // a batch is: all are to go over the stream now
	resumeAt    time.Duration
	losses      int
	lostAt      time.Duration // when the last one was noticed
	newestAcked time.Duration // when the batch with the greatest acknowledged index was sent
}

// ready reports whether a batch may be sent.
func (o *batchSender) ready(now time.Duration) bool {
	return !o.lost && now >= o.resumeAt && len(o.sent) < maxUnacked
}

// track notes a batch that is sent now.
func (o *batchSender) track(b *batch, now time.Duration) {
	o.index++
	b.index, b.sentAt = o.index, now
	o.sent = append(o.sent, b)
}

// abandon gives the datagram path up for a while.
func (o *batchSender) abandon(now time.Duration) {
	if o.lost {
		return
	}
	if now-o.lostAt > lossMemory {
		o.losses = 0
	}
	o.lost, o.lostAt = true, now
	o.resumeAt = now + lossPause<<min(o.losses, maxLossDoublings)
	o.losses++
}

// acknowledged takes what the other end says; done gets the batches that have
// arrived. One that has not is lost if two that were sent later have, or one
// that was sent well after it: batches hardly overtake each other by more.
func (o *batchSender) acknowledged(a acks, now time.Duration, done func(*batch)) {
	if a.largest > o.index {
		return // nonsense
	}
	for _, b := range o.sent {
		if b.index == a.largest {
			o.newestAcked = max(o.newestAcked, b.sentAt)
		}
	}
	kept := o.sent[:0]
	lost := false
	for _, b := range o.sent {
		switch d := a.largest - 1 - b.index; {
		case b.index > a.largest:
			kept = append(kept, b)
		case b.index == a.largest, d < 64 && a.missing>>d&1 == 0:
			done(b)
		default:
			kept = append(kept, b)
			lost = lost || d > 0 || o.newestAcked-b.sentAt > reorderWindow
		}
	}
	clear(o.sent[len(kept):])
	o.sent = kept
	if lost {
		o.abandon(now)
	}
}

// overdue reports whether something should have been acknowledged by now: the
// first batch, though others follow it, or the last. trip is added to both.
func (o *batchSender) overdue(now, trip time.Duration) bool {
	n := len(o.sent)
	return n > 0 && (now-o.sent[0].sentAt > anyAckLimit+trip || now-o.sent[n-1].sentAt > lastAckLimit+trip)
}

// drainToStream appends what was not acknowledged as frames of the stream.
func (o *batchSender) drainToStream(b []byte, done func(*batch)) []byte {
	for i, p := range o.sent {
		number := p.first
		for body := p.body; len(body) > 0; number++ {
			m, rest, err := nextMessage(body)
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

// ackState is what the receiving half knows of batches.
type ackState struct {
	acks
	owed  int           // batches that were not acknowledged yet
	since time.Duration // when the first of them came,
	last  time.Duration // and the last
}

// received is when another batch is to be acknowledged; it reports whether that are
// so many that it is to be done at once.
func (a *ackState) received(now time.Duration) (enough bool) {
	if a.owed++; a.owed == 1 {
		a.since = now
	}
	a.last = now
	return a.owed >= ackAtLeast
}

// ackDue reports whether an acknowledgement has waited long enough for a batch to
// go with. While others come it may wait for longer: it tells of all of them.
func (a *ackState) ackDue(now time.Duration) bool {
	return a.owed > 0 && (now-a.last >= ackAfter || now-a.since >= ackFlow)
}

// isNew reports whether a batch has not come yet, as far as can be told.
func (a *ackState) isNew(index uint64) bool {
	if index > a.largest {
		return true
	}
	d := a.largest - 1 - index
	return index < a.largest && d < 64 && a.missing>>d&1 == 1
}

// note is when a fresh batch has come; it reports whether one before it has
// not.
func (a *ackState) note(index uint64) (gap bool) {
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

// batchReceiver puts messages in order.
type batchReceiver struct {
	done      uint64 // the number of the last message that was delivered
	early     []batch
	earlySize int
}

// deliver gets messages in order.
type deliver func(message []byte)

// stream takes a message that came over the stream.
func (l *batchReceiver) stream(number uint64, message []byte, to deliver) error {
	switch {
	case number <= l.done:
		return nil // it has come by batch
	case number != l.done+1:
		return errOrder
	}
	l.done = number
	to(message)
	return l.deliverReady(to)
}

// room reports whether a batch can be taken now.
func (l *batchReceiver) room(first uint64, body []byte) bool {
	return first <= l.done+1 || len(l.early) < maxEarly && l.earlySize+len(body) <= maxEarlySize
}

// takeBatch takes a batch that there is room for. It keeps nothing of body.
func (l *batchReceiver) takeBatch(first uint64, body []byte, to deliver) error {
	if first > l.done+1 {
		l.early = append(l.early, batch{first: first, body: append([]byte(nil), body...)})
		l.earlySize += len(body)
		return nil
	}
	if err := l.open(first, body, to); err != nil {
		return err
	}
	return l.deliverReady(to)
}

// open delivers those messages of a batch that have not come yet.
func (l *batchReceiver) open(number uint64, body []byte, to deliver) error {
	for ; len(body) > 0; number++ {
		m, rest, err := nextMessage(body)
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

// deliverReady takes the batches whose turn has come.
func (l *batchReceiver) deliverReady(to deliver) error {
	for i := 0; i < len(l.early); i++ {
		b := l.early[i]
		if b.first > l.done+1 {
			continue
		}
		last := len(l.early) - 1
		l.early[i] = l.early[last]
		l.early[last] = batch{}
		l.early = l.early[:last]
		l.earlySize -= len(b.body)
		if err := l.open(b.first, b.body, to); err != nil {
			return err
		}
		i = -1 // others may be next now
	}
	return nil
}
