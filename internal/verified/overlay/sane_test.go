package overlay_test

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	. "github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// FuzzMessages sends a node whatever a linked node could send: it never panics
// and goes on working.
func FuzzMessages(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3})
	f.Add([]byte{7, 200, 0, 0, 255, 255, 9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newStage(t)
		s.with("enws")
		for len(b) > 0 {
			var m machine.Message
			m, b = someMessage(b)
			s.hears("e", m)
			s.pass(100 * 1e6)
		}
	})
}

// someMessage makes a message of bytes.
func someMessage(b []byte) (machine.Message, []byte) {
	next := func() (c byte) {
		if len(b) > 0 {
			c, b = b[0], b[1:]
		}
		return c
	}
	point := func() geom.Point {
		scale := int32(1) << (next() % 28)
		return geom.Point{X: int32(int8(next())) * scale, Y: int32(int8(next())) * scale}
	}
	contact := func() *Contact {
		names := []string{"o", "e", "n", "w", "s", "E", "m"}
		switch k := int(next()); {
		case k < 7*30:
			return at(names[k%7])
		case k < 240:
			c := at(names[k%7])
			c.Pos = point()
			return c
		}
		return nil
	}
	route := Route{Origin: contact(), Seq: uint64(next()), Dest: point(), Via: point(), HasVia: next()%2 == 0, Hops: next()}
	switch next() % 10 {
	case 0:
		v := &NetworkView{Source: contact(), Ask: next()%2 == 0}
		for range next() % 8 {
			v.Neighbours = append(v.Neighbours, contact())
		}
		return v, b
	case 1:
		return &ConnectionInfo{Wanted: next()%2 == 0}, b
	case 2:
		return &JoinRequest{Route: route}, b
	case 3:
		return &RtRequest{Route: route, Handed: next()%2 == 0}, b
	case 4:
		return &RtResponse{From: contact(), Target: point()}, b
	case 5:
		return &Unicast{Route: route}, b
	case 6:
		return &Hello{}, b
	case 7:
		return "what?", b
	case 8:
		return &RtHint{contact()}, b
	}
	m := &Areacast{Route: route, Area: Area{Circle: geom.Circle{C: point(), R: point().X}}, Root: contact(), Anchor: point()}
	for range next() % 5 {
		m.Area.Polygon = append(m.Area.Polygon, point())
	}
	return m, b
}
