package client

import (
	"crypto/ed25519"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// signer is a Conn that signs what the player does (package inputlog), and what the
// player's own commands ask for. Neither the node nor the lobby is trusted: they could
// propose anything.
type signer struct {
	Conn
	who   Identity
	world id.ID

	sending  sync.Mutex // of steps and acts: they are sent in the order in which they are signed
	log      *inputlog.Builder
	lineTick uint64     // of the last line
	input    wire.Input // decoded into again and again
	rests    bool       // the last that the player has done was to open something: perhaps a bed

	typed typedLines

	mu   sync.Mutex
	tick uint64 // of the world, at a time
	at   time.Time
}

// signing makes c sign for a player whose session began with a challenge and a Welcome.
func signing(c Conn, who Identity, challenge *wire.Challenge, w *wire.Welcome) Conn {
	session := inputlog.Session{World: challenge.World, Key: [32]byte(who.Public()), Nonce: challenge.Nonce}
	return &signer{Conn: c, who: who, world: challenge.World, log: inputlog.NewBuilder(session, who.Key), tick: w.Tick, at: time.Now()}
}

// Send implements Conn. An act goes only as a part of a segment; steps go at once and
// are signed afterwards.
func (c *signer) Send(b []byte) error {
	switch wire.TypeOf(b) {
	case wire.TypeInput:
		return c.sendInput(b)
	case wire.TypeAct:
		var act wire.Act
		if err := wire.DecodeInto(b, &act); err != nil {
			return err
		}
		return c.sendAct(&act)
	case wire.TypeSay:
		var say wire.Say
		if err := wire.DecodeInto(b, &say); err == nil {
			c.typed.add(say.Text)
			return c.sendLine(say.Text)
		}
	}
	return c.Conn.Send(b)
}

func (c *signer) sendInput(b []byte) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	if err := wire.DecodeInto(b, &c.input); err != nil {
		return err
	}
	now := c.now()
	for i, s := range c.input.Steps {
		c.rests = c.rests && uint16(s.Buttons)&world.Stirs == 0
		full := c.log.Step(c.input.Seq+uint32(i), world.Input{Buttons: uint16(s.Buttons), Yaw: s.Yaw, Pitch: s.Pitch}, now)
		if err := c.sendSegment(full); err != nil {
			return err
		}
	}
	if err := c.Conn.Send(b); err != nil || !c.log.Due(now) {
		return err
	}
	return c.sendSegment(c.log.Sign(now))
}

func (c *signer) sendAct(m *wire.Act) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	c.rests = m.Kind == wire.ActKind(world.ActOpen)
	act := inputlog.Act{Seq: m.Seq, Kind: uint8(m.Kind), At: m.Pos(), Face: m.Face, A: m.A, B: m.B, Text: m.Text}
	return c.sendSegment(c.log.Act(act, c.now()))
}

// sendLine signs a line that the player has typed.
func (c *signer) sendLine(line string) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	c.lineTick = max(c.lineTick+1, c.now())
	sig := ed25519.Sign(c.who.Key, wire.LineText(c.world, c.lineTick, c.who.Name, line))
	return c.Conn.Send(wire.Encode(&wire.Say{Text: line, Tick: c.lineTick, Sig: sig}))
}

func (c *signer) sendSegment(s *inputlog.Segment) error {
	if s == nil {
		return nil
	}
	return c.Conn.Send(wire.Encode(&wire.Segment{Segment: s.Append(nil)}))
}

// now is the tick of the world.
func (c *signer) now() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tick + uint64(time.Since(c.at)/region.TickLength)
}

// heard sets the tick right: this machine's clock may have stood still.
func (c *signer) heard(b []byte) {
	var pong wire.Pong
	if wire.DecodeInto(b, &pong) == nil {
		c.mu.Lock()
		c.tick, c.at = pong.Tick, time.Now()
		c.mu.Unlock()
	}
}

// Recv implements Conn.
func (c *signer) Recv() ([]byte, error) {
	for {
		b, err := c.Conn.Recv()
		if err == nil && wire.TypeOf(b) == wire.TypePong {
			c.heard(b)
		}
		if err != nil || wire.TypeOf(b) != wire.TypeSign {
			return b, err
		}
		if answer := c.sign(b); answer != nil {
			if err := c.Conn.Send(answer); err != nil {
				return nil, err
			}
		}
	}
}

// sign answers a Sign; nil: the player has not asked for that.
func (c *signer) sign(b []byte) []byte {
	var m wire.Sign
	if err := wire.DecodeInto(b, &m); err != nil {
		return nil
	}
	signed := c.typed.sign(c.who, m.Statement)
	if signed == nil {
		signed = c.signDawn(m.Statement)
	}
	if signed == nil {
		return nil
	}
	return wire.Encode(&wire.Signed{Statement: signed})
}

// signDawn signs that the night is over, if the player may be asleep.
func (c *signer) signDawn(proposal []byte) []byte {
	c.sending.Lock()
	rests := c.rests
	c.sending.Unlock()
	s, err := decision.Decode(proposal)
	if err != nil || !rests || !s.IsDawn() {
		return nil
	}
	s.Sign(c.who.Key)
	return s.Append(nil)
}
