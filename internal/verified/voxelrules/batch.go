package voxelrules

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Batch is the body of an action: what a player has done in the ticks until the
// action's time. An action is signed as a whole, so that twenty inputs a second
// do not cost twenty signatures.
type Batch struct {
	Join  bool   // comes into the world: with the end of the interval
	Leave bool   // leaves it: does nothing more, and is gone with the end of the interval
	First uint64 // the tick of the first moment
	// Moments are ticks from First on without a gap, at most MaxMoments.
	Moments []Moment
	// Audit makes it a batch of an auditor: Edits of players at its node in the
	// region where it is, instead of Moments, and where it goes afterwards.
	Audit bool
	To    world.RegionPos
	Edits []Edit
}

// Moment is what a player does in one tick: where it steps, and an act if its
// kind is not 0.
type Moment struct {
	Input world.Input
	Act   world.Act
}

// MaxMoments is how many ticks a batch has at most: 10 s.
const MaxMoments = 200

// ErrBatch is returned for bytes that are not a batch.
var ErrBatch = errors.New("not a batch of a player's acts")

// Flags of a batch.
const (
	flagJoin = 1 << iota
	flagLeave
	flagWatch
	flagAll = 1<<iota - 1
)

// AppendBinary appends the batch's encoding: flags, first tick, and runs of
// moments: how many, the input, then the act of the first of them. That of a
// auditor has the region and edits instead.
func (b *Batch) AppendBinary(out []byte) []byte {
	out = append(out, bit(b.Join)*flagJoin|bit(b.Leave)*flagLeave|bit(b.Audit)*flagWatch)
	out = binary.AppendUvarint(out, b.First)
	if b.Audit {
		return appendEdits(appendInts(out, int64(b.To.X), int64(b.To.Z)), b.First, b.Edits)
	}
	for i := 0; i < len(b.Moments); {
		m := b.Moments[i]
		n := 1
		for i+n < len(b.Moments) && b.Moments[i+n] == (Moment{Input: m.Input}) {
			n++
		}
		i += n
		out = binary.AppendUvarint(out, uint64(n))
		out = binary.AppendUvarint(out, uint64(m.Input.Buttons))
		out = appendInts(out, int64(int16(m.Input.Yaw)), int64(m.Input.Pitch))
		out = append(out, byte(m.Act.Kind))
		if m.Act.Kind != 0 {
			out = append(out, byte(m.Act.Face))
			out = appendInts(out, int64(m.Act.At.X), int64(m.Act.At.Y), int64(m.Act.At.Z), m.Act.A, m.Act.B)
		}
	}
	return out
}

// DecodeBatch reads what AppendBinary wrote, all of it.
func DecodeBatch(in []byte) (*Batch, error) {
	r := reader{bin.NewReader(in)}
	flags := r.Byte()
	b := &Batch{Join: flags&flagJoin != 0, Leave: flags&flagLeave != 0, First: r.Uint(1 << 62)}
	if b.Audit = flags&flagWatch != 0; b.Audit {
		b.To = world.RegionPos{X: r.int32(), Z: r.int32()}
		b.Edits = readEdits(&r, b.First)
	}
	for r.Len() > 0 && !r.Bad() {
		n := r.Uint(MaxMoments)
		m := Moment{Input: world.Input{
			Buttons: uint16(r.Uint(1<<16 - 1)), Yaw: uint16(r.int16()), Pitch: r.int16(),
		}}
		if m.Act.Kind = world.ActKind(r.Byte()); m.Act.Kind != 0 {
			m.Act.Face = world.Face(r.Byte())
			m.Act.At, m.Act.A, m.Act.B = r.pos(), r.Int(1<<62), r.Int(1<<62)
		}
		if n == 0 || len(b.Moments)+int(n) > MaxMoments {
			return nil, ErrBatch
		}
		b.Moments = append(b.Moments, m)
		b.Moments = append(b.Moments, slices.Repeat([]Moment{{Input: m.Input}}, int(n)-1)...)
	}
	if !r.End() || flags > flagAll {
		return nil, ErrBatch
	}
	return b, nil
}

// commands appends the batch's commands for the ticks after one and until
// another; what would be before or after that is lost. Inputs are numbered by
// their tick, so that a player has one in each.
func (b *Batch) commands(of *world.Player, from, to uint64, out [][]world.Command) {
	for i := range b.Moments {
		tick := b.First + uint64(i)
		if tick <= from || tick > to {
			continue
		}
		m := &b.Moments[i]
		cmds := &out[tick-from-1]
		*cmds = append(*cmds, world.Command{Player: of.ID, Kind: world.CmdInput, Seq: uint32(tick), Input: m.Input})
		if m.Act.Kind != 0 {
			*cmds = append(*cmds, world.Command{Player: of.ID, Kind: world.CmdAct, Seq: uint32(tick), Act: m.Act})
		}
	}
}
