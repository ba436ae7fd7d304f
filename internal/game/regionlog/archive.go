package regionlog

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Archive keeps the last minute of a log for auditors: nodes that do not follow it, and
// replay a piece of it afterwards. Nobody knows in advance which. A piece begins with a
// kept state and ends with any checkpoint after it: it is what a Proof has, which proves
// nothing where the leader has followed the rules.
type Archive struct {
	pieces []*piece // in order of their ticks
	bytes  int      // of entries

	differences Differences // of the columns of the piece that was sent last
}

// piece is what the log has between two kept states.
type piece struct {
	from    *Checkpoint
	state   *State // shares its columns with the area
	entries [][]byte
	bytes   int
}

const (
	// PieceEntries is after how many entries the next piece begins, with the next
	// checkpoint: a piece with its last entries is a proof (MaxEntries).
	PieceEntries = 160
	// archiveFor is how long a piece is kept after its end, maxArchive the bytes of
	// entries that are kept: a piece at least.
	archiveFor = 60 * time.Second
	maxArchive = 2 << 20
)

// Add takes what a tick has brought.
func (a *Archive) Add(out *Output, now machine.Time) {
	if n := len(a.pieces); n > 0 && out.Number > 0 {
		last := a.pieces[n-1]
		last.entries = append(last.entries, out.Entry)
		last.bytes += len(out.Entry)
		a.bytes += len(out.Entry)
	}
	if out.Kept != nil && out.Checkpoint != nil {
		a.pieces = append(a.pieces, &piece{from: out.Checkpoint, state: out.Kept})
	}
	// A piece ends where the next one begins.
	for len(a.pieces) > 1 && (now.Sub(a.pieces[1].from.Time) > archiveFor || a.bytes > maxArchive) {
		a.bytes -= a.pieces[0].bytes
		a.pieces[0] = nil
		a.pieces = a.pieces[1:]
	}
}

// Clear forgets everything.
func (a *Archive) Clear() { *a = Archive{} }

// Keep takes what a piece has found out of its columns, for the next ones.
func (a *Archive) Keep(d Differences) { a.differences = d }

// Piece is what leads from a kept state to a checkpoint: frozen.
type Piece struct {
	of      *piece
	entries [][]byte
	known   Differences
}

// Before returns the piece that ends with a checkpoint; nil: it is not kept. The ticks of
// a host's checkpoints rise, also when its log begins anew.
func (a *Archive) Before(c *Checkpoint) *Piece {
	for i := len(a.pieces) - 1; i >= 0; i-- {
		p := a.pieces[i]
		if p.from.Tick >= c.Tick {
			continue
		}
		n := c.Number - p.from.Number
		if c.Number <= p.from.Number || n > uint64(len(p.entries)) || n > MaxEntries {
			return nil
		}
		return &Piece{p, p.entries[:n], a.differences}
	}
	return nil
}
