package kademlia

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// claimBy is a chunk record of a node: its signer is the node's name.
func claimBy(e *end, version uint64, key string, keepers ...*end) *Record {
	r := record(key, version, e.net.now, "")
	copy(r.Signer[:], e.name)
	for _, k := range keepers {
		r.Payload = append(r.Payload, k.self.ID[:]...)
	}
	return r
}

// keepersTest reads the ids that claimBy wrote.
func keepersTest(r *Record) (out []machine.Peer, bound bool) {
	for b := r.Payload; len(b) >= id.Size; b = b[id.Size:] {
		out = append(out, machine.Peer{ID: id.ID(b)})
	}
	return out, string(r.Payload) == "bound"
}

// Dissertation, algorithm 3: of nodes that create a record for the same key at
// the same moment at most one succeeds, whatever the order in which their
// messages arrive; and one does if it tries again.
func TestCreateHasOneWinner(t *testing.T) {
	for seed := range uint64(20) {
		w := newNetwork(t)
		w.grow(12+int(seed)*3, Config{K: 8})
		r := rng.New(seed)
		w.drop = func(_, _ *end, _ machine.Message) bool { return r.OneIn(20) }
		rivals := []*end{w.all[0], w.all[4], w.all[9]}
		won := 0
		for round := range uint64(40) {
			for _, e := range rivals {
				rec := claimBy(e, 1, "region")
				w.after(time.Duration(r.Intn(int(2*time.Second))), func() { e.create(round, rec) })
			}
			w.run(20 * time.Second)
			for _, e := range rivals {
				if _, over := e.created[round]; !over {
					t.Fatalf("seed %d: a Create does not end", seed)
				}
				won += one(e.created[round].won)
			}
			if won > 0 {
				break
			}
		}
		if won != 1 {
			t.Fatalf("seed %d: %d of 3 rivals have created the record, want 1", seed, won)
		}
		late := w.all[2]
		late.create(99, claimBy(late, 7, "region"))
		w.run(20 * time.Second)
		if got := late.created[99]; got.won || got.rival == nil {
			t.Fatalf("seed %d: one that comes later: %+v, want a loss and the record that is there", seed, got)
		}
	}
}

// What is only reserved is not found, and is free again after ClaimFor.
func TestClaimsEnd(t *testing.T) {
	w := newNetwork(t)
	w.grow(6, Config{K: 4})
	a, b := w.all[1], w.all[2]
	rec := claimBy(a, 1, "region")
	for _, e := range w.all {
		if e != a {
			a.node.call(e.self, &Request{Proc: StoreChunk, Key: rec.Key, Record: rec, Absent: true}, func(*Reply) {})
		}
	}
	w.run(time.Second)
	b.node.Find(1, Chunk, rec.Key)
	b.create(2, claimBy(b, 1, "region"))
	w.run(2 * time.Second)
	if b.found[1].Record != nil {
		t.Error("a reservation was found as a record")
	}
	if got := b.created[2]; got.won || got.rival != nil {
		t.Errorf("%+v, want a loss without a record", got)
	}
	w.run(ClaimFor)
	b.create(3, claimBy(b, 1, "region"))
	w.run(5 * time.Second)
	if !b.created[3].won {
		t.Error("the key is still reserved")
	}
}

// Alone in the world a node wins by its own vote.
func TestCreateAlone(t *testing.T) {
	w := newNetwork(t)
	e := w.add("alone", Config{})
	e.create(1, claimBy(e, 1, "region"))
	w.run(time.Second)
	e.node.Find(2, Chunk, id.Of([]byte("region")))
	if !e.created[1].won || e.found[2].Record == nil {
		t.Errorf("%+v, found %v", e.created[1], e.found[2].Record)
	}
}

// Somebody whom a record does not name may replace it only once nobody whom it
// names answers; those named may, with a higher version.
func TestKeepersKeepTheirRecord(t *testing.T) {
	w := newNetwork(t)
	w.grow(10, Config{K: 12, Keepers: keepersTest})
	host, mate, eve := w.all[1], w.all[2], w.all[3]
	rec := claimBy(host, 5, "region", host, mate)
	host.node.Publish(1, rec)
	w.run(5 * time.Second)
	stored := func(e *end, r *Record) int {
		e.node.Publish(9, r)
		w.run(10 * time.Second)
		return e.stored[9]
	}
	forged := claimBy(eve, 100, "region", eve)
	if n := stored(eve, forged); n != 0 {
		t.Errorf("a stranger's record replaced the hosts' at %d nodes", n)
	}
	if n := stored(mate, claimBy(mate, 6, "region", host, mate)); n < 8 {
		t.Errorf("another member's record was taken by %d nodes only", n)
	}
	host.down, mate.down = true, true
	if n := stored(eve, claimBy(eve, 1, "region", eve)); n < 6 {
		t.Errorf("all hosts are gone, but only %d nodes take the record of a new one: %v", n, eve.refused[9])
	}
	bound := record("name", 1, w.now, "bound")
	w.all[4].node.Publish(1, bound)
	w.run(5 * time.Second)
	other := record("name", 9, w.now, "bound")
	other.Signer[0] = 9
	if n := stored(eve, other); n != 0 {
		t.Errorf("a record that is bound to its signer was replaced at %d nodes", n)
	}
}

// Of records that cannot follow one another a search believes that of the most paths, of
// equal ones the first: a nearer signer or a higher version gains nothing. Of one lineage
// it believes the newer, and never one for whom only its own signer speaks.
func TestFoundRecords(t *testing.T) {
	w := newNetwork(t)
	e := w.add("a", Config{Keepers: keepersTest})
	w.add("b", Config{})
	w.add("c", Config{})
	honest, forged := claimBy(w.all[0], 1, "key"), claimBy(w.all[1], 9, "key")
	next, names := *honest, claimBy(w.all[2], 9, "key", w.all[2], w.all[0])
	next.Version++
	for _, c := range []struct {
		name  string
		found []*Record
		want  *Record
	}{
		{"one against one: the first", []*Record{honest, forged}, honest},
		{"whoever is nearer to the key", []*Record{forged, honest}, forged},
		{"two against one", []*Record{forged, honest, honest}, honest},
		{"two versions count together", []*Record{forged, honest, &next}, &next},
		{"the newer is believed", []*Record{&next, honest}, &next},
		{"who names the host does not follow it", []*Record{names, honest}, honest},
		{"in any order", []*Record{honest, names}, honest},
	} {
		l := &lookup{}
		for _, r := range c.found {
			e.node.take(l, r)
		}
		if l.best != c.want {
			t.Errorf("%s: version %d of %s", c.name, l.best.Version, l.best.SignerID().Short())
		}
	}
	if fmt.Sprint(Taken) == "unknown code" {
		t.Error("no text")
	}
}
