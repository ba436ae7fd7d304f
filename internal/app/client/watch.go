package client

import (
	"cmp"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
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
	// Of a region that the player is not in nothing is told more often than how
	// near the region is asks for: each frame of it is a packet of its own. How
	// near counts from the spot of the region's grid that the player is on, and
	// still is while not more than lean beyond its edge: regions are not told at
	// each step that goes to and fro.
	spotBits    = 4
	spotSize    = 1 << spotBits // metres
	lean        = 2
	regionSpots = world.RegionSize / spotSize
	nearSpots   = 0 // between, for each tick
	halfSpots   = 2 // for every second
)

// watcher decides which columns a client has and how often it hears of them.
// It is plain state: the session sends what it says.
type watcher struct {
	view    int32 // columns; 0: nothing yet
	centre  world.ColumnPos
	spot    [2]int32                 // x and z, in spots
	have    map[world.ColumnPos]bool // watched; true once the client has it
	rates   map[world.RegionPos]*[world.Columns]uint8
	queue   []world.ColumnPos // wanted, nearest first
	waiting int               // watched and not sent yet
	changed []world.RegionPos // their rates are to be sent
	may     func() bool       // whether one more region may be watched now; nil: always
}

func newWatcher() *watcher {
	return &watcher{
		have:  map[world.ColumnPos]bool{},
		rates: map[world.RegionPos]*[world.Columns]uint8{},
	}
}

// look moves the middle of the view to where the player is or changes its
// distance, and returns the columns that the client is to forget.
func (w *watcher) look(at world.Pos, view int32) (unload []world.ColumnPos) {
	centre := at.Column()
	if stays := w.stand(at); stays && w.centre == centre && w.view == view {
		return nil
	}
	w.centre, w.view = centre, view
	keep := max(keepAtLeast, view+1)
	for c, sent := range w.have {
		if distance(c, centre) <= keep {
			w.set(c, w.rate(c))
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
		_, have := w.have[c]
		if !have && w.rates[c.Region()] == nil && w.may != nil && !w.may() {
			return // it is tried again
		}
		w.queue = w.queue[1:]
		if have {
			continue
		}
		w.have[c] = false
		w.waiting++
		w.set(c, w.rate(c))
	}
}

// stand moves the spot that the player is on; it reports whether it stays.
func (w *watcher) stand(at world.Pos) (stays bool) {
	stays = true
	for i, v := range [2]int32{at.X, at.Z} {
		if from := w.spot[i] * spotSize; v < from-lean || v >= from+spotSize+lean {
			w.spot[i] = v >> spotBits
			stays = false
		}
	}
	return stays
}

// rate is how often it is to be told of a column.
func (w *watcher) rate(c world.ColumnPos) uint8 {
	rate, r := rateAt(distance(c, w.centre)), c.Region()
	if r == w.centre.Region() {
		return rate
	}
	switch far := max(between(w.spot[0], r.X), between(w.spot[1], r.Z)); {
	case far <= nearSpots:
		return rate
	case far <= halfSpots:
		return max(rate, region.RateHalf)
	}
	return region.RateQuart
}

// between is how many spots lie between one and a region, along one axis.
func between(spot, r int32) int32 {
	first := r * regionSpots
	return max(0, first-spot-1, spot-(first+regionSpots))
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
