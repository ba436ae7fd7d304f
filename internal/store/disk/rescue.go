package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Rescue reads what the single files of a store hold that cannot be opened, for
// its manifest or its log is damaged: every table and every log by itself, the
// newer of two values of a key before the older. It keeps all of it in memory.
// lost hears of files of which something, or all, cannot be read. Nothing is
// written. The folder must be locked.
func Rescue(dir string, lost func(file string, err error)) ([]Record, error) {
	r := &rescue{best: map[string]version{}}
	base := filepath.Join(dir, "pebble")
	names, err := vfs.Default.List(base)
	if err != nil {
		return nil, explain(dir, err)
	}
	slices.Sort(names) // logs in the order in which they were written
	for _, name := range names {
		read := map[string]func(string) error{".sst": r.table, ".log": r.log}[filepath.Ext(name)]
		if read == nil {
			continue
		}
		if err := safely(func() error { return read(filepath.Join(base, name)) }); err != nil {
			lost(name, concise(err))
		}
	}
	return r.records(), nil
}

// Record is a key of a space with its value.
type Record struct {
	Place
	Value []byte
}

// version is the newest value of a key that was found.
type version struct {
	seq     uint64
	deleted bool
	value   []byte
}

// span is a range of keys that was deleted.
type span struct {
	from, to []byte
	seq      uint64
}

type rescue struct {
	best  map[string]version
	spans []span
}

// safely turns a panic of the library, which was given what nobody wrote, into an
// error.
func safely(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return do()
}

func (r *rescue) put(key []byte, v version) {
	if old, ok := r.best[string(key)]; ok && old.seq > v.seq {
		return
	}
	v.value = bytes.Clone(v.value)
	r.best[string(key)] = v
}

// table reads a table up to where it is damaged.
func (r *rescue) table(name string) error {
	f, err := vfs.Default.Open(name)
	if err != nil {
		return err
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	t, err := sstable.NewReader(context.Background(), readable, sstable.ReaderOptions{})
	if err != nil {
		return errors.Join(err, readable.Close())
	}
	defer t.Close()
	dels, err := t.NewRawRangeDelIter(context.Background(), sstable.NoFragmentTransforms, sstable.NoReadEnv)
	if err == nil && dels != nil {
		defer dels.Close()
		for s, e := dels.First(); s != nil && e == nil; s, e = dels.Next() {
			r.spans = append(r.spans, span{bytes.Clone(s.Start), bytes.Clone(s.End), uint64(s.LargestSeqNum())})
		}
	}
	it, e := t.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	if e != nil {
		return errors.Join(err, e)
	}
	defer it.Close()
	for kv := it.First(); kv != nil; kv = it.Next() {
		value, _, e := kv.Value(nil)
		if e != nil {
			return e
		}
		r.put(kv.K.UserKey, version{uint64(kv.K.SeqNum()), kv.K.Kind() != pebble.InternalKeyKindSet && kv.K.Kind() != pebble.InternalKeyKindSetWithDelete, value})
	}
	return errors.Join(err, it.Error())
}

// log reads a log up to where it is damaged. A last record that was cut off is no
// damage: that is how a log looks after a crash.
func (r *rescue) log(name string) error {
	f, err := vfs.Default.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var number uint64
	if _, err := fmt.Sscanf(strings.TrimSuffix(filepath.Base(name), ".log"), "%d", &number); err != nil {
		return err
	}
	d := openLog(record.NewReader, f, number)
	for {
		one, err := d.Next()
		var b []byte
		if err == nil {
			b, err = io.ReadAll(one)
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, record.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
		if err := r.batch(b); err != nil {
			return err
		}
	}
}

// openLog calls the library with a number of a type that it does not export.
func openLog[N ~uint64](open func(io.Reader, N) *record.Reader, f io.Reader, number uint64) *record.Reader {
	return open(f, N(number))
}

func (r *rescue) batch(b []byte) error {
	head, ok := batchrepr.ReadHeader(b)
	if !ok {
		return fmt.Errorf("%w: a batch without a head", ErrDamaged)
	}
	seq, in := uint64(head.SeqNum), batchrepr.Read(b)
	for ; ; seq++ {
		kind, key, value, ok, err := in.Next()
		switch {
		case err != nil || !ok:
			return err
		case kind == pebble.InternalKeyKindRangeDelete:
			r.spans = append(r.spans, span{bytes.Clone(key), bytes.Clone(value), seq})
		default:
			r.put(key, version{seq, kind != pebble.InternalKeyKindSet, value})
		}
	}
}

// records are what is not deleted, in order.
func (r *rescue) records() (out []Record) {
	for k, v := range r.best {
		space, key, ok := splitKey([]byte(k))
		if !ok || v.deleted || slices.ContainsFunc(r.spans, func(s span) bool {
			return s.seq > v.seq && bytes.Compare([]byte(k), s.from) >= 0 && bytes.Compare([]byte(k), s.to) < 0
		}) {
			continue
		}
		out = append(out, Record{Place{space, key}, v.value})
	}
	slices.SortFunc(out, func(a, b Record) int {
		if c := strings.Compare(a.Space, b.Space); c != 0 {
			return c
		}
		return bytes.Compare(a.Key, b.Key)
	})
	return out
}
