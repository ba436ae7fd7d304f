package campaign

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sync/semaphore"
)

// room is what simulations that go on at a time share.
type room struct {
	cores, mb *semaphore.Weighted
	most      int64 // MB
}

func newRoom(cores, mb int) *room {
	debug.SetMemoryLimit(int64(mb) << 20) // the collector works harder when it comes near
	return &room{semaphore.NewWeighted(int64(cores)), semaphore.NewWeighted(int64(mb)), int64(mb)}
}

// enter waits for a core and for so many MB; who needs more than there is gets all.
// Requests are served in their order, so that a large one is not starved.
func (r *room) enter(ctx context.Context, mb int) (leave func(), err error) {
	need := min(int64(max(mb, 1)), r.most)
	if err := r.cores.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	if err := r.mb.Acquire(ctx, need); err != nil {
		r.cores.Release(1)
		return nil, err
	}
	return func() {
		r.mb.Release(need)
		r.cores.Release(1)
	}, nil
}

// unknownMemory is assumed where the system does not say what it has.
const unknownMemory = 4000

// freeMemory is what this process may take, in MB: most of what is available on the
// machine and within its control group.
func freeMemory() int {
	mb := unknownMemory
	text, _ := os.ReadFile("/proc/meminfo") // elsewhere there is none
	for line := range strings.Lines(string(text)) {
		var kb int
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kb); n == 1 {
			mb = kb / 1000
		}
	}
	limit, used := groupMemory("memory.max"), groupMemory("memory.current")
	if limit > 0 {
		mb = min(mb, limit-used)
	}
	return max(mb*85/100, 500)
}

// groupMemory reads a figure of the control group, in MB; 0: there is none.
func groupMemory(name string) int {
	b, _ := os.ReadFile("/sys/fs/cgroup/" + name)
	n, _ := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64) // "max" is no number
	return int(n / 1e6)
}
