package region

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

const (
	retryWrite  = 2 * time.Second // after a write has failed
	snapshotLog = 256 << 10       // bytes of log after which a snapshot is written
)

// snapshot writes everything that is not on the disk and takes the place of the
// log, unless that has changes of columns that are not loaded: then it stays,
// and replaying it over what is written gives the same. then may be nil.
func (r *Region) snapshot(then func(ok bool)) {
	s := &r.store
	r.saveAll()
	var w machine.DiskWrite
	r.fill(&w)
	if r.logApplied() {
		w.DeletePrefix = [][]byte{[]byte(keyLog)}
		s.logBytes = 0
	}
	w.Put = append(w.Put, machine.KV{Key: []byte(keyHeader), Value: []byte{layoutVersion}})
	for i := range r.version {
		if c := r.area.Column(i); c != nil && s.changed>>i&1 == 1 {
			s.next.columns |= 1 << i
			w.Put = append(w.Put, machine.KV{Key: []byte(columnKey(i)), Value: encodeColumn(c)})
		}
	}
	if r.loaded == allColumns {
		w.Put = append(w.Put, machine.KV{Key: []byte(keyArea), Value: r.area.AppendRest(nil)})
	}
	if then != nil {
		s.next.then = append(s.next.then, then)
	}
	s.next.snapshot = true
	s.next.log = nil
	s.changed, r.unsaved = 0, false
	r.snapshotting++
	r.stats.Snapshots++
	r.write(w)
}

// logApplied reports whether all changes of the log that was read are in columns.
func (r *Region) logApplied() bool {
	for i := range r.loading.changes {
		if len(r.loading.changes[i]) > 0 {
			return false
		}
	}
	return true
}

// onSnapshot takes the good end of a snapshot.
func (r *Region) onSnapshot(*batch) {
	r.snapshotting--
	if r.store.readOnly {
		r.store.readOnly = false
		r.failure = nil
		r.notice("storage-ok", "This part of the world can be saved again.")
	}
}
