package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
)

// punchTime is how long a browser that has come through another node may look for a
// direct path before it plays over the circuit.
const punchTime = 4 * time.Second

// channelAsk is what a page says as a text: first what it would post to /api/session,
// then, after each ICE restart, its side of ICE again.
type channelAsk struct {
	Code string            `json:"code"`
	ICE  *datachannel.Side `json:"ice"` // nil: the page only asks what world this is
}

// decodeAsk reads it. Everything in it comes from a stranger.
func decodeAsk(b []byte) (ask channelAsk, err error) {
	if len(b) > maxAsk {
		return ask, errors.New("the page asks for too much")
	}
	if err := json.Unmarshal(b, &ask); err != nil {
		return channelAsk{}, err
	}
	if ask.ICE != nil && !ask.ICE.Valid() {
		return channelAsk{}, errors.New("the page's side of ICE is malformed")
	}
	return ask, nil
}

// findPath tells a browser that has come through another node where else this one may be
// reached, and waits until it has come directly, for a moment.
func findPath(c *datachannel.Conn, side datachannel.Side) error {
	if c.OverCircuit() {
		if err := sayJSON(c, map[string][]netip.AddrPort{"at": c.Own()}); err != nil {
			return err
		}
		punch(c, side)
	}
	c.Keep()
	return nil
}

func punch(c *datachannel.Conn, side datachannel.Side) {
	ctx, cancel := context.WithTimeout(context.Background(), punchTime)
	defer cancel()
	c.Direct(ctx, side)
}

// restarted is when a page has restarted ICE, since its address has changed: over a
// circuit both look for a direct path again, while it plays.
func (d *dataChannels) restarted(said []byte) error {
	ask, err := decodeAsk(said)
	if err != nil || ask.ICE == nil {
		return notBinary()
	}
	d.stopPunch()
	ctx, cancel := context.WithTimeout(context.Background(), punchTime)
	d.stopPunch = cancel
	go func() {
		defer cancel()
		d.Direct(ctx, *ask.ICE)
	}()
	return nil
}
