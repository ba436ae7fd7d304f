package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
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
	conn    *connection // nil: not open yet
	first   []byte      // a hello to be sent before all else
	writing bool        // the writer runs, or will not run again
	ending  bool        // the link's end was seen to

	bytes   atomic.Int64 // in the loop's inbox
	stalled atomic.Bool  // the reader waits for room
	room    chan struct{}

	// Only the loop touches these.
	seq, farSeq uint64 // the link's numbers at both ends
	instance    uint64 // of the far end
	cancel      context.CancelFunc
	lost        bool     // the other end wants its own link instead of ours
	next        *arrival // a link that waits for the end of this one, or of our attempt
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
		batch, first = r.take(batch)
		if batch == nil {
			return
		}
		if r.send(p, batch, first) != nil {
			return // the reader notices, too, and says so
		}
	}
}

// take takes all that waits; nil if the writer is to end.
func (r *remote) take(spare []machine.Message) (batch []machine.Message, first []byte) {
	clear(spare)
	k := r.k
	k.mu.Lock()
	defer k.mu.Unlock()
	first, r.first = r.first, nil
	if len(k.out) > 0 || first != nil {
		batch, k.out = k.out, spare[:0]
		k.taken = len(batch)
		if batch == nil {
			batch = []machine.Message{}
		}
		return batch, first
	}
	if k.state == machine.LinkUp {
		r.writing = false
	} else {
		r.conn.stream.Close() // and writing stays: nothing comes any more
	}
	return nil, nil
}

// send encodes and writes a batch, in parts that bound the memory it takes.
func (r *remote) send(p *[]byte, batch []machine.Message, first []byte) error {
	b := append((*p)[:0], first...)
	for len(b) > 0 || len(batch) > 0 {
		n := 0
		for n < len(batch) && len(b) < writeSize {
			b = r.n.appendFrame(b, batch[n])
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

// appendFrame encodes a message; one that cannot be sent is left out.
func (n *network) appendFrame(b []byte, m machine.Message) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0)
	b, err := n.cfg.Codec.Append(b, m)
	if err == nil && len(b)-start-frameHead > n.cfg.MaxMessage {
		err = fmt.Errorf("%w: %d bytes, at most %d", errFrame, len(b)-start-frameHead, n.cfg.MaxMessage)
	}
	if err != nil {
		n.tally.fail("encode")
		n.l.log.Error("a message cannot be sent", "type", fmt.Sprintf("%T", m), "error", err)
		return b[:start]
	}
	putFrameHead(b[start:])
	n.tally.count(m, out, len(b)-start)
	return b
}

// read brings what arrives to the loop until the link ends.
func (r *remote) read() {
	c := r.conn
	how, err := r.receive(c)
	r.k.loop.post(event{kind: evGone, link: r.k, gone: how})
	if how == machine.LinkFailed {
		r.n.failed(r.k.peer, err)
		c.abort(codeOf(err))
		return
	}
	c.abort(codeClosed)
}

func (r *remote) receive(c *connection) (machine.LinkEvent, error) {
	var batch []event
	for {
		for {
			b, err := c.frames.next()
			if err != nil {
				r.post(c, batch)
				return machine.LinkFailed, err
			}
			if b == nil {
				break
			}
			if e, ok := r.decode(b); ok {
				batch = append(batch, e)
			}
		}
		r.post(c, batch)
		clear(batch)
		batch = batch[:0]
		if cap(batch) > 64 {
			batch = nil
		}
		if err := c.frames.more(); err != nil {
			if errors.Is(err, io.EOF) || codeIn(err) == codeClosed {
				return machine.LinkClosed, nil
			}
			return machine.LinkFailed, err
		}
	}
}

// decode reads a message; one that is malformed is counted and left out.
func (r *remote) decode(b []byte) (event, bool) {
	m, err := r.n.cfg.Codec.Decode(b)
	if err != nil {
		r.n.malformed(r.k.peer, err)
		return event{}, false
	}
	r.n.tally.count(m, in, len(b)+frameHead)
	return event{kind: evMessage, link: r.k, body: m, size: int32(len(b))}, true
}

// post gives messages to the loop and waits while it has too many of this link.
func (r *remote) post(c *connection, batch []event) {
	if len(batch) == 0 {
		return
	}
	var size int64
	for i := range batch {
		size += int64(batch[i].size)
	}
	n := r.k.inflight.Add(int32(len(batch)))
	all := r.bytes.Add(size)
	r.k.loop.post(batch...)
	for n > maxInboxMessages || all > maxInboxBytes {
		r.stalled.Store(true)
		if n, all = r.k.inflight.Load(), r.bytes.Load(); n <= maxInboxMessages/2 && all <= maxInboxBytes/2 {
			r.stalled.Store(false)
			return
		}
		select {
		case <-r.room:
		case <-r.n.ctx.Done():
			return
		}
		n, all = r.k.inflight.Load(), r.bytes.Load()
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
