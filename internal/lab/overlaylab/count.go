package overlaylab

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// overlayState is what an overlay looks like from outside.
type overlayState struct {
	nodes   int
	wrong   int // neighbourhoods that are not the Delaunay star
	shaky   int // nodes that do not feel stable
	degree  []float64
	fill    []float64 // filled share of all table entries, of each node
	fillTop []float64 // the same of the top layer
	fourth  []int     // nodes by how many entries of the fourth layer are filled

	fillable                   int // entries for which there is a node
	filled, closest, symmetric int

	malicious, maliciousTop []float64 // share of the filled entries, of each honest node
}

// look compares all live nodes with what they should know (6.3.2).
func (n *overlayNet) look() overlayState {
	live := n.live()
	s := overlayState{nodes: len(live), fourth: make([]int, n.space.Zones())}
	places := make([]geom.Point, len(live))
	for i, o := range live {
		places[i] = o.self.Pos
	}
	for _, o := range live {
		s.lookAt(o, places)
		s.lookAtTable(n, o, places)
	}
	return s
}

// lookAtTable checks one node's routing table.
func (s *overlayState) lookAtTable(n *overlayNet, o *overlayNode, places []geom.Point) {
	nearest := nearestInSlots(n.space, o.self.Pos, places)
	s.fillable += len(nearest)
	table := o.machine().Table(nil)
	var top, fourth int
	var bad, badTop float64
	for _, e := range table {
		holder := n.byPlace[e.Node.Pos]
		if e.Slot.Layer == 0 {
			top++
		}
		if e.Slot.Layer == 3 {
			fourth++
		}
		if nearest[e.Slot] == e.Node.Pos {
			s.closest++
		}
		if m := holder.machine(); m != nil && m.Holds(o.self) {
			s.symmetric++
		}
		if holder.malicious {
			bad++
			if e.Slot.Layer == 0 {
				badTop++
			}
		}
	}
	s.filled += len(table)
	s.fourth[fourth]++
	others := n.space.Zones() - 1
	s.fill = append(s.fill, float64(len(table))/float64(n.space.Layers*others))
	s.fillTop = append(s.fillTop, float64(top)/float64(others))
	if !o.malicious {
		s.malicious = append(s.malicious, bad/float64(max(len(table), 1)))
		s.maliciousTop = append(s.maliciousTop, badTop/float64(max(top, 1)))
	}
}

// distrusted counts malicious or honest nodes that honest ones keep out of their
// tables because they have answered for others.
func (n *overlayNet) distrusted(malicious bool) (count int) {
	for _, o := range n.live() {
		if o.malicious {
			continue
		}
		for _, other := range n.nodes {
			if other.malicious == malicious && o.machine().Distrusts(other.self) {
				count++
			}
		}
	}
	return count
}

// nearestInSlots returns, for each entry of a node's table that somebody fits
// in, the place of the node that belongs there.
func nearestInSlots(s overlay.Space, self geom.Point, places []geom.Point) map[overlay.Slot]geom.Point {
	best := map[overlay.Slot]geom.Point{}
	for _, p := range places {
		slot, ok := s.SlotOf(self, p)
		if !ok {
			continue
		}
		if old, taken := best[slot]; !taken || geom.Closer(s.Target(self, slot), p, old) {
			best[slot] = p
		}
	}
	return best
}

// exact reports whether every neighbourhood is the Delaunay star and every node
// feels stable.
func (n *overlayNet) exact() bool {
	var s overlayState
	live := n.live()
	places := make([]geom.Point, len(live))
	for i, o := range live {
		places[i] = o.self.Pos
	}
	for _, o := range live {
		if s.lookAt(o, places); s.wrong+s.shaky > 0 {
			return false
		}
	}
	return true
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
