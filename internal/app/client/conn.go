package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// Conn carries encoded messages between a client and its node. One goroutine
// may call Recv and another Send at the same time; Close may be called by
// anybody and lets both return.
type Conn interface {
	// Send gives a message to the node; b may be used again afterwards.
	Send(b []byte) error
	// Recv returns the next message of the node, valid until the next call. If
	// the node ended the connection and said why, the error is a *wire.Refused.
	Recv() ([]byte, error)
	Close() error
}

// ErrClosed is wrapped by the errors of a Conn that was closed by this side.
var ErrClosed = errors.New("the connection is closed")

// inProcess is the audience of players who dial nothing.
const inProcess = ""

// Join brings a player into the world of a node in this process, as soon as that has
// the time.
func (n *Node) Join(ctx context.Context, who Identity) (Conn, *wire.Welcome, error) {
	c := n.Challenge()
	login, err := n.Check(who.hello(), c, who.Prove(c, inProcess), inProcess)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", who.Name, err)
	}
	login.Local = true
	var s *Session
	if err = patiently(ctx, func(*wire.Notice) {}, func() (err error) { s, err = n.Enter(ctx, login); return err }); err != nil {
		return nil, nil, err
	}
	d := &direct{s: s}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	w := s.Welcome()
	return signing(d, who, c, w), w, nil
}

// direct is a Conn without anything in between.
type direct struct {
	s      *Session
	ctx    context.Context
	cancel context.CancelFunc

	buf  []byte // messages that Recv has not returned yet
	ends []int  // where each of them ends
	from int
	end  error
}

func (d *direct) Send(b []byte) error { return d.s.Handle(b) }

func (d *direct) Recv() ([]byte, error) {
	for len(d.ends) == 0 {
		if d.end != nil {
			return nil, d.end
		}
		d.buf, d.ends, d.from = d.buf[:0], d.ends[:0], 0
		if d.end = d.s.Next(d.ctx, d); d.ctx.Err() != nil {
			d.end = ErrClosed
		}
	}
	msg := d.buf[d.from:d.ends[0]]
	d.from = d.ends[0]
	d.ends = d.ends[1:]
	return msg, nil
}

// Add implements Sink.
func (d *direct) Add(head, body []byte) {
	d.buf = append(append(d.buf, head...), body...)
	d.ends = append(d.ends, len(d.buf))
}

func (d *direct) Close() error {
	d.cancel()
	d.s.Close()
	return nil
}
