package world

// The weather follows from the world's seed and the time, so that every host and every
// client has the same without a message (web: weather.ts has the same numbers).
const (
	weatherSpan = 6000 // ticks that it stays as it is, at least: five minutes
	rainOneIn   = 5    // spans
)

// Raining reports whether it rains, or where it is cold snows, in the world, which begins
// with fair weather.
func Raining(seed, tick uint64) bool {
	if tick < weatherSpan {
		return false
	}
	h := uint32(seed) ^ uint32(tick/weatherSpan)*0x9e3779b1
	h = (h ^ h>>15) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return (h^h>>16)%rainOneIn == 0
}

// rainsOn reports whether rain or snow falls on a place: under the open sky, and not on sand.
func (st *state) rainsOn(p Pos) bool {
	if !Raining(st.cfg.Seed, st.tick) || !st.openSky(p) {
		return false
	}
	y, ok := st.top(p.X, p.Z)
	ground, _ := st.Block(Pos{p.X, y, p.Z})
	return ok && ground != Sand && ground != Sandstone && ground != Cactus
}
