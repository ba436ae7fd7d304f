package client

import (
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/wire"
)

// signer is a Conn that signs what the player's own commands ask for. Neither the
// node nor the lobby is trusted: they could propose anything.
type signer struct {
	Conn
	who Identity

	mu   sync.Mutex
	line string // the last command, until something was signed for it
}

func signing(c Conn, who Identity) Conn { return &signer{Conn: c, who: who} }

// Send implements Conn.
func (c *signer) Send(b []byte) error {
	if wire.TypeOf(b) == wire.TypeSay {
		var say wire.Say
		if err := wire.DecodeInto(b, &say); err == nil {
			c.mu.Lock()
			c.line = say.Text
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
	s, err := decision.Decode(m.Statement)
	if err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !decision.Asks(c.line, s) {
		return nil
	}
	c.line = ""
	s.Sign(c.who.Key)
	return wire.Encode(&wire.Signed{Statement: s.Append(nil)})
}
