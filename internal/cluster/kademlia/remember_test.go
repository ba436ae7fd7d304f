package kademlia

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestRememberedRecords: after a restart nobody creates a record beside one that the node
// kept before. That is verified as if another node stored it: what was forged on the disk,
// has expired or was only reserved is left out, and it gives way to a newer one.
func TestRememberedRecords(t *testing.T) {
	w := newNetwork(t)
	old := w.add("before", Config{Verify: verifyTest}).node
	good, forged, short := record("good", 7, w.now, "here"), record("bad", 1, w.now, "forged"), record("short", 1, w.now, "soon over")
	short.Until = w.now.Add(time.Minute)
	for _, r := range []*Record{good, forged, short} {
		if code := old.keep(r, w.now); code != OK {
			t.Fatal(code)
		}
	}
	if code, _ := old.reserve(record("claimed", 1, w.now, "not yet")); code != OK {
		t.Fatal(code)
	}
	saved := disk{}
	saved.save(old)
	if len(saved) != 3 {
		t.Errorf("%d records are saved", len(saved))
	}
	w.run(2 * time.Minute)
	e := w.add("after", Config{Verify: verifyTest})
	saved.load(t, e.node)
	w.run(time.Second)
	create := func(key string) (Code, *Record) { return e.node.reserve(record(key, 1, w.now, "mine")) }
	if code, rival := create("good"); code != Taken || rival == nil || !sameRecord(rival, good) {
		t.Errorf("another record is created beside the one of before: %v, %+v", code, rival)
	}
	if put, gone := e.node.SaveRecords(Chunk); len(put) != 0 || len(gone) != 2 {
		t.Errorf("after the restart %d records are written and %d removed", len(put), len(gone))
	}
	for _, key := range []string{"bad", "short", "claimed"} {
		if code, rival := create(key); code != OK {
			t.Errorf("%s: %v, %+v", key, code, rival)
		}
	}
	newer := record("good", 9, w.now, "elsewhere")
	e.node.keep(newer, w.now)
	saved.load(t, e.node)
	w.run(time.Second)
	if h := e.node.live(Chunk, newer.Key); h.rec != newer || h.remembered {
		t.Errorf("an old record has replaced a newer one: %+v", h.rec)
	}
	all := append([]byte{savedVersion}, newer.Key[:]...)
	all = newer.appendSaved(all)
	if err := w.add("migrating", Config{}).node.LoadRecords(all, Chunk); err != nil {
		t.Errorf("records of the layout before: %v", err)
	}
	one := saved[newer.Key]
	for _, b := range [][]byte{nil, {savedVersion + 1}, one[:len(one)-1], append(one[:len(one):len(one)], 1)} {
		if err := e.node.LoadRecord(Chunk, newer.Key[:], b); !errors.Is(err, ErrSaved) {
			t.Errorf("%d bytes: %v", len(b), err)
		}
	}
	for _, b := range [][]byte{nil, {savedVersion + 1}, all[:len(all)-1], append(all[:len(all):len(all)], 1)} {
		if err := e.node.LoadRecords(b, Chunk); !errors.Is(err, ErrSaved) {
			t.Errorf("%d bytes of the layout before: %v", len(b), err)
		}
	}
}

// disk has the records that a node has saved.
type disk map[id.ID][]byte

// save saves what has changed, and returns how much that is.
func (d disk) save(n *Node) (written, removed int) {
	put, gone := n.SaveRecords(Chunk)
	for _, kv := range put {
		d[id.ID(kv.Key)] = kv.Value
	}
	for _, key := range gone {
		delete(d, id.ID(key))
	}
	return len(put), len(gone)
}

func (d disk) load(t *testing.T, n *Node) {
	for key, value := range d {
		if err := n.LoadRecord(Chunk, key[:], value); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSavedRecords: only records that have changed are written, those that have expired are
// removed, and of more than there is room for the nearest are kept. After a write that
// failed all are written again.
func TestSavedRecords(t *testing.T) {
	w := newNetwork(t)
	n := w.add("a", Config{}).node
	d := disk{}
	keep := func(key string, version uint64, life time.Duration) {
		r := record(key, version, w.now, "here")
		r.Until = w.now.Add(life)
		if code := n.keep(r, w.now); code != OK {
			t.Fatal(code)
		}
	}
	expect := func(what string, written, removed int) {
		if a, b := d.save(n); a != written || b != removed {
			t.Errorf("%s: %d records are written and %d removed, want %d and %d", what, a, b, written, removed)
		}
	}
	keep("one", 1, time.Hour)
	keep("two", 1, time.Minute)
	expect("two are new", 2, 0)
	expect("nothing has changed", 0, 0)
	keep("one", 2, time.Hour)
	expect("one is newer", 1, 0)
	n.NotSaved()
	expect("that has failed", 2, 0)
	w.run(2 * time.Minute)
	expect("one has expired", 0, 1)
	for i := range maxSavedRecords {
		keep(fmt.Sprint("more ", i), 1, time.Hour)
	}
	a, b := d.save(n)
	if len(d) != maxSavedRecords || a < maxSavedRecords-1 || b > 1 {
		t.Errorf("%d records are on the disk, %d were written and %d removed", len(d), a, b)
	}
	var far id.ID
	for key := range n.held[Chunk] {
		if d[key] == nil {
			far = key
		}
	}
	for key := range d {
		if Closer(n.cfg.Self, far, key) {
			t.Errorf("%s is on the disk, and %s, which is nearer, is not", key.Short(), far.Short())
			break
		}
	}
}

// TestRememberedRecordIsCompared: a node that was off while a record was replaced neither
// takes its own for the newest nor gives it to others. It does once nobody has a newer one.
func TestRememberedRecordIsCompared(t *testing.T) {
	for _, there := range []uint64{0, 5, 7, 9} { // the version that others have; 7 is remembered
		t.Run(fmt.Sprint("version ", there), func(t *testing.T) {
			w := newNetwork(t)
			w.grow(5, Config{})
			version := func(e *end) uint64 {
				e.node.Find(99, Chunk, record("region", 7, w.now, "").Key)
				w.run(2 * time.Second)
				if r := e.found[99].Record; r != nil {
					return r.Version
				}
				return 0
			}
			if there != 0 {
				w.all[1].node.Publish(1, record("region", there, w.now, "there"))
				w.run(2 * time.Second)
			}
			back := w.add("back", Config{})
			back.node.remember(record("region", 7, w.now, "before"))
			if v := version(back); v != 7 || !back.node.live(Chunk, id.Of([]byte("region"))).remembered {
				t.Errorf("alone it finds version %d, as if others had been asked", v)
			}
			back.node.Join([]machine.Peer{w.all[0].self})
			w.run(2 * time.Second)
			if v := version(w.all[2]); v != there {
				t.Errorf("before others were asked, another node finds version %d", v)
			}
			best := max(there, 7)
			if v := version(back); v != best {
				t.Errorf("the node itself finds version %d", v)
			}
			if v := version(w.all[2]); v != max(there, 7*uint64(one(there == 0))) {
				t.Errorf("then another node finds version %d", v)
			}
			if h := back.node.live(Chunk, id.Of([]byte("region"))); h == nil || h.remembered || h.rec.Version != best {
				t.Errorf("kept is %+v", h)
			}
		})
	}
}

// FuzzLoadRecords: whatever the disk gives, nothing is kept that is not verified.
func FuzzLoadRecords(f *testing.F) {
	f.Add(append([]byte{savedVersion}, make([]byte, 20+8+8+32+64+1)...))
	f.Add(append([]byte{savedVersion}, make([]byte, 8+8+32+64+1)...))
	f.Add([]byte{savedVersion})
	f.Fuzz(func(t *testing.T, b []byte) {
		e := newNetwork(t).add("b", Config{Verify: verifyTest})
		key := id.Of(b)
		all, one := e.node.LoadRecords(b, Chunk), e.node.LoadRecord(Chunk, key[:], b)
		if (all == nil || one == nil) && len(e.node.held[Chunk]) > 0 {
			t.Error("a record counts before it is verified")
		}
	})
}
