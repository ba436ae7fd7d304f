package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// directory is the node's place in the Kademlia network: it joins, looks up the records
// of shards, and publishes those of shards that are led here.
type directory struct {
	part.Part
	seen    *peers.Sightings
	renewer renewer
	kad     *kademlia.Node
	asked   map[uint64]func(kademlia.Result) // lookups under way
	tag     uint64

	joined bool
	known  []machine.Peer // to join by
	since  machine.Time   // when it began to join
	again  machine.Time   // when to try again
}

// renewer publishes the record with a key again if the shard is led here; false: it is
// not (hosting).
type renewer interface{ renewRecord(key id.ID) bool }

const (
	// rejoin is how long a node waits until it tries to join again.
	rejoin = 2 * time.Second
	// aloneAfter is when a node that was not told of others, but has known some,
	// goes on without them.
	aloneAfter = 20 * time.Second
)

func newDirectory(c part.Part, p part.Seat, seen *peers.Sightings) *directory {
	d := &directory{Part: c, seen: seen, asked: map[uint64]func(kademlia.Result){}}
	cfg := kademlia.Config{Self: c.Cfg.Self.ID, Events: d, Verify: c.Cfg.Verify}
	if c.Cfg.Sign != nil {
		cfg.Keepers = records.Keepers
	}
	d.kad = kademlia.New(cfg, dirEnv{c.Env, p})
	p.Put(d.kad)
	return d
}

func (d *directory) start() { d.kad.Start() }

// hasJoined reports whether the node has entered the network: what others say of a
// shard can be looked up.
func (d *directory) hasJoined() bool { return d.joined }

// joiningFor is how long the node has tried to join; 0: it has not begun.
func (d *directory) joiningFor() time.Duration {
	if d.since == 0 {
		return 0
	}
	return d.Env.Now().Sub(d.since)
}

// saved encodes the contacts, to join by after a restart.
func (d *directory) saved() []byte { return d.kad.Table().AppendSaved(nil) }

// contacts appends the nodes that the routing table has.
func (d *directory) contacts(to []machine.Peer) []machine.Peer { return d.kad.Table().Contacts(to) }

// remove removes a node that is refused.
func (d *directory) remove(node id.ID) { d.kad.Table().Remove(node) }

// begin enters the network by the nodes that are known.
func (d *directory) begin(saved []machine.Peer) {
	for _, p := range append(slices.Clone(d.Cfg.Known), saved...) {
		if p.ID != d.Cfg.Self.ID && !peers.Among(d.known, p.ID) {
			d.known = append(d.known, p)
		}
	}
	d.since = d.Env.Now()
	d.join()
}

// join enters the network. A node that knows nobody is the first.
func (d *directory) join() {
	if len(d.known) == 0 {
		d.joined = true
		return
	}
	d.again = d.Env.Now().Add(rejoin)
	d.kad.Join(d.known)
	d.lookup(d.Cfg.Self.ID, func(r kademlia.Result) { d.joined = d.joined || len(r.Closest) > 0 })
}

func (d *directory) beat(now machine.Time) {
	if d.joined || d.since == 0 || now < d.again {
		return
	}
	if len(d.Cfg.Known) == 0 && now.Sub(d.since) >= aloneAfter {
		d.joined = true // the others have gone: the world goes on here
		return
	}
	d.join()
}

func (d *directory) receive(from machine.Peer, m machine.Message) {
	switch m.(type) {
	case *kademlia.Request, *kademlia.Reply:
		d.kad.OnMessage(from, m)
	}
}

// Found implements kademlia.Events.
func (d *directory) Found(tag uint64, r kademlia.Result) {
	then := d.asked[tag]
	delete(d.asked, tag)
	if then != nil {
		then(r)
	}
}

// Stored implements kademlia.Events.
func (d *directory) Stored(uint64, int, map[kademlia.Code]int) {}

// Renew implements kademlia.Events: a record that is still right is signed again.
func (d *directory) Renew(r *kademlia.Record) {
	if !d.renewer.renewRecord(r.Key) {
		d.kad.Withdraw(r.Kind, r.Key)
	}
}

func (d *directory) lookup(target id.ID, then func(kademlia.Result)) {
	d.tag++
	d.asked[d.tag] = then
	d.kad.Lookup(d.tag, target)
}

// key is where the record of a shard is kept.
func (d *directory) key(p shards.Shard) id.ID { return shards.Key(d.Cfg.World, p) }

// look asks for the record of a shard.
func (d *directory) look(p shards.Shard, then func(kademlia.Result)) {
	d.tag++
	d.asked[d.tag] = then
	d.kad.Find(d.tag, kademlia.Chunk, d.key(p))
}

// nearestTo sorts this node into the nodes nearest to a key.
func (d *directory) nearestTo(key id.ID, others []machine.Peer) []machine.Peer {
	out := slices.Clone(others)
	i := 0
	for i < len(out) && kademlia.Closer(key, out[i].ID, d.Cfg.Self.ID) {
		i++
	}
	return slices.Insert(out, i, d.Cfg.Self)
}

// sign makes the record of a shard's hosts.
func (d *directory) sign(p shards.Shard, members []machine.Peer, term, version uint64) *kademlia.Record {
	r := records.Hosts{Term: term, Members: members}.Record(d.key(p), d.Env.Now())
	r.Version = version
	if d.Cfg.Sign != nil {
		d.Cfg.Sign(r)
	}
	return r
}

// nearestNodes are the n nodes nearest to a shard's key, silent ones that were there a
// while ago included, without this node.
func (d *directory) nearestNodes(p shards.Shard, n int) []machine.Peer {
	key := d.key(p)
	all := append(d.seen.Recent(), d.kad.Table().Closest(key, n, d.Env.Now(), nil)...)
	all = slices.DeleteFunc(all, func(q machine.Peer) bool { return q.ID == d.Cfg.Self.ID })
	all = peers.NearestFirst(key, all)
	return all[:min(len(all), n)]
}

// closest are the nodes nearest to a key that the routing table has.
func (d *directory) closest(key id.ID, n int) []machine.Peer {
	return d.kad.Table().Closest(key, n, d.Env.Now(), nil)
}

// publish stores who hosts a shard.
func (d *directory) publish(p shards.Shard, members []machine.Peer, term, version uint64) {
	d.tag++
	d.kad.Publish(d.tag, d.sign(p, members, term, version))
}

// leave publishes the hosts of another group of a shard, if there are any, and stops
// publishing its record.
func (d *directory) leave(p shards.Shard, hosts []machine.Peer, term, version uint64) {
	if len(hosts) > 0 {
		d.kad.Publish(0, d.sign(p, hosts, term, version))
	}
	d.kad.Withdraw(kademlia.Chunk, d.key(p))
}

// create stores who is to host a shard, unless it is hosted; then its members are
// given.
func (d *directory) create(p shards.Shard, members []machine.Peer, done func(won bool, rival records.Hosts)) {
	d.kad.Create(d.sign(p, members, 0, 1), func(won bool, rival *kademlia.Record) {
		if won || rival == nil {
			done(won, records.Hosts{})
			return
		}
		hosts, _ := records.DecodeHosts(rival.Payload)
		done(false, hosts)
	})
}

// dirEnv is what the directory sees of the node: datagrams go out as they are.
type dirEnv struct {
	machine.Env
	seat part.Seat
}

func (e dirEnv) SetTimer(at machine.Time, t machine.Timer) { e.seat.SetTimer(at, t) }
func (e dirEnv) Open(machine.Peer)                         {}
func (e dirEnv) Close(machine.Peer)                        {}
func (e dirEnv) Do(queue string, tag uint64, job machine.Job) {
	e.seat.Do(queue, tag, job)
}
