package transport

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// TestFailuresAreToldLessOften: a node that is off for an hour fills no log, another one
// and a new failure after a quiet time are told at once.
func TestFailuresAreToldLessOften(t *testing.T) {
	f, off, other := newFailures(), id.Of([]byte("off")), id.Of([]byte("other"))
	now, told := time.Unix(1e9, 0), 0
	for range 1000 { // an hour
		if f.tell(off, now) {
			told++
		}
		now = now.Add(3600 * time.Millisecond)
	}
	if told < 5 || told > 12 {
		t.Errorf("told %d times in an hour", told)
	}
	if !f.tell(other, now) {
		t.Error("another node's first failure is not told")
	}
	now = now.Add(time.Hour)
	if !f.tell(off, now) || f.tell(off, now.Add(firstPause-1)) || !f.tell(off, now.Add(firstPause)) {
		t.Error("after a quiet time pauses do not begin anew")
	}
}
