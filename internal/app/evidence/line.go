package evidence

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Charges, as lines name them.
const (
	Tampered = "tampered" // with what it stores
	Absent   = "absent"   // its view names a node that is not there
	Missing  = "missing"  // its view leaves a node out
	Replayed = "replayed" // what it has signed of a region does not follow from what happened there
	Shown    = "shown"    // it has shown players another region than it has signed
)

// Line is evidence as it is written down.
type Line struct {
	Time   time.Time `json:"time"`
	Charge string    `json:"charge"`
	By     id.ID     `json:"by"` // the accused

	// Of a false view: who is absent or missing, and what was signed
	// (docs/protocols/nodes.md, message 121).
	Node *id.ID `json:"node,omitempty"`
	View string `json:"view,omitempty"`

	// Of tampering: how the world begins, which update and cell, the answer of
	// the accused and those of more than half of the zones, signed (message 155).
	Record string    `json:"record,omitempty"`
	Update int64     `json:"update,omitempty"`
	Cell   *[2]int32 `json:"cell,omitempty"`
	Answer string    `json:"answer,omitempty"`
	Others []string  `json:"others,omitempty"`
	// Left are the digests that each of the answers, the first one that of the
	// accused, has left out because they were expected; it says a hash of them.
	Left []string `json:"left,omitempty"`

	// Of a false state of a region, or what was shown of it: how the world begins, and a
	// regionlog.Proof or regionlog.Display (base64).
	Proof []byte `json:"proof,omitempty"`
}

// FalseState is the line about a region's leader that has lied.
func (g *Ground) FalseState(e regionlog.Evidence, at time.Time) ([]byte, error) {
	who, _ := regionlog.Accused(e)
	charge := Replayed
	if _, ok := e.(*regionlog.Display); ok {
		charge = Shown
	}
	return json.Marshal(Line{Time: at, Charge: charge, By: who, Record: hex.EncodeToString(g.record.Append(nil)), Proof: e.Append(nil)})
}

// Convicted is the evidence of such lines of a file that hold in the world, one for each
// node. The error is the reader's.
func (g *Ground) Convicted(in io.Reader) (out []regionlog.Evidence, err error) {
	seen := map[id.ID]bool{}
	err = Each(in, func(_ int, line []byte) {
		var l Line
		if json.Unmarshal(line, &l) != nil || !l.ofLeader() || seen[l.By] {
			return
		}
		if e, _, err := l.falseState(g); err == nil {
			seen[l.By] = true
			out = append(out, e)
		}
	})
	return out, err
}

// ofLeader reports whether a line is about the leader of a region.
func (l *Line) ofLeader() bool { return l.Charge == Replayed || l.Charge == Shown }

// falseState checks such a line.
func (l *Line) falseState(g *Ground) (e regionlog.Evidence, found *regionlog.Finding, err error) {
	if l.Charge == Shown {
		e, err = regionlog.DecodeDisplay(l.Proof)
	} else {
		e, err = regionlog.DecodeProof(l.Proof)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	if who, to := regionlog.Accused(e); to.World != g.record.World() || who != l.By {
		return nil, nil, fmt.Errorf("%w: the proof is about node %s in the world %s", ErrNone, who, to.World)
	}
	if found, err = e.Check(); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	return e, found, nil
}

// Tampering is the line about a node that keeps another world.
func (g *Ground) Tampering(c *verifiedworld.Contradiction, at time.Time) ([]byte, error) {
	line := Line{
		Time: at, Charge: Tampered, By: c.Accused.By(), Record: hex.EncodeToString(g.record.Append(nil)),
		Update: c.Of, Cell: &[2]int32{c.X, c.Y},
	}
	for i, a := range append([]*verifiedworld.Answer{c.Accused}, c.Others...) {
		b, err := g.codec.Append(nil, a)
		if err != nil {
			return nil, err
		}
		line.Left = append(line.Left, hex.EncodeToString(leftOf(a)))
		if i == 0 {
			line.Answer = hex.EncodeToString(b)
		} else {
			line.Others = append(line.Others, hex.EncodeToString(b))
		}
	}
	return json.Marshal(line)
}

// FalseView is the line about a view.
func (g *Ground) FalseView(e overlay.Evidence) ([]byte, error) {
	view, err := g.codec.Append(nil, e.View)
	if err != nil {
		return nil, err
	}
	line := Line{
		Time: time.Unix(0, int64(e.Seen)).UTC(), Charge: Absent, By: e.View.Source.ID,
		Node: &e.Node.ID, View: hex.EncodeToString(view),
	}
	if e.Accusation == overlay.Missing {
		line.Charge = Missing
	}
	return json.Marshal(line)
}

// Proven checks a line about tampering in the world that begins so, and returns
// who is guilty of it.
func Proven(b []byte, world identity.Genesis) (id.ID, error) {
	var l Line
	if err := json.Unmarshal(b, &l); err != nil {
		return id.ID{}, fmt.Errorf("%w: %w", ErrNone, err)
	}
	if !l.ofLeader() && (l.Charge != Tampered || l.Cell == nil) {
		return id.ID{}, fmt.Errorf("%w: the charge is %q", ErrWeak, l.Charge)
	}
	g, err := groundOf(l.Record)
	if err != nil {
		return id.ID{}, err
	}
	if g.record.Genesis != world {
		return id.ID{}, fmt.Errorf("%w: it is of another world, %s", ErrNone, g.record.World())
	}
	if l.ofLeader() {
		_, _, err := l.falseState(g)
		return l.By, err
	}
	c, err := l.contradiction(g)
	if err != nil {
		return id.ID{}, err
	}
	return c.Accused.By(), nil
}

// contradiction reads what a line about tampering holds, and checks it.
func (l *Line) contradiction(g *Ground) (*verifiedworld.Contradiction, error) {
	c := &verifiedworld.Contradiction{Of: l.Update, X: l.Cell[0], Y: l.Cell[1]}
	for i, text := range append([]string{l.Answer}, l.Others...) {
		a, err := g.answer(text)
		if err != nil {
			return nil, fmt.Errorf("%w: answer %d: %w", ErrNone, i, err)
		}
		if i < len(l.Left) {
			if err := leave(a, l.Left[i]); err != nil {
				return nil, fmt.Errorf("%w: answer %d: %w", ErrNone, i, err)
			}
		}
		if i == 0 {
			c.Accused = a
		} else {
			c.Others = append(c.Others, a)
		}
	}
	if err := g.Check(c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	return c, nil
}

// leftOf are the digests that an answer leaves out.
func leftOf(a *verifiedworld.Answer) (out []byte) {
	if r, ok := a.Result.(*messages.Result); ok && r.Sent != nil {
		for _, t := range r.Sent.Left {
			out = append(out, t[:]...)
		}
	}
	return out
}

// leave puts them back; whether it is they is seen when the answer is read.
func leave(a *verifiedworld.Answer, text string) error {
	b, err := hex.DecodeString(text)
	r, ok := a.Result.(*messages.Result)
	switch {
	case err != nil:
		return err
	case len(b) == 0:
		return nil
	case !ok || r.Sent == nil || len(b)%len(state.SaltedDigest{}) != 0:
		return errors.New("it leaves no digests out")
	}
	for ; len(b) > 0; b = b[len(state.SaltedDigest{}):] {
		r.Sent.Left = append(r.Sent.Left, state.SaltedDigest(b))
	}
	return nil
}

// groundOf reads the record of a line. Its founder may be anybody: what was
// signed under the true record bears no signature under another.
func groundOf(text string) (*Ground, error) {
	raw, err := hex.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%w: how the world begins: %w", ErrNone, err)
	}
	r, err := genesis.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: how the world begins: %w", ErrNone, err)
	}
	return NewGround(r), nil
}

func (g *Ground) answer(text string) (*verifiedworld.Answer, error) {
	b, err := hex.DecodeString(text)
	if err != nil {
		return nil, err
	}
	m, err := g.codec.Decode(b)
	if err != nil {
		return nil, err
	}
	a, ok := m.(*verifiedworld.Answer)
	if !ok {
		return nil, fmt.Errorf("a %T", m)
	}
	return a, nil
}
