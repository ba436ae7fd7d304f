package nodelab

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/google/pprof/profile"
)

// What each of the nodes in one process costs is read from a CPU profile: whatever
// a node starts bears its number as a label, and so do its players.

const nodeLabel = "node"

// ofNode is a context whose goroutines count as a node's.
func ofNode(ctx context.Context, node int) context.Context {
	return pprof.WithLabels(ctx, pprof.Labels(nodeLabel, strconv.Itoa(node)))
}

// cpuProfile is one that is being taken.
type cpuProfile struct {
	file string // where it is kept, too; "none": nowhere
	b    bytes.Buffer
}

func startProfile(file string) (*cpuProfile, error) {
	p := &cpuProfile{file: file}
	return p, pprof.StartCPUProfile(&p.b)
}

// end returns the time of each node, and how much belongs to none of them: the
// collector's, the scheduler's, the disks'.
func (p *cpuProfile) end() (by map[int]time.Duration, rest time.Duration, err error) {
	pprof.StopCPUProfile()
	if p.file != "none" {
		if err := os.WriteFile(p.file, p.b.Bytes(), 0o644); err != nil {
			return nil, 0, err
		}
	}
	read, err := profile.Parse(&p.b)
	if err != nil {
		return nil, 0, fmt.Errorf("the CPU profile cannot be read: %w", err)
	}
	by, rest = sharesOf(read)
	return by, rest, nil
}

// sharesOf sums the nanoseconds of a CPU profile's samples, the last of their values.
func sharesOf(p *profile.Profile) (by map[int]time.Duration, rest time.Duration) {
	by = map[int]time.Duration{}
	for _, s := range p.Sample {
		took := time.Duration(s.Value[len(s.Value)-1])
		if label := s.Label[nodeLabel]; len(label) > 0 {
			node, err := strconv.Atoi(label[0])
			if err == nil {
				by[node] += took
				continue
			}
		}
		rest += took
	}
	return by, rest
}
