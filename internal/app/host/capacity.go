package host

import (
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
)

// Capacity is what a node may carry of a world that is hosted by several. A node
// that has reached a limit takes on nothing more; the next nearest is asked. It
// keeps what it has.
type Capacity struct {
	Players int // that may be at home in regions that it leads; 0: any number
	Regions int // regions (and the lobby) that it keeps; 0: node.DefaultMaxHosted
	Memory  int // MB that the program uses; 0: no limit
	Upload  int // KB a second to other nodes, over 10 s; 0: no limit

	CopiesDisk   int // MB for copies of regions that others host; 0: 128; below 0: none
	CopiesUpload int // KB a second for copies of those that it leads; 0: 128; below 0: none
}

// load measures what the capacity is compared with.
type load struct {
	limits Capacity
	sent   func() uint64 // bytes since the start
	memory atomic.Int64  // MB
	upload atomic.Int64  // KB a second
}

const (
	loadEvery = time.Second
	loadOver  = 10 // measurements that the rate is taken over
)

// full reports whether the node should take on nothing more.
func (l *load) full() bool {
	m, u := l.limits.Memory, l.limits.Upload
	return m > 0 && l.memory.Load() >= int64(m) || u > 0 && l.upload.Load() >= int64(u)
}

// run measures until stop is closed.
func (l *load) run(stop <-chan struct{}) {
	ticker := time.NewTicker(loadEvery)
	defer ticker.Stop()
	past := []uint64{l.sent()}
	for {
		past = l.measure(past, memoryUsed(), l.sent())
		select {
		case <-ticker.C:
		case <-stop:
			return
		}
	}
}

// measure takes in what is used now; past is how much was sent, one a second.
func (l *load) measure(past []uint64, memory, sent uint64) []uint64 {
	past = append(past, sent)
	past = past[max(0, len(past)-1-loadOver):]
	seconds := uint64(len(past)-1) * uint64(loadEvery/time.Second)
	l.memory.Store(int64(memory >> 20))
	l.upload.Store(int64((sent - past[0]) / seconds / 1000))
	return past
}

// memoryUsed is the memory that the runtime has from the system.
func memoryUsed() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}

// capacity is what the node carries of what it may, for /status.
func (l *load) capacity(kept, players int) gateway.Capacity {
	regions := l.limits.Regions
	if regions <= 0 {
		regions = part.DefaultMaxHosted
	}
	return gateway.Capacity{
		Regions: regions, Memory: l.limits.Memory, Upload: l.limits.Upload, Players: l.limits.Players,
		MemoryUsed: int(l.memory.Load()), UploadUsed: int(l.upload.Load()), PlayersHere: players,
		Full: kept >= regions || l.full() || l.limits.Players > 0 && players >= l.limits.Players,
	}
}
