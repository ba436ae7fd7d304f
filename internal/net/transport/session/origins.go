package session

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

// Handshakes that an address may begin a second, and at once. Each costs us about
// a quarter of a millisecond. Where packets without a cookie come from nobody
// knows: they may use up only what comes without one, so that somebody who forges
// an address costs its owner a round trip and nothing else.
const (
	looseRate, looseBurst   = 16, 64
	provenRate, provenBurst = 32, 256
	maxOrigins              = 1 << 14
)

// origin is what is known of an address that begins handshakes.
type origin struct {
	halves        int // that are under way
	loose, proven limit.Budget
}

func newOrigins() limit.Table[origin] {
	return limit.NewTable(maxOrigins, func() origin {
		return origin{loose: limit.NewBudget(looseRate, looseBurst), proven: limit.NewBudget(provenRate, provenBurst)}
	}, func(o *origin) bool { return o.halves > 0 })
}
