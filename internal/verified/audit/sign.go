package audit

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// Once an interval, shortly before its end, the auditor signs what its players did in
// the region where it stands, and the region where it goes next. Edits elsewhere wait
// until it is there.

const maxTries = 8 // batches that an edit is put into until it is given up

// interval returns the interval of a time, which ends at t_of.
func (a *Auditor) interval(now machine.Time) int64 {
	d := now.Sub(a.cfg.Begin)
	if d <= 0 {
		return 0
	}
	return int64((d + a.cfg.Every - 1) / a.cfg.Every)
}

func (a *Auditor) intervalEnd(of int64) machine.Time {
	return a.cfg.Begin.Add(time.Duration(of) * a.cfg.Every)
}

// Tick signs the batch of an interval in its last tenth. It has to be called several
// times in that tenth.
func (a *Auditor) Tick(now machine.Time) {
	of := a.interval(now)
	if of <= a.lastSigned || now < a.intervalEnd(of).Add(-a.cfg.Every/10) {
		return
	}
	a.lastSigned = of
	if a.moveAfter != 0 && of > a.moveAfter {
		a.at, a.moveAfter = a.nextAt, 0
	}
	switch {
	case a.present:
		a.signBatch(of, now)
	case a.signUntil == a.intervalEnd(of): // activated: it stays if it signs now
		a.submit(&voxelrules.Batch{First: voxelrules.TickAt(now), Audit: true, To: a.at}, now)
		a.nextAt, a.moveAfter = a.at, of
		a.present = true
	case a.signUntil < a.intervalEnd(of) && len(a.players) > 0:
		a.activate()
	}
}

// Place is the centre of the area to retrieve from the storage.
func (a *Auditor) Place() (geom.Point, bool) {
	if !a.present {
		return geom.Point{}, false
	}
	at := a.at
	if a.moveAfter != 0 && a.env.Now() > a.intervalEnd(a.moveAfter) {
		at = a.nextAt
	}
	return a.cfg.Rules.Middle(at), true
}

// activate announces an auditor to the zones.
func (a *Auditor) activate() {
	at, ok := a.destination()
	if !ok {
		return
	}
	a.at = at
	_, a.signUntil = a.env.Activation()
	a.env.Activate(a.cfg.Rules.Middle(at))
}

// destination is the region of the oldest unsigned edit, or else that of a player.
func (a *Auditor) destination() (world.RegionPos, bool) {
	for _, e := range a.pending {
		if e.interval == 0 {
			return e.in, true
		}
	}
	for _, p := range a.sortedPlayers() {
		if !p.gone && a.cfg.Rules.Holds(p.home) {
			return p.home, true
		}
	}
	return world.RegionPos{}, false
}

func (a *Auditor) sortedPlayers() []*player {
	return slices.SortedFunc(maps.Values(a.players), func(a, b *player) int { return bytes.Compare(a.id[:], b.id[:]) })
}

// stepToward returns the region nearest to a goal, of at and its neighbours.
func stepToward(at, goal world.RegionPos) world.RegionPos {
	step := func(from, to int32) int32 { return from + max(-1, min(to-from, 1)) }
	return world.RegionPos{X: step(at.X, goal.X), Z: step(at.Z, goal.Z)}
}

// signBatch signs the pending edits in the region where the auditor is.
func (a *Auditor) signBatch(of int64, now machine.Time) {
	first := max(voxelrules.TickAt(a.intervalEnd(of-1)), 0) + 1
	last := voxelrules.TickAt(a.intervalEnd(of))
	b := &voxelrules.Batch{First: first, Audit: true, To: a.at}
	tick := first
	add := func(e voxelrules.Edit) bool {
		if len(b.Edits) == voxelrules.MaxEdits || tick > last {
			return false
		}
		e.Tick = min(max(e.Tick, tick), last)
		tick = e.Tick + 1
		b.Edits = append(b.Edits, e)
		return true
	}
	for _, p := range a.sortedPlayers() {
		if !p.joined && !p.gone && (p.home == a.at || a.hasPendingEditHere(p)) {
			p.joined, p.joinedIn = add(voxelrules.Edit{Kind: voxelrules.EditJoin, Player: p.id}), of
		}
	}
	late := a.overfull(first, last)
	for _, d := range a.pending {
		if d.interval != 0 || d.in != a.at {
			continue
		}
		e := d.Edit
		if late {
			e.Tick = 0
		}
		if !add(e) {
			break
		}
		d.interval = of
		d.tries++
	}
	for _, p := range a.sortedPlayers() {
		if p.gone && p.home == a.at && !a.hasPendingEdit(p) && (!p.joined || add(voxelrules.Edit{Kind: voxelrules.EditLeave, Player: p.id})) {
			delete(a.players, p.id)
		}
	}
	if goal, ok := a.destination(); ok {
		b.To = stepToward(a.at, goal)
	} else if len(a.players) > 0 {
		b.To = stepToward(a.at, a.sortedPlayers()[0].home)
	}
	b.Leave = len(a.players) == 0 && len(a.pending) == 0
	a.submit(b, now)
	a.nextAt, a.moveAfter = b.To, of
	if b.Leave {
		a.present = false
	}
}

// overfull reports whether the pending edits do not fit into the ticks after those in which
// they were made; then they begin with the interval's first tick.
func (a *Auditor) overfull(first, last uint64) bool {
	tick := first
	for _, e := range a.pending {
		if e.interval == 0 && e.in == a.at {
			tick = max(e.Tick, tick) + 1
		}
	}
	return tick > last
}

// hasPendingEditHere reports whether a player has pending edits in the auditor's region.
func (a *Auditor) hasPendingEditHere(p *player) bool {
	return slices.ContainsFunc(a.pending, func(e *pendingEdit) bool { return e.Player == p.id && e.in == a.at })
}

// hasPendingEdit reports whether a player has edits that are not in the storage yet.
func (a *Auditor) hasPendingEdit(p *player) bool {
	return slices.ContainsFunc(a.pending, func(e *pendingEdit) bool { return e.Player == p.id })
}

func (a *Auditor) submit(b *voxelrules.Batch, now machine.Time) {
	a.seq = max(a.seq+1, uint64(now)) // grows over restarts too
	body := b.AppendBinary(nil)
	a.env.Act(&state.Action{Player: a.cfg.Self, Seq: a.seq, At: now, Body: body, Size: len(body)})
}

// confirmEdits removes the pending edits that the voted state contains, and has those
// signed again that it should contain and does not.
func (a *Auditor) confirmEdits(of int64, v *voxelrules.View, knows func(world.RegionPos) bool) {
	newest := map[world.Pos]*pendingEdit{}
	for _, e := range a.pending {
		newest[e.At] = e
	}
	_, heard, _ := v.Auditor(a.cfg.Self.ID)
	a.pending = slices.DeleteFunc(a.pending, func(e *pendingEdit) bool {
		if e.interval == 0 || e.interval > of || !knows(e.in) {
			return false
		}
		applied := heard > voxelrules.TickAt(a.intervalEnd(e.interval-1))
		if applied && (e.Kind == voxelrules.EditCraft || newest[e.At] != e) {
			a.stats.Taken++
			return true
		}
		if applied {
			want := world.Air
			if e.Kind == voxelrules.EditPlace {
				want = e.Block
			}
			now, shown := a.votedBlock(v, e.At), want
			if b, ok := a.observed.block(e.At); ok {
				shown = b
			}
			if now == want || world.Drifts(now) && world.Drifts(want) || shown != want {
				a.stats.Taken++
				return true
			}
		}
		if e.tries >= maxTries {
			a.stats.Refused++
			return true
		}
		e.interval = 0
		return false
	})
}

// votedBlock returns a block of the voted state.
func (a *Auditor) votedBlock(v *voxelrules.View, at world.Pos) world.Block {
	if at.Y < 0 || at.Y >= world.Height {
		return world.Air
	}
	return a.cfg.Rules.Column(v, at.Column()).At(int(at.X&31), int(at.Y), int(at.Z&31))
}
