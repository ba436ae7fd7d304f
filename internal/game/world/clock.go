package world

// clock is the time in a region.
type clock struct {
	tick   uint64
	offset int64 // of the time of day, in ticks
}
