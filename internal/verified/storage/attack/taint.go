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
// was made of. Lost: no attacker had a hand in it, for what its player has done the
// player's own node has not signed.
type tampered struct {
	was  *state.Object
	lost bool
}

// Tamper returns the attackers' version of an object. It lies where the true one
// does, and all such versions of an object are the same to who compares them:
// those who attack agree, and what they will have made of it some steps later is
// as good as what they say now.
func Tamper(o *state.Object) *state.Object {
	if Tampered(o) && !Lost(o) {
		return o
	}
	return spoil(genuine(o), false, state.Digest{'t', 'a', 'm', 'p', 'e', 'r', 'e', 'd'})
}

// lose is the version of an object that lacks what honest nodes have lost themselves.
func lose(o *state.Object) *state.Object {
	if Tampered(o) {
		return o
	}
	return spoil(o, true, state.Digest{'l', 'o', 's', 't'})
}

func spoil(o *state.Object, lost bool, digest state.Digest) *state.Object {
	bad := *o
	bad.State, bad.Digest = tampered{o, lost}, digest
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

// Lost reports whether an object is not what it should be only because honest nodes have
// lost actions of their own players, before any attacker could.
func Lost(o *state.Object) bool {
	t, bad := o.State.(tampered)
	return bad && t.lost
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
	reach  int32
	acts   map[*state.Player][]machine.Time
	signed map[*state.Player][]machine.Time
}

// NewTaint returns rules that keep taint; an interval is the time of a step.
func NewTaint(r state.Rules, interval time.Duration) *Taint {
	return &Taint{
		Rules: r, reach: r.World().Reach(interval),
		acts: map[*state.Player][]machine.Time{}, signed: map[*state.Player][]machine.Time{},
	}
}

// Acted notes what a player truly does, in the order of time.
func (t *Taint) Acted(a *state.Action) { t.acts[a.Player] = append(t.acts[a.Player], a.At) }

// Signed notes what a player's node has signed, in the order of time.
func (t *Taint) Signed(b *state.Batch) {
	for _, a := range b.Actions {
		t.signed[a.Player] = append(t.signed[a.Player], a.At)
	}
}

// Forget lets go of what players did until a time: a run may last for days.
func (t *Taint) Forget(until machine.Time) {
	for _, all := range []map[*state.Player][]machine.Time{t.acts, t.signed} {
		for p, list := range all {
			old, _ := slices.BinarySearch(list, until+1)
			all[p] = slices.Delete(list, 0, old)
		}
	}
}

// Unsigned is how many actions a player has done after one time and until another that
// its own node has not signed.
func (t *Taint) Unsigned(p *state.Player, from, to machine.Time) int {
	return max(0, during(t.acts[p], from, to)-during(t.signed[p], from, to))
}

// during counts times after one and until another.
func during(list []machine.Time, from, to machine.Time) int {
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
		reaches := func(lost bool) bool {
			return slices.ContainsFunc(sources, func(s source) bool { return s.lost == lost && s.at.Dist2(o.Pos) <= far })
		}
		switch {
		case reaches(false):
			out[i] = Tamper(o)
		case reaches(true):
			out[i] = lose(o)
		}
	}
	return out
}

// source is a place from which taint spreads. Lost: by no attacker's fault.
type source struct {
	at   geom.Point
	lost bool
}

// sources are the places from which taint spreads in a step.
func (t *Taint) sources(s *state.Step) (out []source) {
	given := map[*state.Player]int{}
	for _, a := range s.Actions {
		given[a.Player]++
	}
	for _, o := range s.Objects {
		switch {
		case Tampered(o):
			out = append(out, source{o.Pos, Lost(o)})
		case o.Player != nil && given[o.Player] < during(t.acts[o.Player], s.From, s.To):
			lost := given[o.Player] >= during(t.signed[o.Player], s.From, s.To)
			out = append(out, source{o.Pos, lost})
		}
	}
	return out
}

// Activate implements storage.Rules.
func (t *Taint) Activate(p *state.Player, place geom.Point, o *state.Object) *state.Object {
	if o == nil || !Tampered(o) {
		return t.Rules.Activate(p, place, o)
	}
	w := t.Rules.Activate(p, place, genuine(o))
	switch {
	case w == nil:
		return nil
	case Lost(o):
		return lose(w)
	}
	return Tamper(w)
}

// AppendObject implements storage.Rules.
func (t *Taint) AppendObject(out []byte, o *state.Object) []byte {
	return t.Rules.AppendObject(out, genuine(o))
}
