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
	saved := old.AppendRecords(nil, Chunk)
	w.run(2 * time.Minute)
	e := w.add("after", Config{Verify: verifyTest})
	if err := e.node.LoadRecords(saved, Chunk); err != nil {
		t.Fatal(err)
	}
	w.run(time.Second)
	create := func(key string) (Code, *Record) { return e.node.reserve(record(key, 1, w.now, "mine")) }
	if code, rival := create("good"); code != Taken || rival == nil || !sameRecord(rival, good) {
		t.Errorf("another record is created beside the one of before: %v, %+v", code, rival)
	}
	again := w.add("after another", Config{Verify: verifyTest}).node
	if err := again.LoadRecords(e.node.AppendRecords(nil, Chunk), Chunk); err != nil || len(again.checks) != 1 {
		t.Errorf("after the next restart %d records are known: %v", len(again.checks), err)
	}
	for _, key := range []string{"bad", "short", "claimed"} {
		if code, rival := create(key); code != OK {
			t.Errorf("%s: %v, %+v", key, code, rival)
		}
	}
	newer := record("good", 9, w.now, "elsewhere")
	e.node.keep(newer, w.now)
	if err := e.node.LoadRecords(saved, Chunk); err != nil {
		t.Fatal(err)
	}
	w.run(time.Second)
	if h := e.node.live(Chunk, newer.Key); h.rec != newer || h.remembered {
		t.Errorf("an old record has replaced a newer one: %+v", h.rec)
	}
	for _, b := range [][]byte{nil, {savedVersion + 1}, saved[:len(saved)-1], append(saved[:len(saved):len(saved)], 1)} {
		if err := e.node.LoadRecords(b, Chunk); !errors.Is(err, ErrSaved) {
			t.Errorf("%d bytes: %v", len(b), err)
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
	f.Add([]byte{savedVersion})
	f.Fuzz(func(t *testing.T, b []byte) {
		e := newNetwork(t).add("b", Config{Verify: verifyTest})
		if err := e.node.LoadRecords(b, Chunk); err == nil && len(e.node.held[Chunk]) > 0 {
			t.Error("a record counts before it is verified")
		}
	})
}
