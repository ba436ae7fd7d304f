package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// burst is for how many seconds of its rates a connection may save up.
const burst = 3

// readCost is what reading from a socket costs at least, in bytes.
const readCost = 64

// goodbye is how long a client is given to take the last message.
const goodbye = 2 * time.Second

// conn carries messages between a client and its peer: a WebSocket or data channels.
type conn interface {
	client.Sink
	// Flush sends what was added.
	Flush() error
	// ReadMessage reads a binary message; one that does not leave a byte of b free is
	// too large.
	ReadMessage(b []byte) (int, error)
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
	// stall is for how long there has been no room for what is to be sent.
	stall(now time.Time) time.Duration
	// finish ends the connection when the client has read why, drop without waiting.
	finish(why wire.Code)
	drop()
	// Close closes the connection under it; it may be called by anybody.
	Close() error
}

// peer is one client's connection.
type peer struct {
	g       *Gateway
	conn    conn
	addr    netip.Addr
	local   bool
	ownPage bool   // it is not another node's page, as far as a browser says so
	host    string // of this node, as the player has dialled it
	others  func() *wire.Entrances
	guest   Guest
	session Session // nil during the handshake
	ctx     context.Context
	cancel  context.CancelFunc
	heard   atomic.Int64 // Unix nanoseconds
	begun   time.Time
	proven  atomic.Bool // the client has shown its key, or gives its place to another

	once sync.Once
	why  *wire.Refused // set before ctx is cancelled; nil: the client went by itself

	// Only the reading goroutine touches these.
	messages, bytes limit.Budget
	flooded         bool // too many control frames
}

var messageBuffers = sync.Pool{New: func() any { b := make([]byte, wire.MaxMessage+1); return &b }}

// evict makes room for a socket: it closes the oldest one whose client has not
// shown its key yet, of an address (the zero Prefix: of any). Local ones are not
// counted by address, so none of them makes room there. It reports false if there is
// none.
func (g *Gateway) evict(of netip.Prefix) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	var oldest *peer
	for p := range g.peers {
		if p.proven.Load() || of.IsValid() && (p.local || limit.Key(p.addr) != of) {
			continue
		}
		if oldest == nil || p.begun.Before(oldest.begun) {
			oldest = p
		}
	}
	if oldest == nil {
		return false
	}
	oldest.proven.Store(true) // once is enough
	oldest.conn.Close()
	return true
}

func (g *Gateway) add(p *peer) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing {
		return false
	}
	g.peers[p] = struct{}{}
	g.gone.Add(1)
	return true
}

func (g *Gateway) remove(p *peer) {
	p.cancel()
	g.mu.Lock()
	delete(g.peers, p)
	g.mu.Unlock()
	g.gone.Done()
}

// run does the handshake, and then reads while another goroutine writes.
func (p *peer) run() {
	who, err := p.handshake()
	if err == nil {
		who.Waits = p.sendWaiting
		p.session, err = p.g.cfg.Game.Enter(p.ctx, who)
	}
	if err != nil {
		p.refuse(p.reason(err))
		return
	}
	p.conn.SetReadDeadline(time.Time{})
	p.g.metrics.joined.Inc()
	if p.guest.Entered != nil {
		p.guest.Entered(p.session.Welcome().Operator)
	}
	log := p.g.log.With("player", who.Player.Short(), "name", who.Name, "address", p.addr)
	log.Info("player connected")
	p.conn.Add(wire.Encode(p.session.Welcome()), nil)
	var writer sync.WaitGroup
	writer.Go(p.write)
	err = p.read()
	if errors.As(err, new(*wire.Refused)) {
		p.end(p.reason(err))
	} else {
		p.end(nil)
	}
	writer.Wait()
	p.session.Close()
	if p.why != nil {
		p.g.metrics.refused(p.why.Code)
		log.Info("player disconnected", "reason", p.why.Code)
	} else {
		log.Info("player disconnected", "reason", "left")
	}
}

// sendWaiting tells the client why it is not let in yet, so that it goes on waiting.
func (p *peer) sendWaiting(why *wire.Notice) {
	p.heard.Store(time.Now().UnixNano()) // it has nothing to say meanwhile
	p.conn.Add(wire.Encode(why), nil)
	if p.conn.Flush() != nil {
		p.cancel() // it has gone
	}
}

// handshake lets the client say who it is and prove it.
func (p *peer) handshake() (client.Login, error) {
	p.conn.SetReadDeadline(time.Now().Add(p.g.limits.Handshake))
	var hello wire.Hello
	if err := p.expect(&hello); err != nil {
		return client.Login{}, err
	}
	if hello.Version != wire.Version {
		return client.Login{}, wire.BadVersion.Refusal(0)
	}
	if _, err := wire.CleanName(hello.Name); err != nil {
		return client.Login{}, &wire.Refused{Code: wire.BadName, Text: wire.BadName.Text()}
	}
	challenge := p.g.cfg.Game.Challenge()
	p.conn.Add(wire.Encode(challenge), nil)
	if err := p.conn.Flush(); err != nil {
		return client.Login{}, err
	}
	var proof wire.Proof
	if err := p.expect(&proof); err != nil {
		return client.Login{}, err
	}
	who, err := p.g.cfg.Game.Check(&hello, challenge, &proof, p.host)
	if err != nil {
		return client.Login{}, wire.BadProof.Refusal(0)
	}
	p.proven.Store(true)
	owner := p.ownPage && !who.Player.IsZero() && who.Player == p.g.cfg.Owner
	_, who.Numbered = p.conn.(*dataChannels)
	who.Local, who.Entrances = p.local || owner, p.others
	if !who.Local {
		who.Address = p.addr
	}
	if p.guest.Invite != nil {
		if who.Invitation = p.guest.Invite(who.Player); who.Invitation == nil {
			return client.Login{}, wire.BadCode.Refusal(1)
		}
	}
	return who, nil
}

// expect reads the one message that may come now.
func (p *peer) expect(m wire.Message) error {
	var decodeErr error
	err := p.next(func(b []byte) error {
		decodeErr = wire.DecodeInto(b, m)
		return nil
	})
	if err == nil && decodeErr != nil {
		err = &wire.Refused{Code: wire.Malformed, Text: wire.Malformed.Text() + " (" + decodeErr.Error() + ")"}
	}
	return err
}

// read hands the client's messages to the session.
func (p *peer) read() error {
	for {
		if err := p.next(p.session.Handle); err != nil {
			return err
		}
	}
}

// next reads one message, within the limits, and gives it to take.
func (p *peer) next(take func([]byte) error) error {
	// Waiting is not bounded here: the deadline of the handshake and the sweep
	// end connections that say nothing.
	buf := messageBuffers.Get().(*[]byte)
	defer messageBuffers.Put(buf)
	n, err := p.conn.ReadMessage(*buf)
	if err != nil {
		return err
	}
	now := time.Now()
	p.heard.Store(now.UnixNano())
	p.g.traffic.messagesIn.Add(1)
	if !p.messages.Take(1, now) {
		return wire.TooFast.Refusal(1)
	}
	return take((*buf)[:n])
}

// allow counts what was read, frames' heads and control frames as well, so that
// nothing that a client sends is free: neither pings nor fragments without
// contents. Reading costs something however little there is to read.
func (p *peer) allow(n int) error {
	if p.flooded || !p.bytes.Take(float64(max(n, readCost)), time.Now()) {
		return wire.TooFast.Refusal(1)
	}
	return nil
}

// control counts a ping or a pong as a message; a ping beyond the limit is not
// answered, and the next read ends the connection.
func (p *peer) control() bool {
	p.flooded = p.flooded || !p.messages.Take(1, time.Now())
	return !p.flooded
}

// write sends what the session has for the client until the connection ends,
// and then the reason.
func (p *peer) write() {
	for {
		if err := p.conn.Flush(); err != nil {
			p.end(nil) // or it was ended because it had no room
			p.conn.drop()
			return
		}
		if err := p.session.Next(p.ctx, p.conn); err != nil {
			if p.ctx.Err() == nil {
				p.end(p.reason(err))
			}
			break
		}
	}
	if p.why != nil {
		p.refuse(p.why)
	} else {
		p.conn.drop()
	}
}

// end ends the connection; the first reason counts.
func (p *peer) end(why *wire.Refused) {
	p.once.Do(func() {
		p.why = why
		until := time.Now().Add(goodbye)
		p.conn.SetWriteDeadline(until)
		p.conn.SetReadDeadline(until)
		p.cancel()
	})
}

// refuse tells the client why, and closes.
func (p *peer) refuse(why *wire.Refused) {
	if p.session == nil {
		p.g.metrics.refused(why.Code)
	}
	until := time.Now().Add(goodbye)
	p.conn.SetWriteDeadline(until)
	p.conn.SetReadDeadline(until)
	if why.Code == wire.Restart && p.session != nil {
		// What the client was told before may be seconds old, and nobody answers it later.
		if m := p.session.Entrances(); m != nil {
			p.conn.Add(wire.Encode(m), nil)
		}
	}
	p.conn.Add(wire.Encode(why), nil)
	if p.conn.Flush() == nil {
		p.conn.finish(why.Code)
	}
	p.conn.drop()
}

// reason makes a refusal of what went wrong.
func (p *peer) reason(err error) *wire.Refused {
	var why *wire.Refused
	switch {
	case p.ctx.Err() != nil && p.why != nil: // it was ended, and that is why
		return p.why
	case errors.As(err, &why):
		return why
	case errors.Is(err, context.Canceled):
		return wire.Restart.Refusal(3)
	}
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return wire.Idle.Refusal(1)
	}
	if p.session != nil || !isLost(err) {
		p.g.log.Error("connection ended", "address", p.addr, "error", fmt.Sprint(err))
	}
	return wire.Internal.Refusal(5)
}

// isLost reports that the other side has gone.
func isLost(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || websocket.CloseStatus(err) != -1
}

// check ends the connection if nothing was heard for long, or if it has had no
// room for long.
func (p *peer) check(now time.Time) {
	switch l := &p.g.limits; {
	case p.conn.stall(now) > l.Stall:
		p.g.metrics.drops.Inc()
		p.end(wire.Slow.Refusal(1))
	case now.UnixNano()-p.heard.Load() > int64(l.Idle):
		p.end(wire.Idle.Refusal(1))
	}
}
