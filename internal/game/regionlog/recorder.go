package regionlog

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Output is what followers are sent after a tick.
type Output struct {
	Number     uint64 // of the entry; 0: the log begins
	Entry      []byte
	Checkpoint *Checkpoint // nil: none is due
	State      []byte      // of the checkpoint, if it was asked for
	Kept       *State      // of the checkpoint, where a piece of the archive begins
}

// recorder writes down what changes an area.
type recorder struct {
	writer  // the events of this tick
	signing *Signing
	emit    func(*Output)

	on     bool
	give   bool // somebody needs the state
	number uint64
	head   [32]byte
	due    uint64 // tick of the next checkpoint
	kept   uint64 // number of the last entry whose state was kept
}

// SlowestRate is how many ticks lie between two frames at most, of those who want few.
const SlowestRate = 4

// Turn is by how many ticks the frames of a region are shifted against those of others.
func Turn(p world.RegionPos) uint64 { return uint64(p.X + 2*p.Z) }

// Record begins to record, for emit; nil ends it.
func (a *Area) Record(s *Signing, emit func(*Output)) { a.rec.begin(s, emit) }

func (r *recorder) begin(s *Signing, emit func(*Output)) {
	r.signing, r.emit = s, emit
	if emit == nil {
		r.stop()
	}
}

// Recording reports whether somebody follows.
func (a *Area) Recording() bool { return a.rec.emit != nil }

// GiveState lets the state go with the next checkpoint, which comes with the next tick.
func (a *Area) GiveState() { a.rec.give = true }

// stop ends the log. It begins anew with the next tick, if somebody follows.
func (r *recorder) stop() { r.on, r.b = false, nil }

func (r *recorder) event(kind byte) {
	if r.on {
		r.b = append(r.b, kind)
	}
}

func (r *recorder) raw(b []byte) {
	if r.on {
		r.writer.raw(b)
	}
}

func (r *recorder) put(b []byte) {
	if r.on {
		r.writer.put(b)
	}
}

func (r *recorder) uint(v uint64) {
	if r.on {
		r.writer.uint(v)
	}
}

func (r *recorder) pos(p world.Pos) {
	if r.on {
		r.writer.pos(p)
	}
}

// end ends an entry of a part: the events of a tick of an area, or of a second of the
// register.
func (r *recorder) end(p part, now machine.Time) {
	switch {
	case r.emit == nil:
	case !r.on:
		// The chain begins with the hash of the state, so that no two logs of a host
		// have the same heads unless they are the same.
		r.on, r.number, r.b = true, 0, nil
		s := p.state(true)
		digest := s.Hashes.Digest()
		r.head = next([32]byte{}, digest[:])
		r.send(p, &Output{}, s, now)
	case len(r.b) > MaxEntry:
		r.stop()
	default:
		out := &Output{Entry: r.b}
		r.head = next(r.head, r.b)
		r.number++
		r.b = make([]byte, 0, len(r.b)+64)
		var s *State
		if r.give || p.place().tick >= r.due {
			s = p.state(r.give || r.number-r.kept >= PieceEntries)
		}
		r.send(p, out, s, now)
	}
}

// send sends an entry, with a checkpoint if there is a state.
func (r *recorder) send(p part, out *Output, s *State, now machine.Time) {
	out.Number = r.number
	if s != nil {
		at := p.place()
		c := &Checkpoint{Lobby: at.lobby, Region: at.region, Time: now, Tick: at.tick, Number: r.number, Head: r.head, Hashes: s.Hashes}
		r.signing.sign(c)
		out.Checkpoint = c
		r.due = p.checkpointAfter(at.tick)
		if s.kept {
			out.Kept, r.kept = s, r.number
		}
		if s.kept && (r.give || r.number == 0) {
			out.State, r.give = s.Append(nil), false
		}
	}
	r.emit(out)
}
