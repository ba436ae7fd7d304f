package transport

import (
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/recent"
)

const (
	// firstPause is how long after a failed link to a node the next one is not told at
	// the log's usual level; the pause doubles up to lastPause.
	firstPause, lastPause = 10 * time.Second, 10 * time.Minute
	// failuresKept is of how many nodes this is remembered.
	failuresKept = 256
)

// failures says which failed links people are told of: a node that is off is tried
// every few seconds, perhaps for days. It is safe for concurrent use.
type failures struct {
	mu   sync.Mutex
	last recent.Map[id.ID, failure]
}

type failure struct {
	until time.Time // no failure is told until then
	pause time.Duration
}

func newFailures() *failures { return &failures{last: recent.New[id.ID, failure](failuresKept)} }

// tell reports whether to tell that a link to a node has failed. After a time without
// failures, as long as the last pause, the first is told at once.
func (f *failures) tell(who id.ID, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	last, ok := f.last.Get(who)
	switch {
	case ok && now.Before(last.until):
		return false
	case ok && now.Before(last.until.Add(last.pause)):
		last.pause = min(2*last.pause, lastPause)
	default:
		last.pause = firstPause
	}
	last.until = now.Add(last.pause)
	f.last.Put(who, last)
	return true
}
