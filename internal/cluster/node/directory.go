package node

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// directory is the node's place in the Kademlia network, and what it keeps
// there: the record of each shard that it leads.
type directory struct {
	w      *network
	p      *submachine
	kad    *kademlia.Node
	joined bool
	asked  map[uint64]func(kademlia.Result) // lookups under way
	tag    uint64
	known  []machine.Peer // to join by
	since  machine.Time   // when it began to join
	again  machine.Time   // when to try again
}

const (
	// rejoin is how long a node waits until it tries to join again.
	rejoin = 2 * time.Second
	// aloneAfter is when a node that was not told of others, but has known some,
	// goes on without them.
	aloneAfter = 20 * time.Second
)

func (d *directory) init(w *network) {
	d.w, d.asked = w, map[uint64]func(kademlia.Result){}
	d.p = &submachine{node: w.n, name: "directory"}
	cfg := kademlia.Config{Self: w.cfg.Self.ID, Events: d, Verify: w.cfg.Verify}
	if w.cfg.Sign != nil {
		cfg.Keepers = records.Keepers
	}
	d.kad = kademlia.New(cfg, dirEnv{d.p})
	d.p.m = d.kad
}

func (d *directory) start() { d.kad.Start() }

// begin enters the network by the nodes that are known.
func (d *directory) begin(saved []machine.Peer) {
	for _, p := range append(slices.Clone(d.w.cfg.Known), saved...) {
		if p.ID != d.w.cfg.Self.ID && !among(d.known, p.ID) {
			d.known = append(d.known, p)
		}
	}
	d.since = d.w.n.env.Now()
	d.join()
}

// join enters the network. A node that knows nobody is the first.
func (d *directory) join() {
	if len(d.known) == 0 {
		d.joined = true
		return
	}
	d.again = d.w.n.env.Now().Add(rejoin)
	d.kad.Join(d.known)
	d.lookup(d.w.cfg.Self.ID, func(r kademlia.Result) { d.joined = d.joined || len(r.Closest) > 0 })
}

func (d *directory) beat(now machine.Time) {
	if d.joined || d.since == 0 || now < d.again {
		return
	}
	if len(d.w.cfg.Known) == 0 && now.Sub(d.since) >= aloneAfter {
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

// Renew implements kademlia.Events: a record that is still right is signed
// again.
func (d *directory) Renew(r *kademlia.Record) {
	for _, p := range sortedShards(d.w.replicas) {
		if h := d.w.replicas[p]; h.leading && d.key(p) == r.Key {
			h.record.version++
			d.publish(h)
			return
		}
	}
	d.kad.Withdraw(r.Kind, r.Key)
}

func (d *directory) lookup(target id.ID, then func(kademlia.Result)) {
	d.tag++
	d.asked[d.tag] = then
	d.kad.Lookup(d.tag, target)
}

// key is where the record of a shard is kept.
func (d *directory) key(p Shard) id.ID { return KeyOf(d.w.cfg.World, p) }

// KeyOf is the key of a shard of a world: what its hosts are nearest to.
func KeyOf(world id.ID, p Shard) id.ID {
	b := append([]byte("voxelpopuli part\n"), world[:]...)
	if p.Lobby {
		return id.Of(append(b, 'h'))
	}
	b = append(b, 'r')
	b = binary.BigEndian.AppendUint32(b, uint32(p.Region.X))
	return id.Of(binary.BigEndian.AppendUint32(b, uint32(p.Region.Z)))
}

// find looks for the hosts of a shard; if nobody hosts it, the node nearest to
// its key is asked to find some (dissertation, algorithm 3).
func (d *directory) find(p Shard) {
	d.look(p, func(r kademlia.Result) { d.w.looked(p, r) })
}

// look asks for the record of a shard.
func (d *directory) look(p Shard, then func(kademlia.Result)) {
	d.tag++
	d.asked[d.tag] = then
	d.kad.Find(d.tag, kademlia.Chunk, d.key(p))
}

// looked takes what the directory says of a shard.
func (w *network) looked(p Shard, res kademlia.Result) {
	r := w.routes[p]
	if r == nil || r.leader != (machine.Peer{}) {
		return
	}
	r.lookupPending = false
	if res.Record != nil {
		hosts, err := records.DecodeHosts(res.Record.Payload)
		if err == nil && w.dir.joined && w.allGone(hosts.Members) {
			w.generate(r, res.Closest)
		}
		if err == nil && hosts.Term >= r.term {
			r.members = hosts.Members
			for _, m := range hosts.Members {
				if m.ID != w.cfg.Self.ID {
					w.sendDatagram(m, &LeaderQuery{p})
				}
			}
		}
		return
	}
	if !w.dir.joined {
		return
	}
	w.generate(r, res.Closest)
}

// nearestTo sorts this node into the nodes nearest to a key.
func (w *network) nearestTo(key id.ID, others []machine.Peer) []machine.Peer {
	out := slices.Clone(others)
	i := 0
	for i < len(out) && kademlia.Closer(key, out[i].ID, w.cfg.Self.ID) {
		i++
	}
	return slices.Insert(out, i, w.cfg.Self)
}

// generate asks the nearest node to find hosts for a shard; the next one if that
// one has not answered.
func (w *network) generate(r *route, closest []machine.Peer) {
	near := w.nearestTo(w.dir.key(r.shard), closest)
	to := near[(r.tries/8)%len(near)]
	if to == w.cfg.Self {
		w.coordinate(r.shard)
		return
	}
	r.asked = to.ID
	w.sendDatagram(to, &Generate{r.shard})
}

// sign makes the record of a shard's hosts.
func (d *directory) sign(p Shard, members []machine.Peer, term, version uint64) *kademlia.Record {
	r := records.Hosts{Term: term, Members: members}.Record(d.key(p), d.w.n.env.Now())
	r.Version = version
	if d.w.cfg.Sign != nil {
		d.w.cfg.Sign(r)
	}
	return r
}

// publish stores who hosts a shard that is led here.
func (d *directory) publish(h *replica) {
	d.tag++
	d.kad.Publish(d.tag, d.sign(h.shard, h.record.members, h.record.term, h.version()))
}

// create stores who is to host a shard, unless it is hosted; then its members are
// given.
func (d *directory) create(p Shard, members []machine.Peer, done func(won bool, rival records.Hosts)) {
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
type dirEnv struct{ p *submachine }

func (e dirEnv) Now() machine.Time                         { return e.p.node.env.Now() }
func (e dirEnv) Rand() *rng.Rand                           { return e.p.node.env.Rand() }
func (e dirEnv) Send(to machine.Peer, m machine.Message)   { e.p.node.env.Send(to, m) }
func (e dirEnv) SetTimer(at machine.Time, t machine.Timer) { submachineEnv(e).SetTimer(at, t) }
func (e dirEnv) Open(machine.Peer)                         {}
func (e dirEnv) Close(machine.Peer)                        {}
func (e dirEnv) Do(queue string, tag uint64, job machine.Job) {
	submachineEnv(e).Do(queue, tag, job)
}
