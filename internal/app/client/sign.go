package client

import (
	"slices"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// signer is a Conn that signs what the player's own commands ask for. Neither the
// node nor the lobby is trusted: they could propose anything.
type signer struct {
	Conn
	who Identity

	mu    sync.Mutex
	lines []string // the last commands for which nothing was signed
}

// maxLines is how many commands of the player wait for something to sign.
const maxLines = 8

func signing(c Conn, who Identity) Conn { return &signer{Conn: c, who: who} }

// Send implements Conn.
func (c *signer) Send(b []byte) error {
	if wire.TypeOf(b) == wire.TypeSay {
		var say wire.Say
		if err := wire.DecodeInto(b, &say); err == nil {
			c.mu.Lock()
			c.lines = append(c.lines, say.Text)
			c.lines = c.lines[max(0, len(c.lines)-maxLines):]
			c.mu.Unlock()
		}
	}
	return c.Conn.Send(b)
}

// Recv implements Conn.
func (c *signer) Recv() ([]byte, error) {
	for {
		b, err := c.Conn.Recv()
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
	if decision.IsOrder(m.Statement) {
		o, err := decision.DecodeOrder(m.Statement)
		if err != nil || !c.typed(func(line string) bool { return o.AskedBy(line, c.who.Player(), time.Now()) }) {
			return nil
		}
		o.Sign(c.who.Key)
		return wire.Encode(&wire.Signed{Statement: o.Append(nil)})
	}
	s, err := decision.Decode(m.Statement)
	if err != nil || !c.typed(func(line string) bool { return decision.Asks(line, s) }) {
		return nil
	}
	s.Sign(c.who.Key)
	return wire.Encode(&wire.Signed{Statement: s.Append(nil)})
}

// typed reports whether a command of the player asks for what is to be signed; it
// does so once.
func (c *signer) typed(asks func(line string) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.lines, asks)
	if i >= 0 {
		c.lines = slices.Delete(c.lines, i, i+1)
	}
	return i >= 0
}
