package host

import "testing"

// Issue 3: nodes declare what they can carry and refuse beyond it.
func TestCapacity(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits Capacity
		memory uint64   // bytes
		sent   []uint64 // bytes so far, one measurement a second
		full   bool
	}{
		{"no limits", Capacity{}, 1 << 40, []uint64{0, 1 << 40}, false},
		{"enough memory", Capacity{Memory: 100}, 99 << 20, []uint64{0, 0}, false},
		{"no memory left", Capacity{Memory: 100}, 100 << 20, []uint64{0, 0}, true},
		{"a slow line", Capacity{Upload: 10}, 0, []uint64{0, 9_000, 18_000}, false},
		{"a full line", Capacity{Upload: 10}, 0, []uint64{0, 10_000, 20_000}, true},
		{"one busy second", Capacity{Upload: 10}, 0, []uint64{0, 0, 0, 0, 0, 40_000}, false},
		{"long ago", Capacity{Upload: 10}, 0, []uint64{0, 900_000, 900_000, 900_000, 900_000, 900_000, 900_000, 900_000, 900_000, 900_000, 900_000, 900_000}, false},
	} {
		l := &load{limits: c.limits}
		past := c.sent[:1]
		for _, sent := range c.sent[1:] {
			past = l.measure(past, c.memory, sent)
		}
		if l.full() != c.full {
			t.Errorf("%s: full is %v, %d MB, %d KB/s", c.name, l.full(), l.memory.Load(), l.upload.Load())
		}
	}
	l := &load{limits: Capacity{Regions: 7}}
	if got := l.capacity(7, 0); !got.Full || got.Regions != 7 {
		t.Errorf("with as many parts as it may keep: %+v", got)
	}
	if got := (&load{}).capacity(7, 9); got.Full || got.Regions == 0 {
		t.Errorf("by default: %+v", got)
	}
	l = &load{limits: Capacity{Players: 3}}
	if few, many := l.capacity(1, 2), l.capacity(1, 3); few.Full || !many.Full || many.Players != 3 || many.PlayersHere != 3 {
		t.Errorf("with 2 and 3 of 3 players: %+v, %+v", few, many)
	}
	if memoryUsed() == 0 {
		t.Error("no memory is used")
	}
}
