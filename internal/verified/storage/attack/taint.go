package attack

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// tampered is the state of an object that is not what it should be: the one it
// was made of.
type tampered struct{ was *state.Object }

// Tamper returns the attackers' version of an object. It lies where the true one
// does, and all such versions of an object are the same to who compares them:
// those who attack agree, and what they will have made of it some steps later is
// as good as what they say now.
func Tamper(o *state.Object) *state.Object {
	if Tampered(o) {
		return o
	}
	bad := *o
	bad.State = tampered{o}
	bad.Digest = state.Digest{'t', 'a', 'm', 'p', 'e', 'r', 'e', 'd'}
	binary.BigEndian.PutUint64(bad.Digest[8:], uint64(o.ID))
	if o.Static {
		bad.Digest[16] = 1
	}
	return &bad
}

// Tampered reports whether an object has been tampered with, or may depend on
// one that has.
func Tampered(o *state.Object) bool {
	_, bad := o.State.(tampered)
	return bad
}

// genuine is what an object was before it was tampered with.
func genuine(o *state.Object) *state.Object {
	if t, bad := o.State.(tampered); bad {
		return t.was
	}
	return o
}

// Taint are the rules of a world in which it can be seen what attackers have had
// an influence on: everything within reach of an object that was tampered with,
// or of a character of whom an action was left out (thesis 6.4.4, "a very
// conservative worst-case assumption"). Without attackers they are the rules
// themselves.
type Taint struct {
	state.Rules
	reach int32
	acts  map[*state.Player][]machine.Time
}

// NewTaint returns rules that keep taint; an interval is the time of a step.
func NewTaint(r state.Rules, interval time.Duration) *Taint {
	return &Taint{Rules: r, reach: r.World().Reach(interval), acts: map[*state.Player][]machine.Time{}}
}

// Acted notes what a player truly does, in the order of time.
func (t *Taint) Acted(a *state.Action) { t.acts[a.Player] = append(t.acts[a.Player], a.At) }

// did is how many actions a player has done after one time and until another.
func (t *Taint) did(p *state.Player, from, to machine.Time) int {
	list := t.acts[p]
	after := func(at machine.Time) int {
		i, _ := slices.BinarySearch(list, at+1)
		return i
	}
	return after(to) - after(from)
}

// Replay implements storage.Rules.
func (t *Taint) Replay(s *state.Step) []*state.Object {
	bare, sources := *s, t.sources(s)
	for i, o := range s.Objects {
		if !Tampered(o) {
			continue
		}
		if &bare.Objects[0] == &s.Objects[0] {
			bare.Objects = slices.Clone(s.Objects)
		}
		bare.Objects[i] = genuine(o)
	}
	out := t.Rules.Replay(&bare)
	if len(sources) == 0 {
		return out
	}
	far := int64(t.reach) * int64(t.reach)
	out = slices.Clone(out)
	for i, o := range out {
		if slices.ContainsFunc(sources, func(p geom.Point) bool { return p.Dist2(o.Pos) <= far }) {
			out[i] = Tamper(o)
		}
	}
	return out
}

// sources are the places from which taint spreads in a step.
func (t *Taint) sources(s *state.Step) (out []geom.Point) {
	given := map[*state.Player]int{}
	for _, a := range s.Actions {
		given[a.Player]++
	}
	for _, o := range s.Objects {
		if Tampered(o) || o.Player != nil && given[o.Player] < t.did(o.Player, s.From, s.To) {
			out = append(out, o.Pos)
		}
	}
	return out
}

// Activate implements storage.Rules.
func (t *Taint) Activate(p *state.Player, place geom.Point, o *state.Object) *state.Object {
	if o == nil || !Tampered(o) {
		return t.Rules.Activate(p, place, o)
	}
	if w := t.Rules.Activate(p, place, genuine(o)); w != nil {
		return Tamper(w)
	}
	return nil
}

// AppendObject implements storage.Rules.
func (t *Taint) AppendObject(out []byte, o *state.Object) []byte {
	return t.Rules.AppendObject(out, genuine(o))
}
