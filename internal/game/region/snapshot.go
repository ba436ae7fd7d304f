package region

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

const (
	retryWrite  = 2 * time.Second // after a write has failed
	snapshotLog = 256 << 10       // bytes of log after which a snapshot is written
)

// snapshot writes everything that is not on the disk and takes the place of the
// log, unless that has changes of columns that are not loaded: then it stays,
// and replaying it over what is written gives the same. then may be nil.
func (s *store) snapshot(c *columns, logApplied bool, then func(ok bool)) {
	var w machine.DiskWrite
	s.fill(&w)
	if logApplied {
		w.DeletePrefix = [][]byte{[]byte(keyLog)}
		s.logBytes = 0
	}
	w.Put = append(w.Put, machine.KV{Key: []byte(keyHeader), Value: []byte{layoutVersion}})
	for i := range c.version {
		if col := c.area.Column(i); col != nil && s.changed>>i&1 == 1 {
			s.next.columns |= 1 << i
			w.Put = append(w.Put, machine.KV{Key: []byte(columnKey(i)), Value: encodeColumn(col)})
		}
	}
	if c.complete() {
		w.Put = append(w.Put, machine.KV{Key: []byte(keyArea), Value: c.area.AppendRest(nil)})
	}
	if then != nil {
		s.next.then = append(s.next.then, then)
	}
	s.next.snapshot = true
	s.next.log = nil
	s.changed, s.unsaved = 0, false
	s.running++
	s.stats.Snapshots++
	s.write(w)
}

// snapshotDue reports whether the log is so long that a snapshot should replace it.
func (s *store) snapshotDue() bool {
	return s.logBytes > snapshotLog && s.running == 0 && !s.readOnly && len(s.pending) < maxPending
}

// modified reports whether a snapshot would write anything new.
func (s *store) modified(logApplied bool) bool {
	return s.unsaved || s.changed != 0 || s.logBytes > 0 && logApplied || !s.next.empty() || len(s.dirty) > 0
}
