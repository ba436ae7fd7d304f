package disk

import (
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Snapshot is all that was acknowledged before it was taken; writing goes on
// meanwhile. It must be closed.
type Snapshot struct {
	s    *Store
	snap *pebble.Snapshot
}

// Snapshot takes a snapshot.
func (s *Store) Snapshot() (*Snapshot, error) {
	if err := s.alive(); err != nil {
		return nil, err
	}
	return &Snapshot{s, s.db.NewSnapshot()}, nil
}

// Each calls fn for every key, ordered by space and then by key. The slices are
// valid until fn returns.
func (n *Snapshot) Each(fn func(space string, key, value []byte) error) error {
	it, err := n.snap.NewIter(&pebble.IterOptions{LowerBound: []byte("s/"), UpperBound: []byte(endOfSpaces)})
	if err != nil {
		return explain(n.s.dir, err)
	}
	defer it.Close()
	for it.First(); it.Valid(); it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return explain(n.s.dir, err)
		}
		space, key, ok := splitKey(it.Key())
		if !ok {
			return explain(n.s.dir, fmt.Errorf("%w: key %q belongs to no space", ErrDamaged, it.Key()))
		}
		if err := fn(space, key, value); err != nil {
			return err
		}
	}
	return explain(n.s.dir, it.Error())
}

// Close lets go of the snapshot.
func (n *Snapshot) Close() error { return explain(n.s.dir, n.snap.Close()) }

// Lock keeps other processes, and other stores of this one, out of a folder
// that is there, without opening it.
func Lock(dir string) (io.Closer, error) {
	l, err := lockFolder(vfs.Default, vfs.Default.PathJoin(dir, "pebble"), 0)
	if err != nil {
		return nil, explain(dir, err)
	}
	return l, nil
}
