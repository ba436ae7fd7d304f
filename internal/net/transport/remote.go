package transport

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/session"
)

// Bounds of what one link may have in the loop's inbox: beyond them its reader
// waits, and with it, by QUIC's flow control, the sender.
const (
	maxInboxMessages = 1024
	maxInboxBytes    = 4 << 20
)

// writeSize is about how much is encoded before it is written.
const writeSize = 64 << 10

// remote is a link's way to another node. Messages that the machine sends wait
// in the Link, as those for a session do; when the loop has time a writer
// starts, encodes and sends all of them, and ends: an idle link has one
// goroutine, its reader, beside those of QUIC.
type remote struct {
	k *Link
	n *network

	// Guarded by k.mu:
	conn           *connection // nil: not open yet
	first          []byte      // a hello to be sent before all else
	writing        bool        // the writer runs, or will not run again
	ending         bool        // the link's end was seen to
	sender         batchSender
	acceptsBatches bool // the other end takes batches
	ask            bool // the other end is to give a sign of life

	watched atomic.Bool // datagram paths.active has it

	life

	bytes   atomic.Int64 // in the loop's inbox
	stalled atomic.Bool  // the reader waits for room
	room    chan struct{}

	who  machine.Peer // the other end with its true id, from attach on
	way  session.Way  // to it
	acks struct {
		sync.Mutex
		ackState
	}
	receiver struct { // held while messages are brought to the loop, in their order
		sync.Mutex
		batchReceiver
		batch  []event
		closed bool // nothing more may come: the loop hears of the end
	}

	// Only the loop touches these.
	sessionChecked time.Duration // when it must be looked again whether there is a session
	seq, farSeq    uint64        // the link's numbers at both ends
	instance       uint64        // of the far end
	guest          bool          // the other end has opened it
	cancel         context.CancelFunc
	lost           bool     // the other end wants its own link instead of ours
	next           *arrival // a link that waits for the end of this one, or of our attempt
}

// connection is a QUIC connection with its one stream.
type connection struct {
	*quic.Conn
	stream *quic.Stream
	frames *frames
	n      *network
}

// attach gives the link its connection: now the reader runs, and what was sent
// before is written. Only the loop calls it.
func (r *remote) attach(c *connection, first []byte) {
	pub, _ := keyOf(c.ConnectionState().TLS) // meet has looked
	r.who = machine.Peer{ID: id.Of(pub), Addr: r.k.peer.Addr}
	r.way.To = r.who
	r.heard.Store(int64(r.n.elapsed()))
	r.k.mu.Lock()
	r.conn, r.first = c, first
	r.k.wakeReader()
	r.k.mu.Unlock()
	r.n.live.Go(r.read)
}

// wake starts the writer if there is something for it to do, and sees to the
// end of the link. It holds k.mu.
func (r *remote) wake() {
	if r.conn == nil {
		return
	}
	c := r.conn
	if r.k.state != machine.LinkUp && !r.ending {
		r.ending = true
		if r.k.state == machine.LinkFailed {
			r.n.live.Go(func() { c.abort(codeFailed) })
		} else {
			time.AfterFunc(r.n.cfg.Linger, func() { c.abort(codeFailed) }) // unless it is over
		}
	}
	if !r.writing {
		r.writing = true
		r.n.live.Go(r.write)
	}
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, writeSize+writeSize/4); return &b }}

// write sends everything that waits.
func (r *remote) write() {
	p := buffers.Get().(*[]byte)
	defer buffers.Put(p)
	var batch []machine.Message
	for {
		var first []byte
		var number uint64
		batch, number, first = r.take(batch)
		if batch == nil {
			return
		}
		if r.send(p, batch, number, first) != nil {
			return // the reader notices, too, and says so
		}
	}
}

// take takes all that waits, and what must be written before it; nil if the
// writer is to end. Number is that of the first message.
func (r *remote) take(spare []machine.Message) (batch []machine.Message, number uint64, first []byte) {
	clear(spare)
	k := r.k
	k.mu.Lock()
	defer k.mu.Unlock()
	first, r.first = r.first, nil
	ended := k.state != machine.LinkUp
	if len(k.out) > 0 || first != nil || r.sender.lost || r.ask || ended && len(r.sender.sent) > 0 {
		first = r.sender.drainToStream(first, freeBatch)
		if r.ask { // a message of which nothing is left
			r.ask = false
			r.sender.number++
			first = r.n.appendFrame(first, r.sender.number, nil)
		}
		batch, k.out = k.out, spare[:0]
		k.taken = len(batch)
		number = r.sender.number + 1
		r.sender.number += uint64(len(batch))
		if batch == nil {
			batch = []machine.Message{}
		}
		return batch, number, first
	}
	if !ended {
		r.writing = false
	} else {
		r.conn.stream.Close() // and writing stays: nothing comes any more
	}
	return nil, 0, nil
}

// send encodes and writes a batch, in parts that bound the memory it takes.
func (r *remote) send(p *[]byte, batch []machine.Message, number uint64, first []byte) error {
	b := append((*p)[:0], first...)
	for len(b) > 0 || len(batch) > 0 {
		n := 0
		for n < len(batch) && len(b) < writeSize {
			b = r.n.appendFrame(b, number, batch[n])
			number++
			n++
		}
		_, err := r.conn.stream.Write(b)
		if cap(b) <= 2*writeSize {
			*p = b
		}
		b = (*p)[:0]
		batch = batch[n:]
		r.sent(n, err)
		if err != nil {
			return err
		}
	}
	return nil
}

// sent notes that messages are on their way, or that no more can be sent.
func (r *remote) sent(n int, err error) {
	k := r.k
	k.mu.Lock()
	defer k.mu.Unlock()
	k.taken -= n
	if err != nil {
		k.taken, k.out = 0, nil
	}
	if k.taken+len(k.out) <= k.loop.cfg.Queue/2 {
		k.since = 0
	}
}

// appendFrame encodes a message with its number; nil: nothing but that.
func (n *network) appendFrame(b []byte, number uint64, m machine.Message) []byte {
	start := len(b)
	b = append(b, make([]byte, frameHead)...)
	b = binary.BigEndian.AppendUint64(b, number)
	if m != nil {
		b = n.appendMessage(b, m)
	}
	putFrameHead(b[start:])
	return b
}

// appendMessage encodes a message; of one that cannot be sent nothing is left,
// so that the other end knows that nothing comes with its number.
func (n *network) appendMessage(b []byte, m machine.Message) []byte {
	start := len(b)
	b, err := n.cfg.Codec.Append(b, m)
	if size := len(b) - start; err == nil && size > n.cfg.MaxMessage {
		err = fmt.Errorf("%w: %d bytes, at most %d", errFrame, size, n.cfg.MaxMessage)
	}
	if err != nil {
		n.tally.fail("encode")
		n.l.log.Error("a message cannot be sent", "type", fmt.Sprintf("%T", m), "error", err)
		return b[:start]
	}
	n.tally.count(m, out, len(b)-start+frameHead)
	return b
}

// read brings what arrives to the loop until the link ends.
func (r *remote) read() {
	c := r.conn
	how, err := r.receive(c)
	if r.silent.Load() {
		how, err = machine.LinkFailed, errSilent
	}
	r.receiver.Lock()
	r.receiver.closed = true
	r.receiver.Unlock()
	r.k.loop.post(event{kind: evGone, link: r.k, gone: how})
	if how == machine.LinkFailed {
		r.n.failed(r.k.peer, err)
		c.abort(codeOf(err))
		return
	}
	c.abort(codeClosed)
}

func (r *remote) receive(c *connection) (machine.LinkEvent, error) {
	for {
		if err := r.frames(c); err != nil {
			return machine.LinkFailed, err
		}
		r.wait()
		if err := c.frames.more(); err != nil {
			if errors.Is(err, io.EOF) || codeIn(err) == codeClosed {
				return machine.LinkClosed, nil
			}
			return machine.LinkFailed, err
		}
	}
}

// frames takes what the stream has brought whole.
func (r *remote) frames(c *connection) error {
	r.heard.Store(int64(r.n.elapsed()))
	r.receiver.Lock()
	defer r.receiver.Unlock()
	defer func() { r.post(r.k.loop.post) }()
	for {
		b, err := c.frames.next()
		switch {
		case err != nil:
			return err
		case b == nil:
			return nil
		case len(b) < numberSize:
			return errOrder
		}
		if err := r.receiver.stream(binary.BigEndian.Uint64(b), b[numberSize:], r.decode); err != nil {
			return err
		}
	}
}

// decode reads a message; one that is malformed is counted and left out. r.in
// is held.
func (r *remote) decode(b []byte) {
	if len(b) == 0 {
		return // it could not be sent
	}
	m, err := r.n.cfg.Codec.Decode(b)
	if err != nil {
		r.n.malformed(r.k.peer, err)
		return
	}
	r.n.tally.count(m, in, len(b)+frameHead)
	r.receiver.batch = append(r.receiver.batch, event{kind: evMessage, link: r.k, body: m, size: int32(len(b))})
}

// post gives messages to the loop. r.in is held.
func (r *remote) post(to func(...event)) {
	batch := r.receiver.batch
	if len(batch) == 0 {
		return
	}
	var size int64
	for i := range batch {
		size += int64(batch[i].size)
	}
	r.k.inflight.Add(int32(len(batch)))
	r.bytes.Add(size)
	to(batch...)
	clear(batch)
	r.receiver.batch = batch[:0]
	if cap(batch) > 64 {
		r.receiver.batch = nil
	}
}

// full reports whether the loop has too many messages of this link.
func (r *remote) full() bool {
	return r.k.inflight.Load() > maxInboxMessages || r.bytes.Load() > maxInboxBytes
}

// wait waits while the loop has too many messages of this link.
func (r *remote) wait() {
	for r.full() {
		r.stalled.Store(true)
		if r.k.inflight.Load() <= maxInboxMessages/2 && r.bytes.Load() <= maxInboxBytes/2 {
			r.stalled.Store(false)
			return
		}
		select {
		case <-r.room:
		case <-r.n.ctx.Done():
			return
		}
	}
}

// handled is when the loop has one message less of this link.
func (r *remote) handled(n, size int32) {
	all := r.bytes.Add(-int64(size))
	if n <= maxInboxMessages/2 && all <= maxInboxBytes/2 && r.stalled.CompareAndSwap(true, false) {
		select {
		case r.room <- struct{}{}:
		default:
		}
	}
}

// abort ends the connection at once. It waits until that is done: the loop must
// not call it.
func (c *connection) abort(code quic.ApplicationErrorCode) {
	c.CloseWithError(code, codeText[code])
	c.n.release(c)
}
