package disk

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// write is a write that waits, with whom to tell.
type write struct {
	w    machine.DiskWrite
	size int
	done func(error)
}

// maxGroup bounds the bytes that share one sync.
const maxGroup = 4 << 20

// Write asks for a write; done is called exactly once, from another goroutine,
// when it is synced or has failed. It must not block for long.
func (s *Store) Write(w machine.DiskWrite, done func(error)) {
	x := write{w: w, size: sizeOf(w), done: done}
	s.mu.Lock()
	err := s.failure
	if err == nil && s.closed {
		err = machine.ErrStopped
	}
	if err == nil {
		s.waiting = append(s.waiting, x)
		s.cond.Signal()
	}
	s.mu.Unlock()
	if err != nil {
		go done(err)
	}
}

// sizeOf is about how many bytes a write puts.
func sizeOf(w machine.DiskWrite) (size int) {
	for _, kv := range w.Put {
		size += len(kv.Key) + len(kv.Value)
	}
	for _, t := range w.Then {
		size += sizeOf(t)
	}
	return size
}

// Apply writes and waits until it is synced.
func (s *Store) Apply(w machine.DiskWrite) error {
	c := make(chan error, 1)
	s.Write(w, func(err error) { c <- err })
	return <-c
}

// commitLoop commits what waits, again and again.
func (s *Store) commitLoop() {
	defer close(s.ended)
	for {
		group := s.next()
		if group == nil {
			return
		}
		start := time.Now()
		bytes, err := s.commit(group)
		for _, w := range s.committed(bytes, time.Since(start), err) {
			w.done(err)
		}
	}
}

// next takes the writes that share the next sync, nil when the store closes.
func (s *Store) next() []write {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) == 0 {
		if s.closed || s.failure != nil {
			return nil
		}
		s.cond.Wait()
	}
	n, size := 0, 0
	for n < len(s.waiting) && (n == 0 || size+s.waiting[n].size <= maxGroup) {
		size += s.waiting[n].size
		n++
	}
	s.current = s.waiting[:n:n]
	s.waiting = s.waiting[n:]
	return s.current
}

// committed counts the current group and returns who is to be told: nobody, if
// the store failed meanwhile and told them.
func (s *Store) committed(bytes int, took time.Duration, err error) []write {
	s.mu.Lock()
	defer s.mu.Unlock()
	group := s.current
	s.current = nil
	switch {
	case err == nil:
		s.stats.Writes += uint64(len(group))
		s.stats.Syncs++
		s.stats.Bytes += uint64(bytes)
		s.stats.MaxSync = max(s.stats.MaxSync, took)
	case errors.Is(err, machine.ErrDiskFull):
		s.stats.Refused += uint64(len(group))
	}
	return group
}

// commit writes a group with one sync.
func (s *Store) commit(group []write) (size int, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, ok := p.(fatal)
			if !ok {
				panic(p)
			}
			err = fmt.Errorf("%s: %w: %w", s.dir, ErrFailed, f.err)
		}
	}()
	b := s.db.NewBatch()
	defer b.Close()
	for _, w := range group {
		if err := fill(b, w.w); err != nil {
			return 0, err
		}
	}
	if err := s.room.check(b.Len()); err != nil {
		return 0, explain(s.dir, err)
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return 0, explain(s.dir, err)
	}
	return b.Len(), nil
}

// fill puts one write into a batch: deletions first, then what it puts, then
// what comes after it.
func fill(b *pebble.Batch, w machine.DiskWrite) error {
	for _, p := range w.DeletePrefix {
		k, err := spaceKey(w.Space, p)
		if err != nil {
			return err
		}
		if err := b.DeleteRange(k, after(k), nil); err != nil {
			return err
		}
	}
	for _, k := range w.Delete {
		k, err := spaceKey(w.Space, k)
		if err != nil {
			return err
		}
		if err := b.Delete(k, nil); err != nil {
			return err
		}
	}
	for _, kv := range w.Put {
		k, err := spaceKey(w.Space, kv.Key)
		if err != nil {
			return err
		}
		if err := b.Set(k, kv.Value, nil); err != nil {
			return err
		}
	}
	for _, t := range w.Then {
		if err := fill(b, t); err != nil {
			return err
		}
	}
	return nil
}

// spaceKey is how a space's key is stored.
func spaceKey(space string, key []byte) ([]byte, error) {
	if space == "" || bytes.IndexByte([]byte(space), 0) >= 0 {
		return nil, fmt.Errorf("disk: %q is no name of a space", space)
	}
	k := make([]byte, 0, len(space)+len(key)+3)
	k = append(k, 's', '/')
	k = append(k, space...)
	k = append(k, 0)
	return append(k, key...), nil
}

// splitKey is spaceKey's inverse.
func splitKey(k []byte) (space string, key []byte, ok bool) {
	rest, ok := bytes.CutPrefix(k, []byte("s/"))
	if !ok {
		return "", nil, false
	}
	i := bytes.IndexByte(rest, 0)
	if i <= 0 {
		return "", nil, false
	}
	return string(rest[:i]), rest[i+1:], true
}

// after is the first key behind all that begin with prefix.
func after(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}
