package part

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
	TimerWake
)
