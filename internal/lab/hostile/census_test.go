package hostile

import (
	"maps"
	"testing"
	"time"
)

// holder is what a census looks into.
type holder struct {
	byName map[string]*holder
	list   []holder
	bytes  []byte
	any    any
	pair   [2][]int
	self   *holder
	_      [1000]struct{ x, y int } // has nothing to count
}

func holding() *holder {
	h := &holder{
		byName: map[string]*holder{"a": {bytes: make([]byte, 3)}, "b": nil},
		list:   make([]holder, 500), bytes: make([]byte, 7), any: map[int]bool{1: true}, pair: [2][]int{{1}, {2, 3}},
	}
	h.self, h.list[400].self, h.list[401].pair[1] = h, h, []int{1, 2, 3}
	return h
}

// TestCensus: the elements of all that can be reached are counted once, whether the
// census is made at once or in slices.
func TestCensus(t *testing.T) {
	want := map[string]int{
		"hostile.holder.byName": 2, "hostile.holder.list": 500, "hostile.holder.bytes": 10, "hostile.holder.any": 1, "hostile.holder.pair": 6,
	}
	h := holding()
	for _, slice := range []time.Duration{time.Hour, 0} {
		c, slices := NewCensus(h), 1
		for !c.Count(slice) {
			slices++
		}
		if got := c.Counts(); !maps.Equal(got, want) {
			t.Errorf("slices of %v: %v, want %v", slice, got, want)
		}
		if (slices > 1) != (slice == 0) {
			t.Errorf("slices of %v: there were %d", slice, slices)
		}
	}
}

// TestCensusOfWhatChanges: between two slices lists end, maps are emptied and pointers
// are set to nil.
func TestCensusOfWhatChanges(t *testing.T) {
	for after := range 100 {
		h := holding()
		c := NewCensus(h)
		for n := 0; !c.Count(0); n++ {
			if n == after {
				h.list[400].self, h.self, h.any, h.bytes = nil, nil, nil, nil
				clear(h.byName)
				h.list = h.list[:10]
			}
		}
		if n := c.Counts()["hostile.holder.list"]; n != 500 && n != 10 {
			t.Errorf("after %d slices: the list counts as %d", after, n)
		}
	}
}
