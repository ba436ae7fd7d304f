package accountability

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// clockChecking compares the ticks of a leader's log with the time that passes here
// (decision 186). An honest leader leaves out ticks that it has no time for, and goes on
// with that of the global clock: however slow it is, its ticks keep up.
type clockChecking struct {
	suspect func(what string)

	at, looked machine.Time // when the span began, and was looked at last
	tick       uint64       // when it began
}

const (
	// clockSpan is how long ticks and time are compared, and slowClock the part of the time
	// that must pass in the world.
	clockSpan = 20 * time.Second
	slowClock = 4
	// clockGap is how far apart looks are at most, in a span: a node that was frozen
	// has not read what the leader sent.
	clockGap = 3 * time.Second
)

// beat looks at the log. heard says that the leader is there, and its link up.
func (k *clockChecking) beat(now machine.Time, heard bool, area *world.Area) {
	gap := now.Sub(k.looked)
	k.looked = now
	if !heard || area == nil || len(area.Players()) == 0 { // without players regions sleep
		k.at = 0
		return
	}
	if k.at == 0 || gap > clockGap {
		k.at, k.tick = now, area.Now()
		return
	}
	passed := now.Sub(k.at)
	if passed < clockSpan {
		return
	}
	ticks := area.Now() - k.tick
	k.at, k.tick = now, area.Now()
	if time.Duration(ticks)*region.TickLength*slowClock < passed {
		k.at = 0
		k.suspect(fmt.Sprintf("has let %v pass there in %v", time.Duration(ticks)*region.TickLength, passed.Round(time.Second)))
	}
}
