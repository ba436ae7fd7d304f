package disk

import (
	"github.com/cockroachdb/pebble/v2"
)

// Spaces lists the names of all spaces that hold something, in order.
func (s *Store) Spaces() (out []string, err error) {
	if err := s.alive(); err != nil {
		return nil, err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte("s/"), UpperBound: []byte("s0")})
	if err != nil {
		return nil, explain(s.dir, err)
	}
	for ok := it.First(); ok; {
		name, _, found := splitKey(it.Key())
		if !found {
			ok = it.Next()
			continue
		}
		out = append(out, name)
		ok = it.SeekGE(append(append([]byte("s/"), name...), 1)) // past all its keys
	}
	if err := it.Close(); err != nil {
		return nil, explain(s.dir, err)
	}
	return out, nil
}
