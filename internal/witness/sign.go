package witness

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/truth"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Once an interval, shortly before its end, the witness signs what its players
// did in the region where it stands, and says where it goes next. It has no
// other way to be in two places: what was done elsewhere waits for it.

const maxTries = 8 // to have an edit taken

// interval is the one that a time lies in: until t_of.
func (w *Witness) interval(now machine.Time) int64 {
	d := now.Sub(w.cfg.Begin)
	if d <= 0 {
		return 0
	}
	return int64((d + w.cfg.Every - 1) / w.cfg.Every)
}

func (w *Witness) end(of int64) machine.Time {
	return w.cfg.Begin.Add(time.Duration(of) * w.cfg.Every)
}

// Beat does what is due. It is called a few times a second, and often enough in
// the last tenth of an interval.
func (w *Witness) Beat(now machine.Time) {
	of := w.interval(now)
	if of <= w.signed || now < w.end(of).Add(-w.cfg.Every/10) {
		return
	}
	w.signed = of
	if w.moved != 0 && of > w.moved {
		w.at, w.moved = w.next, 0
	}
	switch {
	case w.present:
		w.speak(of, now)
	case w.until == w.end(of): // announced, and has to say so
		w.say(&truth.Batch{First: truth.TickAt(now), Watch: true, To: w.at}, now)
		w.next, w.moved = w.at, of
		w.present = true
	case w.until < w.end(of) && len(w.players) > 0:
		w.announce()
	}
}

// Where is where the storage is to be looked at: around the witness.
func (w *Witness) Where() (geom.Point, bool) {
	if !w.present {
		return geom.Point{}, false
	}
	at := w.at
	if w.moved != 0 && w.env.Now() > w.end(w.moved) {
		at = w.next
	}
	return w.cfg.Rules.Middle(at), true
}

// announce lets the zones know that there will be a witness.
func (w *Witness) announce() {
	at, ok := w.goal()
	if !ok {
		return
	}
	w.at = at
	_, w.until = w.env.Activation()
	w.env.Activate(w.cfg.Rules.Middle(at))
}

// goal is where the witness is wanted most: where the oldest edit waits, or else
// where a player is.
func (w *Witness) goal() (world.RegionPos, bool) {
	for _, d := range w.pending {
		if d.of == 0 {
			return d.in, true
		}
	}
	for _, p := range w.sorted() {
		if !p.gone && w.cfg.Rules.Holds(p.home) {
			return p.home, true
		}
	}
	return world.RegionPos{}, false
}

func (w *Witness) sorted() []*player {
	return slices.SortedFunc(maps.Values(w.players), func(a, b *player) int { return bytes.Compare(a.id[:], b.id[:]) })
}

// toward is the region beside at, or at itself, that is nearest to a goal.
func toward(at, goal world.RegionPos) world.RegionPos {
	step := func(from, to int32) int32 { return from + max(-1, min(to-from, 1)) }
	return world.RegionPos{X: step(at.X, goal.X), Z: step(at.Z, goal.Z)}
}

// speak signs what waits in the region where the witness is.
func (w *Witness) speak(of int64, now machine.Time) {
	first := max(truth.TickAt(w.end(of-1)), 0) + 1
	last := truth.TickAt(w.end(of))
	b := &truth.Batch{First: first, Watch: true, To: w.at}
	tick := first
	add := func(e truth.Edit) bool {
		if len(b.Edits) == truth.MaxEdits || tick > last {
			return false
		}
		e.Tick = min(max(e.Tick, tick), last)
		tick = e.Tick + 1
		b.Edits = append(b.Edits, e)
		return true
	}
	for _, p := range w.sorted() {
		if !p.come && !p.gone && (p.home == w.at || w.acts(p)) {
			p.come, p.cameOf = add(truth.Edit{Kind: truth.EditCome, Player: p.id}), of
		}
	}
	late := w.late(first, last)
	for _, d := range w.pending {
		if d.of != 0 || d.in != w.at {
			continue
		}
		e := d.Edit
		if late {
			e.Tick = 0
		}
		if !add(e) {
			break
		}
		d.of = of
		d.tries++
	}
	for _, p := range w.sorted() {
		if p.gone && p.home == w.at && !w.owes(p) && (!p.come || add(truth.Edit{Kind: truth.EditGo, Player: p.id})) {
			delete(w.players, p.id)
		}
	}
	if goal, ok := w.goal(); ok {
		b.To = toward(w.at, goal)
	} else if len(w.players) > 0 {
		b.To = toward(w.at, w.sorted()[0].home)
	}
	b.Leave = len(w.players) == 0 && len(w.pending) == 0
	w.say(b, now)
	w.next, w.moved = b.To, of
	if b.Leave {
		w.present = false
	}
}

// late reports whether there is more to sign than ticks after when it was done,
// so that it begins at the interval's first.
func (w *Witness) late(first, last uint64) bool {
	tick := first
	for _, d := range w.pending {
		if d.of == 0 && d.in == w.at {
			tick = max(d.Tick, tick) + 1
		}
	}
	return tick > last
}

// acts reports whether something that a player did is to be signed where the
// witness is.
func (w *Witness) acts(p *player) bool {
	return slices.ContainsFunc(w.pending, func(d *deed) bool { return d.Player == p.id && d.in == w.at })
}

// owes reports whether something that a player did is not in the storage yet.
func (w *Witness) owes(p *player) bool {
	return slices.ContainsFunc(w.pending, func(d *deed) bool { return d.Player == p.id })
}

func (w *Witness) say(b *truth.Batch, now machine.Time) {
	w.seq = max(w.seq+1, uint64(now)) // grows over restarts too
	body := b.AppendBinary(nil)
	w.env.Act(&storage.Action{Player: w.cfg.Self, Seq: w.seq, At: now, Body: body, Size: len(body)})
}

// settle lets go of what the zones have voted to be so, and lets what was not
// taken be signed again.
func (w *Witness) settle(of int64, v *truth.View, knows func(world.RegionPos) bool) {
	newest := map[world.Pos]*deed{}
	for _, d := range w.pending {
		newest[d.At] = d
	}
	_, heard, _ := v.Witness(w.cfg.Self.ID)
	w.pending = slices.DeleteFunc(w.pending, func(d *deed) bool {
		if d.of == 0 || d.of > of || !knows(d.in) {
			return false
		}
		applied := heard > truth.TickAt(w.end(d.of-1))
		if applied && (d.Kind == truth.EditCraft || newest[d.At] != d) {
			w.stats.Taken++
			return true
		}
		if applied {
			want := world.Air
			if d.Kind == truth.EditPlace {
				want = d.Block
			}
			now, shown := w.voted(v, d.At), want
			if b, ok := w.eyes.block(d.At); ok {
				shown = b
			}
			if now == want || world.Drifts(now) && world.Drifts(want) || shown != want {
				w.stats.Taken++
				return true
			}
		}
		if d.tries >= maxTries {
			w.stats.Refused++
			return true
		}
		d.of = 0
		return false
	})
}

// voted is a block as the zones have it.
func (w *Witness) voted(v *truth.View, at world.Pos) world.Block {
	if at.Y < 0 || at.Y >= world.Height {
		return world.Air
	}
	return w.cfg.Rules.Column(v, at.Column()).At(int(at.X&31), int(at.Y), int(at.Z&31))
}
