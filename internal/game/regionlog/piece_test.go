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
	on := &groundColumns{ground: ground}
	if !later.putGround(beyond.Column(), hash, on) || later.putGround(pos.Column(0), hash, on) {
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
	if made != 1 || on.wrong {
		t.Errorf("made %d times", made)
	}
	later.change(beyond, world.Stone)
	whole.change(beyond, world.Stone)
	if later.hash() != whole.hash() {
		t.Error("another hash after a change")
	}
	wrong.putGround(beyond.Column(), [32]byte{1}, on)
	if _, ok := wrong.Block(beyond); ok || !on.wrong {
		t.Error("a column that is not the ground is there")
	}
}

// TestAuditOfGround: who audits makes those columns of a region that the replay looks at. A
// column that is not the ground with the hash that the leader signed ends the audit, if
// it is looked at, without a proof; a false hash ends it in any case.
func TestAuditOfGround(t *testing.T) {
	a, signed := archived(4, nil)
	c := signed[len(signed)-1]
	b := encoded(a.Before(c), flat)
	made := 0
	counted := func(pos world.ColumnPos) *world.Column { made++; return onFlat(pos) }
	if proof, found, err := Audit(b, c, counted, anyRules); proof != nil || found != nil || err != nil {
		t.Fatalf("an honest piece: %v, %v, %v", proof, found, err)
	}
	if made == 0 || made >= world.Columns {
		t.Errorf("%d columns were made", made)
	}
	t.Logf("%d columns of %d were made", made, world.Columns)
	other := func(pos world.ColumnPos) *world.Column {
		c := onFlat(pos)
		c.Set(0, 0, 0, world.Air)
		return c
	}
	if proof, found, err := Audit(b, c, other, anyRules); proof != nil || found != nil || err == nil {
		t.Errorf("another ground: %v, %v, %v", proof, found, err)
	}
	if proof, found, err := Audit(encoded(a.Before(c), other), c, other, anyRules); proof != nil || found != nil || err != nil {
		t.Errorf("changes to another ground: %v, %v, %v", proof, found, err)
	}
}

// TestAreaOfGround: an area whose columns are made when somebody looks at them has the same
// state as one that has them, before and after a change.
func TestAreaOfGround(t *testing.T) {
	whole := NewArea(world.AreaConfig{}, world.RegionPos{}, false)
	later := NewArea(world.AreaConfig{}, world.RegionPos{}, false)
	made := 0
	on := &groundColumns{ground: func(pos world.ColumnPos) *world.Column { made++; return onFlat(pos) }}
	for i := range world.Columns {
		pos := later.Pos().Column(i)
		if !whole.put(onFlat(pos), i) || !later.putGround(i, pos, hashColumn(onFlat(pos)), on) {
			t.Fatal("a column was not taken")
		}
	}
	if later.putGround(0, later.Pos().Column(1), [32]byte{}, on) {
		t.Error("a column was taken for another one")
	}
	if later.state(false).Hashes != whole.state(false).Hashes || !later.Ready() || made != 0 {
		t.Errorf("another state, or %d columns were made for it", made)
	}
	change := []world.BlockChange{{At: world.Pos{X: 40, Y: top, Z: 3}, Was: world.Air, Now: world.Stone}}
	change[0].Was, _ = whole.Block(change[0].At)
	if x, _ := whole.Area.Merge(change); len(x) != 1 {
		t.Fatal("the block was not changed")
	}
	later.Area.Merge(change)
	if later.state(false).Hashes != whole.state(false).Hashes || made != 1 {
		t.Errorf("another state, or %d columns were made for one change", made)
	}
	if !bytes.Equal(later.state(true).Append(nil), whole.state(true).Append(nil)) || made != world.Columns || on.wrong {
		t.Errorf("another state, %d columns made", made)
	}
	later.putGround(0, later.Pos().Column(0), [32]byte{1}, on)
	if _, ok := later.Block(world.Pos{Y: top}); ok || !on.wrong || later.Ready() {
		t.Error("a column that is not the ground is there")
	}
}
