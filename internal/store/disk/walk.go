package disk

import (
	"bytes"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Place is where a record is kept.
type Place struct {
	Space string
	Key   []byte
}

// Gap is a stretch of records that cannot be read: all that may lie between two
// records that can. A zero After is the beginning of the store, a zero Before its
// end.
type Gap struct {
	After, Before Place
	Err           error
}

// Walk calls fn for every record that can be read, in the order of Each, and gap
// for every stretch that cannot. It ends early with the error of fn, and with one
// of its own only if there is nothing to read from. The slices are valid until fn
// returns.
func (n *Snapshot) Walk(fn func(space string, key, value []byte) error, gap func(Gap)) error {
	w := &walk{snap: n.snap, fn: fn, gap: gap}
	for from := []byte("s/"); from != nil; {
		next, err := w.run(from)
		if err != nil {
			return err
		}
		from = next
	}
	return nil
}

// endOfSpaces is the first key behind all spaces.
const endOfSpaces = "s0"

// walk is the state of one Walk.
type walk struct {
	snap *pebble.Snapshot
	fn   func(space string, key, value []byte) error
	gap  func(Gap)
	last []byte // the last key that was read
}

// run reads from a key until the end (next is nil) or until something cannot be
// read; next is then the first readable key behind that.
func (w *walk) run(from []byte) (next []byte, err error) {
	it, err := w.snap.NewIter(&pebble.IterOptions{LowerBound: []byte("s/"), UpperBound: []byte(endOfSpaces)})
	if err != nil {
		return nil, err
	}
	at := bytes.Clone(from)
	for ok := it.SeekGE(from); ok; ok = it.Next() {
		value, bad := it.ValueAndErr()
		if bad != nil {
			_ = it.Close() // it says the same again
			return w.skip(append(bytes.Clone(it.Key()), 0), bad)
		}
		at = append(at[:0], it.Key()...)
		w.last = append(w.last[:0], at...)
		space, key, ok := splitKey(at)
		if !ok {
			w.gap(Gap{After: place(at), Before: place(at), Err: fmt.Errorf("%w: a key %q of no space", ErrDamaged, at)})
			continue
		}
		if err := w.fn(space, key, value); err != nil {
			_ = it.Close()
			return nil, err
		}
	}
	if bad := it.Error(); bad != nil {
		_ = it.Close()
		return w.skip(append(at, 0), bad)
	}
	return nil, it.Close()
}

// skip finds the first readable key at or behind one that cannot be read, and
// reports what lies before it.
func (w *walk) skip(bad []byte, cause error) ([]byte, error) {
	good, found := w.probe(bad)
	for i := len(bad) - 1; i >= len("s/") && good == nil && !found; i-- {
		if bad[i] == 0xff {
			continue
		}
		next := bytes.Clone(bad[:i+1])
		next[i]++
		if good, found = w.probe(next); !found {
			bad = next
		}
	}
	if good != nil {
		good = w.nearest(bad, good)
	}
	g := Gap{After: place(w.last), Before: place(good), Err: concise(cause)}
	w.gap(g)
	return good, nil
}

// nearest narrows down where the records can be read again, between a key where
// they cannot and one where they can.
func (w *walk) nearest(bad, good []byte) []byte {
	for range 64 {
		mid := between(bad, good)
		if mid == nil {
			break
		}
		if k, found := w.probe(mid); !found {
			bad = mid
		} else if k != nil && bytes.Compare(k, good) < 0 {
			good = k
		} else {
			break // nothing lies between
		}
	}
	return good
}

// probe reports whether the store can be read at a key, and the first key from
// there on; nil: there is none.
func (w *walk) probe(from []byte) (key []byte, found bool) {
	it, err := w.snap.NewIter(&pebble.IterOptions{LowerBound: []byte("s/"), UpperBound: []byte(endOfSpaces)})
	if err != nil {
		return nil, false
	}
	if it.SeekGE(from) {
		if _, err := it.ValueAndErr(); err == nil {
			key = bytes.Clone(it.Key())
		}
	}
	found = it.Error() == nil
	if it.Close() != nil || !found {
		return nil, false
	}
	return key, true
}

// between is a key about in the middle of two; nil: there is none.
func between(a, b []byte) []byte {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	at := func(k []byte) (v uint64) {
		for i := n; i < n+7; i++ {
			v <<= 8
			if i < len(k) {
				v |= uint64(k[i])
			}
		}
		return v
	}
	lo, hi := at(a), at(b)
	if hi-lo < 2 {
		return nil
	}
	mid := lo + (hi-lo)/2
	out := bytes.Clone(a[:n])
	for shift := 48; shift >= 0; shift -= 8 {
		out = append(out, byte(mid>>shift))
	}
	return out
}

// place is where a stored key belongs; zero for nil, and for what belongs to no
// space.
func place(k []byte) Place {
	space, key, ok := splitKey(k)
	if !ok {
		return Place{}
	}
	return Place{space, bytes.Clone(key)}
}
