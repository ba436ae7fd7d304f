//go:build !unix

package lab

import (
	"runtime/metrics"
	"time"
)

// CPUTime returns about the CPU time that this process has used, as the Go
// runtime counts it.
func CPUTime() time.Duration {
	s := []metrics.Sample{{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	metrics.Read(s)
	return time.Duration((s[0].Value.Float64() - s[1].Value.Float64()) * float64(time.Second))
}
