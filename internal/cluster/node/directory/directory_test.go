package directory

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// alone is a directory whose messages reach nobody.
type alone struct {
	*Directory
	env  *quiet
	leds map[id.ID]bool // keys of shards that are led here
}

// quiet is an environment and a seat of which only the clock is used.
type quiet struct {
	machine.Env
	now    machine.Time
	random rng.Rand
	sent   int
}

func (q *quiet) Now() machine.Time                    { return q.now }
func (q *quiet) Rand() *rng.Rand                      { return &q.random }
func (q *quiet) Send(machine.Peer, machine.Message)   { q.sent++ }
func (q *quiet) SetTimer(machine.Time, machine.Timer) {}
func (q *quiet) Do(string, uint64, machine.Job)       {}
func (q *quiet) Put(machine.Machine)                  {}
func (q *quiet) Leave()                               {}
func (q *quiet) HasLeft() bool                        { return false }
func (a *alone) RenewRecord(key id.ID) bool           { return a.leds[key] }

func node(n byte) machine.Peer {
	return machine.Peer{ID: id.ID{n}, Addr: machine.AddrFrom(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, n}), 1))}
}

func newAlone(known ...machine.Peer) *alone {
	q := &quiet{now: machine.Time(time.Hour), random: rng.New(1)}
	cfg := &part.Config{Self: node(8), World: id.ID{1}, Known: known}
	c := part.Part{Env: q, Cfg: cfg, Counts: &part.Counts{}}
	a := &alone{New(c, q, peers.NewSightings(c), hostpolicy.Nearest), q, map[id.ID]bool{}}
	a.Renewer = a
	a.Start()
	return a
}

// Only a node that knows nobody is the first of its world. One that has known others goes on
// alone after a while; one that was told of others waits for them.
func TestWhoIsTheFirst(t *testing.T) {
	for _, c := range []struct {
		name         string
		known, saved []machine.Peer
		first, later bool
	}{
		{"it knows nobody", nil, nil, true, true},
		{"it knows only itself", []machine.Peer{node(8)}, nil, true, true},
		{"it has known others", nil, []machine.Peer{node(1)}, false, true},
		{"it was told of others", []machine.Peer{node(1)}, nil, false, false},
	} {
		d := newAlone(c.known...)
		d.Begin(c.saved)
		first := d.HasJoined()
		d.env.now = d.env.now.Add(aloneAfter + Rejoin)
		if d.Beat(d.env.now); first != c.first || d.HasJoined() != c.later {
			t.Errorf("%s: joined %v, after %v %v", c.name, first, aloneAfter, d.HasJoined())
		}
	}
}

// A node that cannot join tries it every Rejoin, not more often.
func TestJoiningAgain(t *testing.T) {
	d := newAlone(node(1))
	d.Begin(nil)
	before := d.env.sent
	if d.Beat(d.env.now.Add(Rejoin - 1)); d.env.sent != before {
		t.Error("it tries again at once")
	}
	d.env.now = d.env.now.Add(Rejoin)
	if d.Beat(d.env.now); d.env.sent == before || d.JoiningFor() != Rejoin {
		t.Errorf("%d messages, %d before; joining for %v", d.env.sent, before, d.JoiningFor())
	}
}

// Nodes are sorted for the shard's key, each once; the node itself is not among those that
// it knows.
func TestNearest(t *testing.T) {
	d := newAlone()
	d.order = func(key id.ID, nodes []machine.Peer) {
		if key != d.KeyOf(shards.Lobby) {
			t.Errorf("sorted for %v", key)
		}
		hostpolicy.Nearest(id.ID{9}, nodes)
	}
	if got, want := d.InOrder(shards.Lobby, []machine.Peer{node(1), node(10), node(8), node(10)}), []machine.Peer{node(8), node(10), node(1)}; !slices.Equal(got, want) {
		t.Errorf("in order: %v, want %v", got, want)
	}
	d.seen.Record(node(3))
	d.seen.Record(node(8))
	if got := d.NearestNodes(shards.Lobby, 5); len(got) != 1 || got[0] != node(3) {
		t.Errorf("others nearest to the lobby: %v", got)
	}
}

// A record names the hosts, for the key of the shard in this world.
func TestRecordOfHosts(t *testing.T) {
	d := newAlone()
	r := d.sign(shards.Lobby, []machine.Peer{node(1), node(2)}, 7, 3)
	hosts, err := records.DecodeHosts(r.Payload)
	if err != nil || hosts.Term != 7 || len(hosts.Members) != 2 || r.Version != 3 || r.Key != d.KeyOf(shards.Lobby) {
		t.Errorf("%+v, %v, of %v", hosts, err, r)
	}
	if other := newAlone(); shards.Key(id.ID{2}, shards.Lobby) == other.KeyOf(shards.Lobby) {
		t.Error("another world has the same key")
	}
}

// A lookup is answered once, and an answer that nobody waits for changes nothing.
func TestAnswersOfLookups(t *testing.T) {
	d := newAlone()
	heard := 0
	d.Find(shards.Lobby, func(kademlia.Result) { heard++ })
	tag := d.tag
	d.Found(tag, kademlia.Result{})
	d.Found(tag, kademlia.Result{})
	d.Found(tag+100, kademlia.Result{})
	if heard != 1 {
		t.Errorf("heard of %d times", heard)
	}
}
