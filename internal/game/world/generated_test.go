package world

import "testing"

// Generator is the generator of package terrain, which imports this one: a test outside
// of the package sets it.
var Generator func(seed uint64) (spawn Pos, column func(ColumnPos) *Column)

// wildArea is a region of generated terrain.
func wildArea(t testing.TB, seed uint64, cfg AreaConfig) *Area {
	t.Helper()
	spawn, column := Generator(seed)
	cfg.Seed, cfg.Spawn = seed, spawn
	a := NewArea(cfg, spawn.Region(), nil)
	for i := range Columns {
		a.SetColumn(column(a.pos.Column(i)))
	}
	return a
}
