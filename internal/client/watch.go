package client

import (
	"cmp"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/region"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

const (
	// inFlight is how many columns may be on their way to a client: enough to
	// keep the terrain workers and the line busy, few enough that frames and a
	// change of mind do not wait behind them.
	inFlight = 12
	// keepAtLeast is how far from the player (in columns) columns stay loaded
	// even with a shorter view: 9×9 of them (dissertation 3.3).
	keepAtLeast = 4
	// Columns up to nearRate away, all within 32 m, are watched each tick, those up
	// to halfRate away, all within 64 m, every second tick, others every fourth.
	nearRate = 1
	halfRate = 2
)

// watcher decides which columns a client has and how often it hears of them.
// It is plain state: the session sends what it says.
type watcher struct {
	view    int32 // columns; 0: nothing yet
	centre  world.ColumnPos
	have    map[world.ColumnPos]bool // watched; true once the client has it
	rates   map[world.RegionPos]*[world.Columns]uint8
	queue   []world.ColumnPos // wanted, nearest first
	waiting int               // watched and not sent yet
	changed []world.RegionPos // their rates are to be sent
}

func newWatcher() *watcher {
	return &watcher{
		have:  map[world.ColumnPos]bool{},
		rates: map[world.RegionPos]*[world.Columns]uint8{},
	}
}

// look moves the middle of the view or changes its distance, and returns the
// columns that the client is to forget.
func (w *watcher) look(centre world.ColumnPos, view int32) (unload []world.ColumnPos) {
	if w.centre == centre && w.view == view {
		return nil
	}
	w.centre, w.view = centre, view
	keep := max(keepAtLeast, view+1)
	for c, sent := range w.have {
		d := distance(c, centre)
		if d <= keep {
			w.set(c, rateAt(d))
			continue
		}
		if sent {
			unload = append(unload, c)
		} else {
			w.waiting--
		}
		delete(w.have, c)
		w.set(c, region.RateNone)
	}
	slices.SortFunc(unload, compareColumns)
	w.queue = wanted(w.queue[:0], centre, view)
	return unload
}

// more begins to watch the nearest columns that the client does not have, as
// many as may be on their way.
func (w *watcher) more() {
	for len(w.queue) > 0 && w.waiting < inFlight {
		c := w.queue[0]
		w.queue = w.queue[1:]
		if _, ok := w.have[c]; ok {
			continue
		}
		w.have[c] = false
		w.waiting++
		w.set(c, rateAt(distance(c, w.centre)))
	}
}

// sent notes that the client gets a column; false if it is not wanted any more.
func (w *watcher) sent(c world.ColumnPos) bool {
	sent, ok := w.have[c]
	if ok && !sent {
		w.have[c] = true
		w.waiting--
	}
	return ok
}

// again marks the region's columns as not sent: it will be watched from new.
func (w *watcher) again(r world.RegionPos) {
	for c, sent := range w.have {
		if sent && c.Region() == r {
			w.have[c] = false
			w.waiting++
		}
	}
	w.note(r)
}

// lacking are the regions with columns that are watched and have not come.
func (w *watcher) lacking() (out []world.RegionPos) {
	for c, sent := range w.have {
		if r := c.Region(); !sent && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// without are the rates of a region without the columns that have not come.
func (w *watcher) without(r world.RegionPos) *region.Watch {
	m := &region.Watch{Rates: *w.rates[r]}
	for c, sent := range w.have {
		if !sent && c.Region() == r {
			m.Rates[c.Index()] = region.RateNone
		}
	}
	return m
}

// watches reports whether any column of r is watched.
func (w *watcher) watches(r world.RegionPos) bool { return w.rates[r] != nil }

func (w *watcher) set(c world.ColumnPos, rate uint8) {
	r := c.Region()
	rates := w.rates[r]
	if rates == nil {
		rates = new([world.Columns]uint8)
		w.rates[r] = rates
	}
	if rates[c.Index()] != rate {
		rates[c.Index()] = rate
		w.note(r)
	}
}

func (w *watcher) note(r world.RegionPos) {
	if !slices.Contains(w.changed, r) {
		w.changed = append(w.changed, r)
	}
}

// take returns the regions whose watching has changed, with their rates, in
// the order of the first change, and forgets regions that are not watched any
// more.
func (w *watcher) take(send func(world.RegionPos, *region.Watch)) {
	for _, r := range w.changed {
		rates := *w.rates[r]
		if rates == [world.Columns]uint8{} {
			delete(w.rates, r)
		}
		send(r, &region.Watch{Rates: rates})
	}
	w.changed = w.changed[:0]
}

// wanted lists the columns of a round view, nearest first.
func wanted(out []world.ColumnPos, centre world.ColumnPos, view int32) []world.ColumnPos {
	if view == 0 {
		return out
	}
	for z := -view; z <= view; z++ {
		for x := -view; x <= view; x++ {
			if x*x+z*z <= view*view+view { // a radius of view + ½, about; 3×3 and more
				out = append(out, world.ColumnPos{X: centre.X + x, Z: centre.Z + z})
			}
		}
	}
	slices.SortFunc(out, func(a, b world.ColumnPos) int {
		return cmp.Or(cmp.Compare(square(a, centre), square(b, centre)), compareColumns(a, b))
	})
	return out
}

// distance is the larger of the distances along x and z.
func distance(a, b world.ColumnPos) int32 { return max(abs(a.X-b.X), abs(a.Z-b.Z)) }

func square(a, b world.ColumnPos) int32 { return (a.X-b.X)*(a.X-b.X) + (a.Z-b.Z)*(a.Z-b.Z) }

func abs(n int32) int32 { return max(n, -n) }

func rateAt(d int32) uint8 {
	switch {
	case d <= nearRate:
		return region.RateEvery
	case d <= halfRate:
		return region.RateHalf
	}
	return region.RateQuart
}

func compareColumns(a, b world.ColumnPos) int {
	return cmp.Or(cmp.Compare(a.Z, b.Z), cmp.Compare(a.X, b.X))
}
