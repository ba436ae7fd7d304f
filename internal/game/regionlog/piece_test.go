package regionlog

import (
	"bytes"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestKnownDifferences: a piece is encoded from what the one before has found out of its
// columns, and the ground is made only for those that have changed since.
func TestKnownDifferences(t *testing.T) {
	a, signed := archived(4, nil)
	made := 0
	ground := func(pos world.ColumnPos) *world.Column { made++; return onFlat(pos) }
	c := signed[len(signed)-1]
	p := a.Before(c)
	first := p.Differences(ground)
	all := made
	a.Keep(first)
	p = a.Before(c)
	made = 0
	again := p.Differences(ground)
	if all != len(first) || made != 0 || !bytes.Equal(p.Append(nil, again), p.Append(nil, first)) {
		t.Errorf("%d columns, of which %d were made, and again %d", len(first), all, made)
	}
	for i := len(signed) - 2; i >= 0; i-- {
		if before := a.Before(signed[i]); before != nil && before.of != p.of {
			if made = 0; len(before.Differences(ground)) == 0 || made >= all {
				t.Errorf("for another piece %d of %d columns were made", made, all)
			}
			return
		}
	}
	t.Fatal("one piece is all that is kept")
}

// TestRingOfGround: a column of the ring that is the ground is made when it is looked at. One
// that is not what its hash says is not there.
func TestRingOfGround(t *testing.T) {
	pos := world.RegionPos{}
	beyond := world.Pos{X: -1, Y: top, Z: 3}
	whole, later, wrong := NewRing(pos), NewRing(pos), NewRing(pos)
	made := 0
	ground := func(pos world.ColumnPos) *world.Column { made++; return onFlat(pos) }
	hash := hashColumn(onFlat(beyond.Column()))
	whole.put(onFlat(beyond.Column()))
	if !later.putGround(beyond.Column(), hash, ground) || later.putGround(pos.Column(0), hash, ground) {
		t.Fatal("a column was not taken, or one that is not of the ring")
	}
	if later.hash() != whole.hash() || made != 0 {
		t.Errorf("another hash, or %d columns were made for it", made)
	}
	want, _ := whole.Block(beyond)
	for range 2 {
		if b, ok := later.Block(beyond); b != want || !ok {
			t.Errorf("block %v, %t; want %v", b, ok, want)
		}
	}
	if made != 1 || later.false {
		t.Errorf("made %d times", made)
	}
	later.change(beyond, world.Stone)
	whole.change(beyond, world.Stone)
	if later.hash() != whole.hash() {
		t.Error("another hash after a change")
	}
	wrong.putGround(beyond.Column(), [32]byte{1}, ground)
	if _, ok := wrong.Block(beyond); ok || !wrong.false {
		t.Error("a column that is not the ground is there")
	}
}
