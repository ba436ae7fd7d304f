package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// asleep is how long the machine was suspended since it was started: Linux has a
// clock that goes on meanwhile.
func asleep() (time.Duration, bool) {
	var boot, mono unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono) != nil {
		return 0, false
	}
	return time.Duration(boot.Nano() - mono.Nano()), true
}
