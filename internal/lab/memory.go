package lab

import (
	"fmt"
	"os"
	"runtime"
)

// memory is what this process holds, in MB.
type memory struct {
	Heap     float64 // live and not yet collected objects
	Resident float64 // what the operating system gave; 0 where it does not say
}

func ReadMemory() memory {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	out := memory{Heap: float64(m.HeapAlloc) / 1e6}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		var size, resident int
		if n, _ := fmt.Sscan(string(text), &size, &resident); n == 2 {
			out.Resident = float64(resident*os.Getpagesize()) / 1e6
		}
	}
	return out
}

// LiveHeap is what remains after a collection, in MB.
func LiveHeap() float64 {
	runtime.GC()
	return ReadMemory().Heap
}
