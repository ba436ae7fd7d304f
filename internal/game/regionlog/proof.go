package regionlog

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Proof is two checkpoints that the leader of a region or of the lobby has signed, the state of the
// first, and the entries between them, which do not lead to the state of the second.
type Proof struct {
	From, To *Checkpoint
	State    []byte // of From
	Entries  [][]byte
}

// MaxProof bounds the encoding of a proof.
const MaxProof = MaxState + MaxWindow + 64<<10

// Append appends the encoding.
func (p *Proof) Append(b []byte) []byte {
	w := writer{b}
	w.put(p.From.Append(nil))
	w.put(p.To.Append(nil))
	w.put(Pack(p.State))
	w.uint(uint64(len(p.Entries)))
	for _, e := range p.Entries {
		w.put(e)
	}
	return w.b
}

// DecodeProof reads what Append wrote. Nothing is verified.
func DecodeProof(b []byte) (*Proof, error) {
	r := newReader(b)
	from, errFrom := DecodeCheckpoint(r.Bytes(MaxCheckpoint), nil)
	to, errTo := DecodeCheckpoint(r.Bytes(MaxCheckpoint), nil)
	packed := r.Bytes(MaxProof)
	if err := errors.Join(errFrom, errTo); err != nil || r.Bad() {
		return nil, fmt.Errorf("proof: %w", ErrFormat)
	}
	p := &Proof{From: from, To: to}
	for n := r.Uint(MaxEntries); n > 0 && !r.Bad(); n-- {
		p.Entries = append(p.Entries, r.Bytes(MaxEntry))
	}
	if !r.End() {
		return nil, fmt.Errorf("proof: %w", ErrFormat)
	}
	var err error
	p.State, err = Unpack(packed)
	return p, err
}

// Pack deflates a state.
func Pack(state []byte) []byte {
	var packed bytes.Buffer
	f, _ := flate.NewWriter(&packed, flate.BestSpeed) // the level is a valid one, and a Buffer takes everything
	_, _ = f.Write(state)
	_ = f.Close()
	return packed.Bytes()
}

// Unpack inflates what Pack returned.
func Unpack(packed []byte) ([]byte, error) { return unpack(packed, MaxState) }

func unpack(packed []byte, most int) ([]byte, error) {
	state, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), int64(most)+1))
	if err != nil || len(state) > most {
		return nil, fmt.Errorf("a packed state: %w", ErrFormat)
	}
	return state, nil
}

// Finding is what a proof proves.
type Finding struct {
	Rule  string // what was done against the rules; empty: nothing, but the state is another
	False []string
	Shown bool // what is false was shown to players, and the state is not
}

// Check replays a proof. Nil: it proves nothing, and the error says why.
func (p *Proof) Check() (*Finding, error) {
	if err := p.chained(); err != nil {
		return nil, err
	}
	r, err := NewReplayer(p.From, p.State)
	if err != nil {
		return nil, err
	}
	return r.find(p.Entries, p.To)
}

// chained reports whether both checkpoints are signed, and the entries what the log has
// between them.
func (p *Proof) chained() error {
	if !p.From.Verify() || !p.To.Verify() {
		return ErrSignature
	}
	if !p.To.follows(p.From) || p.To.Number-p.From.Number != uint64(len(p.Entries)) {
		return ErrChain
	}
	head := p.From.Head
	for _, e := range p.Entries {
		head = next(head, e)
	}
	if head != p.To.Head {
		return ErrChain
	}
	return nil
}

// find runs the entries of a proof and compares. ErrHonest: they lead to the checkpoint.
func (r *Replayer) find(entries [][]byte, to *Checkpoint) (*Finding, error) {
	for _, e := range entries {
		if err := r.part.apply(e); errors.Is(err, errRule) {
			return &Finding{Rule: err.Error()}, nil
		} else if err != nil {
			return nil, err
		}
	}
	s := r.part.state(false)
	var f Finding
	for i := range s.Hashes {
		if s.Hashes[i] != to.Hashes[i] {
			f.False = append(f.False, r.part.partName(i))
		}
	}
	if len(f.False) == 0 {
		return nil, ErrHonest
	}
	return &f, nil
}

// partName says what a part of the state is.
func (a *Area) partName(i int) string {
	switch i {
	case partPlayers:
		var names []string
		for _, p := range a.Players() {
			names = append(names, fmt.Sprintf("%q", p.Name))
		}
		if len(names) > 5 {
			names = append(names[:5], "others")
		}
		return "who is there, or what somebody has, can do or where somebody is (" + strings.Join(names, ", ") + ")"
	case partItems:
		return "the items that lie there, or what is in chests"
	case partMobs:
		return "the animals, or which blocks are about to move"
	case partSigned:
		return "which signed acts are still to be done, or which edits are open across the border"
	case partRing:
		return "the blocks beyond the border"
	}
	return columnName(a.Pos().Column(i - partColumns).Origin())
}

func columnName(at world.Pos) string {
	return fmt.Sprintf("the blocks at x %d to %d, z %d to %d", at.X, at.X+world.ChunkSize-1, at.Z, at.Z+world.ChunkSize-1)
}

// String says it in plain words.
func (f *Finding) String() string {
	if f.Rule != "" {
		return f.Rule
	}
	return strings.Join(f.False, "; ")
}
