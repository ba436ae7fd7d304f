// Package directory is a node's place in the Kademlia network: it joins, looks up the
// records of shards, and publishes those of shards that are led here
// (docs/protocols/kademlia.md). What it answers others comes from kademlia.Node.
//
// Invariants:
//   - a node that was given nodes to join by does not take itself for the first one;
//   - a record is published again only as long as Renewer says that the shard is led here;
//   - each lookup is answered once.
//
// Start with Directory.Begin and Find.
package directory

import (
	"math"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Directory is the node's place in the Kademlia network.
type Directory struct {
	part.Part
	// Renewer is asked before a record is published again; it has to be set.
	Renewer Renewer

	seen  *peers.Sightings
	order hostpolicy.Order // in which nodes host a shard
	kad   *kademlia.Node
	asked map[uint64]func(kademlia.Result) // lookups under way
	tag   uint64

	joined bool
	known  []machine.Peer // to join by
	since  machine.Time   // when it began to join
	again  machine.Time   // when to try again

	former map[id.ID]formerHosts // of shards, by their keys
}

// Renewer publishes the record with a key again if the shard is led here; false: it is
// not (hosting).
type Renewer interface{ RenewRecord(key id.ID) bool }

const (
	// Rejoin is how long a node waits until it tries to join again.
	Rejoin = 2 * time.Second
	// aloneAfter is when a node that was not told of others, but has known some,
	// goes on without them.
	aloneAfter = 20 * time.Second
)

// New returns the directory of a node that has not joined yet.
func New(c part.Part, p part.Seat, seen *peers.Sightings, order hostpolicy.Order) *Directory {
	d := &Directory{Part: c, seen: seen, order: order, asked: map[uint64]func(kademlia.Result){}, former: map[id.ID]formerHosts{}}
	cfg := kademlia.Config{Self: c.Cfg.Self.ID, Events: d, Verify: c.Cfg.Verify, Replaced: d.replaced}
	if c.Cfg.Sign != nil {
		cfg.Keepers = records.Keepers
	}
	d.kad = kademlia.New(cfg, env{c.Env, p})
	p.Put(d.kad)
	return d
}

// Start begins to answer others; Begin joins.
func (d *Directory) Start() { d.kad.Start() }

// Answer answers a question of another node.
func (d *Directory) Answer(q machine.Question) machine.Message { return d.kad.Answer(q) }

// HasJoined reports whether the node has entered the network: what others say of a
// shard can be looked up.
func (d *Directory) HasJoined() bool { return d.joined }

// JoiningFor is how long the node has tried to join; 0: it has not begun.
func (d *Directory) JoiningFor() time.Duration {
	if d.since == 0 {
		return 0
	}
	return d.Env.Now().Sub(d.since)
}

// Saved encodes the contacts, to join by after a restart.
func (d *Directory) Saved() []byte { return d.kad.Table().AppendSaved(nil) }

// SaveRecords returns what is to be changed on the disk, so that it has the records of shards
// that this node keeps for others. NotSaved is when that has failed.
func (d *Directory) SaveRecords() (put []machine.KV, gone [][]byte) {
	return d.kad.SaveRecords(kademlia.Chunk)
}

func (d *Directory) NotSaved() { d.kad.NotSaved() }

// Kept counts the records that were kept: when it has grown, there is something to save.
func (d *Directory) Kept() uint64 { return d.kad.Kept() }

// LoadRecord takes a record that was saved, LoadRecords all as they were saved before each
// had its own key.
func (d *Directory) LoadRecord(key, value []byte) error {
	return d.kad.LoadRecord(kademlia.Chunk, key, value)
}

func (d *Directory) LoadRecords(b []byte) error { return d.kad.LoadRecords(b, kademlia.Chunk) }

// Contacts appends the nodes that the routing table has.
func (d *Directory) Contacts(to []machine.Peer) []machine.Peer { return d.kad.Table().Contacts(to) }

// Remove removes a node that is refused.
func (d *Directory) Remove(node id.ID) { d.kad.Table().Remove(node) }

// Begin enters the network by the nodes that are known.
func (d *Directory) Begin(saved []machine.Peer) {
	for _, p := range append(slices.Clone(d.Cfg.Known), saved...) {
		if p.ID != d.Cfg.Self.ID && !peers.Among(d.known, p.ID) {
			d.known = append(d.known, p)
		}
	}
	d.since = d.Env.Now()
	d.join()
}

// join enters the network. A node that knows nobody is the first.
func (d *Directory) join() {
	if len(d.known) == 0 {
		d.joined = true
		return
	}
	d.again = d.Env.Now().Add(Rejoin)
	d.kad.Join(d.known)
	d.Lookup(d.Cfg.Self.ID, func(r kademlia.Result) { d.joined = d.joined || len(r.Closest) > 0 })
}

// Beat forgets former hosts, and tries again to join, if that is due.
func (d *Directory) Beat(now machine.Time) {
	d.forgetFormer(now)
	if d.joined || d.since == 0 || now < d.again {
		return
	}
	if len(d.Cfg.Known) == 0 && now.Sub(d.since) >= aloneAfter {
		d.joined = true // the others have gone: the world goes on here
		return
	}
	d.join()
}

// OnMessage takes a message of another node.
func (d *Directory) OnMessage(from machine.Peer, m machine.Message) {
	switch m.(type) {
	case *kademlia.Request, *kademlia.Reply:
		d.kad.OnMessage(from, m)
	}
}

// Found implements kademlia.Events.
func (d *Directory) Found(tag uint64, r kademlia.Result) {
	then := d.asked[tag]
	delete(d.asked, tag)
	if then != nil {
		then(r)
	}
}

// Stored implements kademlia.Events.
func (d *Directory) Stored(uint64, int, map[kademlia.Code]int) {}

// Renew implements kademlia.Events: a record that is still right is signed again.
func (d *Directory) Renew(r *kademlia.Record) {
	if !d.Renewer.RenewRecord(r.Key) {
		d.kad.Withdraw(r.Kind, r.Key)
	}
}

// Lookup looks for the nodes nearest to a key.
func (d *Directory) Lookup(target id.ID, then func(kademlia.Result)) {
	d.kad.Lookup(d.expect(then), target)
}

// Locate looks for a node that has perhaps moved.
func (d *Directory) Locate(node id.ID) { d.kad.Locate(node) }

// KeyOf is where the record of a shard is kept.
func (d *Directory) KeyOf(p shards.Shard) id.ID { return shards.Key(d.Cfg.World, p) }

// HostsKept are the hosts of a shard by the record that this node keeps for others; false:
// it keeps none.
func (d *Directory) HostsKept(p shards.Shard) (h records.Hosts, ok bool) {
	r := d.kad.Record(kademlia.Chunk, d.KeyOf(p))
	if r == nil {
		return h, false
	}
	h, err := records.DecodeHosts(r.Payload)
	return h, err == nil
}

// Find asks for the record of a shard.
func (d *Directory) Find(p shards.Shard, then func(kademlia.Result)) {
	d.kad.Find(d.expect(then), kademlia.Chunk, d.KeyOf(p))
}

// FindElsewhere asks for the record of a shard that other nodes have.
func (d *Directory) FindElsewhere(p shards.Shard, then func(kademlia.Result)) {
	d.kad.FindElsewhere(d.expect(then), kademlia.Chunk, d.KeyOf(p))
}

// expect returns the tag of a lookup, whose result then gets.
func (d *Directory) expect(then func(kademlia.Result)) uint64 {
	d.tag++
	d.asked[d.tag] = then
	return d.tag
}

// InOrder sorts nodes by how early they host a shard (hostpolicy.Order), each once.
func (d *Directory) InOrder(p shards.Shard, nodes []machine.Peer) []machine.Peer {
	d.order(d.KeyOf(p), nodes)
	return slices.CompactFunc(nodes, func(a, b machine.Peer) bool { return a.ID == b.ID })
}

// sign makes the record of a shard's hosts.
func (d *Directory) sign(p shards.Shard, members []machine.Peer, term, version uint64) *kademlia.Record {
	r := records.Hosts{Term: term, Members: members}.Record(d.KeyOf(p), d.Env.Now())
	r.Version = version
	if d.Cfg.Sign != nil {
		d.Cfg.Sign(r)
	}
	return r
}

// NearestNodes are the first n nodes in the order of hosts, in an open world those nearest
// to the shard's key, silent ones that were there a while ago included, without this node.
func (d *Directory) NearestNodes(p shards.Shard, n int) []machine.Peer {
	all := append(d.seen.Recent(), d.contacts(p)...)
	all = slices.DeleteFunc(all, func(q machine.Peer) bool { return q.ID == d.Cfg.Self.ID })
	all = d.InOrder(p, all)
	return all[:min(len(all), n)]
}

// Nearest are the same of the routing table alone.
func (d *Directory) Nearest(p shards.Shard, n int) []machine.Peer {
	all := d.InOrder(p, d.contacts(p))
	return all[:min(len(all), n)]
}

// contacts are all nodes of the routing table that have answered of late.
func (d *Directory) contacts(p shards.Shard) []machine.Peer {
	return d.kad.Table().Closest(d.KeyOf(p), math.MaxInt32, d.Env.Now(), nil)
}

// Publish stores who hosts a shard.
func (d *Directory) Publish(p shards.Shard, members []machine.Peer, term, version uint64) {
	d.tag++
	d.kad.Publish(d.tag, d.sign(p, members, term, version))
}

// Give stores the record of a shard that is led here at nodes that are to host it, too: they
// are members only once they know that this node hosts it.
func (d *Directory) Give(p shards.Shard, to []machine.Peer) {
	d.kad.Give(kademlia.Chunk, d.KeyOf(p), to)
}

// Leave publishes the hosts of another group of a shard, if there are any, and stops
// publishing its record.
func (d *Directory) Leave(p shards.Shard, hosts []machine.Peer, term, version uint64) {
	if len(hosts) > 0 {
		d.kad.Publish(0, d.sign(p, hosts, term, version))
	}
	d.kad.Withdraw(kademlia.Chunk, d.KeyOf(p))
}

// Forget drops the record of a shard that is kept here, and stops publishing it: others
// host the shard, and have another.
func (d *Directory) Forget(p shards.Shard) { d.kad.Forget(kademlia.Chunk, d.KeyOf(p)) }

// Create stores who is to host a shard, unless it is hosted; then its members are
// given.
func (d *Directory) Create(p shards.Shard, members []machine.Peer, done func(won bool, rival records.Hosts)) {
	d.kad.Create(d.sign(p, members, 0, 1), func(won bool, rival *kademlia.Record) {
		if won || rival == nil {
			done(won, records.Hosts{})
			return
		}
		hosts, _ := records.DecodeHosts(rival.Payload)
		done(false, hosts)
	})
}

// env is what the directory sees of the node: datagrams go out as they are.
type env struct {
	machine.Env
	seat part.Seat
}

func (e env) SetTimer(at machine.Time, t machine.Timer) { e.seat.SetTimer(at, t) }
func (e env) Open(machine.Peer)                         {}
func (e env) Close(machine.Peer)                        {}
func (e env) Do(queue string, tag uint64, job machine.Job) {
	e.seat.Do(queue, tag, job)
}
