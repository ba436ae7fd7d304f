package host

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/codec"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/node"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/truth"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Truth is the replicated storage of a world with an authority. All of its nodes
// have to be started with the same.
type Truth struct {
	Begin   time.Time     // t_0: when the world begins as terrain
	LMax    time.Duration // the longest that a message takes; 0: 2 s
	Regions int32         // the world is so many regions a side, around the origin; even
}

// MaxTruthRegions bounds Truth.Regions: 16 km.
const MaxTruthRegions = 128

// Check says what is wrong with the settings.
func (t *Truth) Check() error {
	switch {
	case t.Regions < 2 || t.Regions%2 != 0 || t.Regions > MaxTruthRegions:
		return fmt.Errorf("%w: a storage of %d regions a side: want an even number from 2 to %d", ErrUsage, t.Regions, MaxTruthRegions)
	case t.LMax < 0 || t.LMax > time.Minute:
		return fmt.Errorf("%w: messages that take up to %v: want at most a minute", ErrUsage, t.LMax)
	case t.Begin.IsZero():
		return fmt.Errorf("%w: a storage has to begin at some time", ErrUsage)
	}
	return nil
}

// prepared is how many columns of terrain around the origin a node makes before
// it starts: 8×8 regions.
const prepared = 1 << 10

// protocol is what real nodes run: the parts of the hardened protocol that need
// no messages of their own.
var protocol = storage.Protocol{Objects: true, Majority: true}

// rules are the world's; each user needs its own.
func (h *Host) rules() *truth.Rules {
	m := &h.world.Meta
	return truth.New(truth.Config{Seed: m.SeedNumber(), Regions: h.cfg.Truth.Regions, Mode: world.Mode(modeNumber(m.Mode))})
}

// newCodec makes the world's codec.
func (h *Host) newCodec() *codec.Codec {
	if !h.keepsTruth() {
		return codec.New()
	}
	id := h.peers.record.World()
	return codec.NewVerified(codec.Verified{
		Rules: h.rules(), Bounds: h.space().Bounds(),
		Check: func(a *storage.Action) bool { return truth.CheckAction(id, a) },
	})
}

func (h *Host) space() overlay.Space { return overlay.SpaceFor(int(h.peers.record.Genesis.Zones)) }

// keepsTruth reports whether the node takes part in a storage.
func (h *Host) keepsTruth() bool {
	return h.cfg.Truth != nil && h.peers != nil && h.peers.record.Genesis.Verified() && h.peers.certificate != nil
}

// truth is the node's part of it.
func (h *Host) truth() *node.Truth {
	if !h.keepsTruth() {
		return nil
	}
	t, rules := h.cfg.Truth, h.rules()
	rules.Prepare(prepared)
	return &node.Truth{
		Rules: rules, Protocol: protocol, Begin: machine.Time(t.Begin.UnixNano()), LMax: t.LMax,
		Sign: h.signAnswer, Signed: h.signedAnswer, Report: h.takeContradiction,
	}
}

const answerContext = "voxelpopuli answer 1\n"

func (h *Host) answerBytes(a *node.Answer) ([]byte, error) {
	world := h.peers.record.World()
	return h.peers.codec.Append(append([]byte(answerContext), world[:]...), a.Result)
}

func (h *Host) signAnswer(a *node.Answer) error {
	b, err := h.answerBytes(a)
	if err == nil {
		a.Key = [32]byte(h.peers.public())
		a.Signature = [64]byte(ed25519.Sign(h.peers.key, b))
	}
	return err
}

func (h *Host) signedAnswer(a *node.Answer) bool {
	b, err := h.answerBytes(a)
	return err == nil && ed25519.Verify(a.Key[:], b, a.Signature[:])
}

// contradiction is evidence as it is kept for the authority: a line of JSON.
type contradiction struct {
	Time   time.Time `json:"time"`
	Charge string    `json:"charge"` // tampered
	By     id.ID     `json:"by"`
	Update int64     `json:"update"`
	Cell   [2]int32  `json:"cell"`
	Answer string    `json:"answer"` // signed; docs/protocols/nodes.md, message 155
	Others []string  `json:"others"` // of more than half of the zones
}

// takeContradiction is called in the node's handlers: it does not wait.
func (h *Host) takeContradiction(c *node.Contradiction) {
	select {
	case h.evidence <- c:
	default:
	}
}

func (h *Host) contradictionLine(c *node.Contradiction) ([]byte, error) {
	line := contradiction{Time: time.Unix(0, int64(h.clock.Now())).UTC(), Charge: "tampered", By: c.Accused.By(), Update: c.Of, Cell: [2]int32{c.X, c.Y}}
	for i, a := range append([]*node.Answer{c.Accused}, c.Others...) {
		b, err := h.peers.codec.Append(nil, a)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			line.Answer = hex.EncodeToString(b)
		} else {
			line.Others = append(line.Others, hex.EncodeToString(b))
		}
	}
	return json.Marshal(line)
}

// proven reports whether a contradiction holds, as an authority would ask.
func (h *Host) proven(c *node.Contradiction) error {
	return c.Check(h.rules().World(), h.space().Zones(), h.signedAnswer, func(who id.ID) (int, bool) {
		cert := h.peers.door.Seen(who)
		if who == h.peers.id() {
			cert = h.peers.certificate
		}
		if cert == nil {
			return 0, false
		}
		return h.space().Zone(cert.Pos), true
	})
}
