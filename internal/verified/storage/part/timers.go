package part

import "time"

// Timers; those of the overlay are below.
const (
	TimerCycle uint16 = 100 + iota
	TimerQuery
	TimerStatic
	TimerPushes
	TimerFetch
	TimerDeposit
	TimerHurry
	TimerInsist
	TimerPins
	TimerWays
	TimerWake
)

// ClockTolerance is how long is waited at least for a clock that is behind its timers.
const ClockTolerance = time.Millisecond
