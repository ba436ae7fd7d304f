package lab

import (
	"math"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// overlayState is what an overlay looks like from outside.
type overlayState struct {
	nodes  int
	wrong  int // neighbourhoods that are not the Delaunay star
	shaky  int // nodes that do not feel stable
	degree []float64
	fill   []float64 // filled share of all table entries, of each node
	top    float64   // the same of the top layer, of all

	fillable                   int // entries for which there is a node
	filled, closest, symmetric int
}

// look compares all live nodes with what they should know (6.3.2).
func (n *overlayNet) look() overlayState {
	live := n.live()
	s := overlayState{nodes: len(live)}
	places := make([]geom.Point, len(live))
	known := map[geom.Point]map[geom.Point]bool{} // tables
	for i, o := range live {
		places[i] = o.self.Pos
		set := map[geom.Point]bool{}
		for _, e := range o.machine().Table(nil) {
			set[e.Node.Pos] = true
		}
		known[o.self.Pos] = set
	}
	var topFilled int
	for _, o := range live {
		s.lookAt(o, places)
		for _, e := range o.machine().Table(nil) {
			s.filled++
			if e.Slot.Layer == 0 {
				topFilled++
			}
			if nearestInSlot(n.space, o.self.Pos, e, places) == e.Node.Pos {
				s.closest++
			}
			if known[e.Node.Pos][o.self.Pos] {
				s.symmetric++
			}
		}
		s.fillable += fillable(n.space, o.self.Pos, places)
		all := n.space.Layers * (n.space.Zones() - 1)
		s.fill = append(s.fill, float64(len(known[o.self.Pos]))/float64(all))
	}
	s.top = float64(topFilled) / float64(len(live)*(n.space.Zones()-1))
	return s
}

// lookAt checks one node's neighbours.
func (s *overlayState) lookAt(o *overlayNode, places []geom.Point) {
	m := o.machine()
	var want, got []geom.Point
	for _, i := range geom.Star(o.self.Pos, places, nil) {
		want = append(want, places[i])
	}
	for _, c := range m.Neighbours(nil) {
		got = append(got, c.Pos)
	}
	order := func(a, b geom.Point) int {
		if a.Less(b) {
			return -1
		}
		if b.Less(a) {
			return 1
		}
		return 0
	}
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if !slices.Equal(want, got) {
		s.wrong++
	}
	if !m.Stable() {
		s.shaky++
	}
	s.degree = append(s.degree, float64(len(got)))
}

// fillable counts the entries of a node's table that some node fits in.
func fillable(s overlay.Space, self geom.Point, places []geom.Point) int {
	found := map[overlay.Slot]bool{}
	for _, p := range places {
		if slot, ok := s.SlotOf(self, p); ok {
			found[slot] = true
		}
	}
	return len(found)
}

// nearestInSlot is the live node that belongs into an entry.
func nearestInSlot(s overlay.Space, self geom.Point, e overlay.Entry, places []geom.Point) geom.Point {
	best, found := geom.Point{}, false
	for _, p := range places {
		slot, ok := s.SlotOf(self, p)
		if ok && slot == e.Slot && (!found || geom.Closer(e.Target, p, best)) {
			best, found = p, true
		}
	}
	return best
}

// deviation is the standard deviation.
func deviation(values []float64) float64 {
	m, sum := mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return finite(math.Sqrt(sum / float64(len(values))))
}
