package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
)

// punchTime is for how long a direct path is looked for.
const punchTime = 4 * time.Second

// channelAsk is what a page says as a text: first what it would post to /api/session,
// then, after each ICE restart, its side of ICE again.
type channelAsk struct {
	Code string            `json:"code"`
	ICE  *datachannel.Side `json:"ice"` // nil: the page only asks what world this is
	// Content is the hash of what the world's packs define, which the page wants instead of
	// a session; empty: it does not.
	Content string `json:"content"`
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
// reached, and lets it play over the circuit until it has come directly.
func (d *dataChannels) findPath(side datachannel.Side) error {
	if d.OverCircuit() {
		if err := sayJSON(d.Conn, map[string][]netip.AddrPort{"at": d.Own()}); err != nil {
			return err
		}
		d.punch(side)
	}
	d.Keep()
	return nil
}

// punch looks for a direct path for a while, beside what else is going on.
func (d *dataChannels) punch(side datachannel.Side) {
	d.stopPunch()
	ctx, cancel := context.WithTimeout(context.Background(), punchTime)
	d.stopPunch = cancel
	go func() {
		defer cancel()
		d.Direct(ctx, side)
	}()
}

// restarted is when a page has restarted ICE, since its address has changed: over a
// circuit both look for a direct path again.
func (d *dataChannels) restarted(said []byte) error {
	ask, err := decodeAsk(said)
	if err != nil || ask.ICE == nil {
		return notBinary()
	}
	d.punch(*ask.ICE)
	return nil
}
