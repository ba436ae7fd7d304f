package regionlog

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// place implements part.
func (g *Register) place() place { return place{lobby: true, tick: uint64(max(g.time, 0))} }

// checkpointAfter implements part: each entry has one.
func (g *Register) checkpointAfter(uint64) uint64 { return 0 }

// partName implements part.
func (g *Register) partName(i int) string {
	if i < partColumns {
		return "the time, or whether names must be signed"
	}
	var names []string
	of := g.of[i-partColumns]
	for _, player := range id.Sorted(of) {
		if of[player].name != "" {
			names = append(names, fmt.Sprintf("%q is player %s", of[player].name, player.Short()))
		}
	}
	if len(names) > 5 {
		names = append(names[:5], "others")
	}
	if len(names) == 0 {
		return "who has which name: somebody has one whom nobody has let in"
	}
	return "who has which name, or who is here: by what happened " + strings.Join(names, ", ")
}

// state implements part.
func (g *Register) state(keep bool) *State {
	s := &State{}
	head := writer{}
	head.int(g.time)
	head.uint(0)
	if g.signed {
		head.b[len(head.b)-1] = 1
	}
	s.Hashes[0] = sha256.Sum256(head.b)
	for i := range g.of {
		if g.stale[i] {
			g.hashes[i], g.stale[i] = sha256.Sum256(g.appendBucket(nil, i)), false
		}
		s.Hashes[partColumns+i] = g.hashes[i]
	}
	if keep {
		s.kept = true
		for i := range g.of {
			head.b = g.appendBucket(head.b, i)
		}
		s.register = head.b
	}
	return s
}

func (g *Register) appendBucket(b []byte, i int) []byte {
	w := writer{b}
	w.uint(uint64(len(g.of[i])))
	for _, player := range id.Sorted(g.of[i]) {
		h := g.of[i][player]
		w.raw(player[:])
		w.put([]byte(h.name))
		flags := h.state << 2
		if h.owns {
			flags |= 1
		}
		if h.before.known {
			flags |= 2
		}
		w.uint(flags)
		w.int(h.seen)
		w.int(h.played)
		if h.state == holderHere {
			w.int(h.since)
		}
		if h.before.known {
			w.put([]byte(h.before.name))
			w.int(h.before.seen)
		}
	}
	return w.b
}

// loadRegister reads a state.
func loadRegister(of id.ID, b []byte) (*Register, error) {
	if len(b) > MaxState {
		return nil, ErrFormat
	}
	r := newReader(b)
	now, signed := r.Int(maxU62), r.Uint(1) == 1
	g := NewRegister(of, signed)
	g.time = now
	for i := range g.of {
		for n := r.Count(id.Size + 4); n > 0 && !r.Bad(); n-- {
			if !g.loadHolder(r, i) {
				return nil, ErrFormat
			}
		}
	}
	if !r.End() {
		return nil, ErrFormat
	}
	return g, nil
}

// loadHolder reads what appendBucket wrote of a player.
func (g *Register) loadHolder(r *reader, bucket int) bool {
	player := r.id()
	h := &holder{name: string(r.Bytes(maxBlob))}
	flags := r.Uint(holderHere<<2 | 3)
	h.state = flags >> 2
	h.seen, h.played = r.Int(maxU62), r.Int(maxU62)
	if h.state == holderHere {
		h.since = r.Int(maxU62)
	}
	if flags&2 != 0 {
		h.before = before{true, string(r.Bytes(maxBlob)), r.Int(maxU62)}
	}
	if r.Bad() || bucketOf(player) != bucket || g.of[bucket][player] != nil || h.state > holderHere {
		return false
	}
	g.of[bucket][player] = h
	if flags&1 != 0 {
		g.index(player, h)
	}
	return h.owns == (flags&1 != 0)
}
