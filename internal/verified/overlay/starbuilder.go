package overlay

import (
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
)

// starBuilder holds the candidates of one calculation and is used again, so that
// calculating allocates nothing.
type starBuilder struct {
	centre   geom.Point
	reach    int64 // square of the distance beyond which nobody is a neighbour
	contacts []*Contact
	points   []geom.Point
	found    []int
	result   []*Contact
}

// reset begins a calculation of c's star.
func (s *starBuilder) reset(c *Contact) {
	s.centre, s.reach = c.Pos, math.MaxInt64
	s.contacts, s.points = s.contacts[:0], s.points[:0]
}

// add adds a candidate; places are what tells nodes apart here (4.2.4: the
// authority gives no place twice).
func (s *starBuilder) add(c *Contact) {
	if d := s.centre.Dist2(c.Pos); d == 0 || d > s.reach {
		return
	}
	for _, p := range s.points {
		if p == c.Pos {
			return
		}
	}
	s.contacts = append(s.contacts, c)
	s.points = append(s.points, c.Pos)
}

func (s *starBuilder) addAll(list []*Contact) {
	for _, c := range list {
		s.add(c)
	}
}

func (s *starBuilder) addPeers(list []*peer) {
	for _, p := range list {
		s.add(p.Contact)
	}
}

// star returns the neighbours, counter-clockwise; valid until the next call.
func (s *starBuilder) star() []*Contact {
	s.found = geom.Star(s.centre, s.points, s.found[:0])
	s.result = s.result[:0]
	for _, i := range s.found {
		s.result = append(s.result, s.contacts[i])
	}
	return s.result
}

// starIs reports whether the star is exactly the nodes of list.
func (s *starBuilder) starIs(list []*Contact) bool {
	s.found = geom.Star(s.centre, s.points, s.found[:0])
	if len(s.found) != len(list) {
		return false
	}
	for _, i := range s.found {
		if !hasPlace(list, s.points[i]) {
			return false
		}
	}
	return true
}

func hasPlace(list []*Contact, p geom.Point) bool {
	for _, c := range list {
		if c.Pos == p {
			return true
		}
	}
	return false
}
