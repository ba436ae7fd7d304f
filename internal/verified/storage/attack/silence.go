package attack

// The goal of silence: that honest nodes find no majority. Members give receipts and
// answer, so that others ask them and nobody else, until the third update; from then on
// they answer nothing, and nothing comes past them.

// silentFrom is the first update about which members answer nothing.
const silentFrom = 2

// mute reports whether members say nothing about an update.
func (g *Gang) mute(of int64) bool { return g.ways.Silence && of >= silentFrom }
