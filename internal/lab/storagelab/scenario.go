package storagelab

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

// The scenario of the thesis' storage tests (6.4.1): ten minutes in which the
// nodes start, then churn that keeps their number; three minutes later the world
// begins, six updates follow, without churn in the last two intervals, and an
// idle minute.
const (
	storagePause    = 3 * time.Minute
	storageUpdates  = 6
	storageQuiet    = 2 // intervals without churn
	storageInterval = 5 * storage.DefaultLMax
	storageIdle     = time.Minute
	storageInterest = 100             // metres, the radius that players look at
	storagePing     = 3 * time.Second // by which silent failures are noticed, if there are any
)

// storageRun is one simulation of the storage, as a value.
type storageRun struct {
	Nodes int
	R     int     // zones
	IAD   float64 // mean time between two arrivals, in seconds; 0: the thesis' own for so many nodes
	Seed  uint64
	// Updates is how many follow; 0: the thesis' six.
	Updates int
	// Swing is by how many per cent arrivals rise and fall in the course of a day.
	Swing int
	// Silent is how many per cent of the nodes fail silently instead of leaving.
	Silent int
	// Still: once all have come, nobody comes or goes.
	Still bool
	// Check compares what is found and stored with a sequential replay.
	Check bool
	// Protocol is what the nodes follow.
	Protocol storage.Protocol
	// NPCs is how many there are; 0: the thesis' number.
	NPCs int
}

func (o storageRun) updates() int {
	if o.Updates == 0 {
		return storageUpdates
	}
	return o.Updates
}

func (o storageRun) Name() string {
	s := fmt.Sprintf("storage-n%d-r%d-iad%g-u%d", o.Nodes, o.R, o.IAD, o.updates())
	if o.Check {
		s += "-checked"
	}
	if o.Protocol != storage.ProtocolThesis {
		s += "-" + o.Protocol.String()
	}
	if o.Swing > 0 {
		s += fmt.Sprintf("-swing%d", o.Swing)
	}
	if o.Silent > 0 {
		s += fmt.Sprintf("-silent%d", o.Silent)
	}
	if o.NPCs > 0 {
		s += fmt.Sprintf("-npcs%d", o.NPCs)
	}
	return fmt.Sprintf("%s-seed%d", s, o.Seed)
}

// storageIAD is the thesis' inter-arrival time for a number of nodes (6.4.1),
// between them what keeps the number at sessions of two hours.
func storageIAD(nodes int) float64 {
	for _, p := range [][2]int{{200, 25}, {400, 17}, {600, 11}, {800, 9}, {1000, 7}} {
		if p[0] == nodes {
			return float64(p[1])
		}
	}
	return 7200 / float64(nodes)
}
