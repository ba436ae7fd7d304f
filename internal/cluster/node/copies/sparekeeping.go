package copies

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// SpareKeeping keeps spare copies of shards that other nodes host, as their leaders send
// them: the whole state first, then what changes.
//
// Who sends is a host that the directory names, and its copy is in a space of its own: it
// takes the place of no other copy. What is on its way is in memory, and bounded; so is
// what a node may send.
type SpareKeeping struct {
	part.Part
	signatures  Signatures
	links       *peers.Links
	budgets     *peers.Budgets // bytes of spare copies that nodes may send
	copies      *Store
	invitations hostInvitations
	hosting     hostedShards

	incoming map[shards.Shard]*incomingSpare
	leaders  map[shards.Shard]knownLeader
}

// hostInvitations knows who hosts a shard, by the directory (invitations).
type hostInvitations interface {
	MayInvite(*peers.Remote, shards.Shard) bool
}

// hostedShards are the shards that this node hosts (hosting).
type hostedShards interface{ Hosts(shards.Shard) bool }

// NewSpareKeeping returns what keeps spare copies that leaders send.
func NewSpareKeeping(c part.Part, s Signatures, l *peers.Links, store *Store, invitations hostInvitations, hosting hostedShards) *SpareKeeping {
	return &SpareKeeping{
		Part: c, budgets: peers.NewBudgets(c, l, spareIntake, SpareBurst), signatures: s, links: l, copies: store, invitations: invitations, hosting: hosting,
		incoming: map[shards.Shard]*incomingSpare{}, leaders: map[shards.Shard]knownLeader{},
	}
}

// knownLeader is who sends the copy of a shard. The directory named it as a host not long
// ago.
type knownLeader struct {
	who id.ID
	at  machine.Time
}

// leaderFor is how long the directory's word counts.
const leaderFor = 5 * time.Minute

// incomingSpare is a state, or its changes, of which parts have come.
type incomingSpare struct {
	from  id.ID
	first Spare // without Data
	parts uint32
	data  []byte
	at    machine.Time // of the last part
	saved bool         // all parts are there, and on their way to the disk
}

const (
	maxSpare          = 8 << 20 // bytes of a whole state
	maxIncomingSpares = 16
	incomingTimeout   = 20 * time.Second
	// What one node may send: a state of the greatest size, and then as much as an edit
	// in each tick of several regions comes to.
	SpareBurst  = 2 * maxSpare
	spareIntake = 128 << 10 // bytes a second
)

// Receive takes a part of a spare copy.
func (k *SpareKeeping) Receive(f *peers.Remote, m *Spare) {
	if !m.Shard.InWorld() || m.Index == 0 || m.After > m.Index {
		k.Counts.Dropped++
		return
	}
	if !k.Trusts(f, m.Shard) {
		return // it sends again when it has had no answer
	}
	if k.hosting.Hosts(m.Shard) || k.IsLeaving() || k.Cfg.CopiesDisk < 0 || k.Cfg.Full != nil && k.Cfg.Full() {
		k.links.Send(f.Peer, &SpareHeld{Shard: m.Shard, Refused: true})
		return
	}
	end := hostpolicy.Log{Gen: m.Gen, Term: m.Term, Last: m.Index}
	proof := DecodeProof(m.Proof)
	if m.Part == 0 && k.signatures.IsOn() && !k.signatures.SignedBy([]machine.Peer{f.Peer}, k.Cfg.Self.ID, m.Shard, end, proof) {
		k.Counts.Dropped++
		return
	}
	if m.After == m.Index {
		k.copies.confirm(m.Shard, end, proof)
		k.answer(f, m.Shard)
		return
	}
	if k.Spends(f, len(m.Data)) {
		k.take(f, m)
	}
}

// Spends takes bytes from what a node may send about copies; false: it has sent too much.
func (k *SpareKeeping) Spends(f *peers.Remote, n int) bool { return k.budgets.Take(f, n) }

// Trusts reports whether a node hosts a shard, as far as the directory is known.
func (k *SpareKeeping) Trusts(f *peers.Remote, p shards.Shard) bool {
	now := k.Env.Now()
	if l := k.leaders[p]; l.who == f.Peer.ID && now.Sub(l.at) < leaderFor {
		return true
	}
	if !k.invitations.MayInvite(f, p) {
		return false
	}
	k.leaders[p] = knownLeader{f.Peer.ID, now}
	return true
}

// take adds a part to those that have come.
func (k *SpareKeeping) take(f *peers.Remote, m *Spare) {
	in := k.incoming[m.Shard]
	if m.Part == 0 && (in == nil || !in.saved && in.from == f.Peer.ID) {
		if in = k.begin(f, m); in == nil {
			k.answer(f, m.Shard)
			return
		}
	}
	if in == nil || in.saved || !in.continues(f, m) {
		return
	}
	in.parts, in.at = in.parts+1, k.Env.Now()
	if in.data = append(in.data, m.Data...); len(in.data) > in.limit() {
		delete(k.incoming, m.Shard)
		k.links.Send(f.Peer, &SpareHeld{Shard: m.Shard, Refused: true})
		return
	}
	if m.Last {
		k.save(f, in)
		return
	}
	k.links.Send(f.Peer, &SpareHeld{Shard: m.Shard, Gen: m.Gen, Term: m.Term, Index: m.Index, Parts: in.parts})
}

// begin begins to receive a state that is newer than the one here; nil: it is not, or
// changes another one, or too many others are on their way.
func (k *SpareKeeping) begin(f *peers.Remote, m *Spare) *incomingSpare {
	held, ok := k.copies.Spare(m.Shard)
	end := hostpolicy.Log{Gen: m.Gen, Term: m.Term, Last: m.Index}
	switch {
	case ok && held.End().Compare(end) > 0:
		return nil
	case m.After != 0 && (!ok || held.Gen != m.Gen || held.Index != m.After || held.grown()):
		return nil
	case k.incoming[m.Shard] == nil && len(k.incoming) >= maxIncomingSpares:
		return nil
	}
	in := &incomingSpare{from: f.Peer.ID, first: *m}
	in.first.Data = nil
	k.incoming[m.Shard] = in
	return in
}

// continues reports whether a part is the next one.
func (in *incomingSpare) continues(f *peers.Remote, m *Spare) bool {
	a := &in.first
	return f.Peer.ID == in.from && m.Part == in.parts && m.Gen == a.Gen && m.Term == a.Term && m.Index == a.Index && m.After == a.After
}

// limit is how many bytes may come.
func (in *incomingSpare) limit() int {
	if in.first.After != 0 {
		return maxChanges
	}
	return maxSpare
}

// save writes what has come.
func (k *SpareKeeping) save(f *peers.Remote, in *incomingSpare) {
	p, a := in.first.Shard, &in.first
	s := Saved{
		Copy:  group.Copy{Space: group.SpareSpace(p.Space()), Gen: a.Gen, Term: a.Term, Index: a.Index, Retired: true, Bytes: len(in.data)},
		Shard: p, At: k.Env.Now(), whole: len(in.data), Proof: DecodeProof(a.Proof),
	}
	held, _ := k.copies.Spare(p)
	s.words = held.words
	var changes []machine.DiskWrite
	if a.After == 0 {
		kvs, err := group.DecodeContent(in.data)
		if err != nil || !s.Proof.Of(kvs) {
			k.drop(p)
			return
		}
		changes = []machine.DiskWrite{{Space: s.Space, DeletePrefix: [][]byte{{}}, Put: kvs}}
	} else {
		ws, err := group.DecodeChanges(s.Space, in.data)
		if err != nil || held.Index != a.After {
			k.drop(p)
			return
		}
		changes, s.whole = ws, held.whole
		s.Bytes += held.Bytes
	}
	in.saved = true
	k.copies.Write(s, changes, func(err error) {
		switch {
		case err != nil:
			delete(k.incoming, p)
		case a.After == 0:
			delete(k.incoming, p)
			k.copies.date(s, changes[0].Put)
			k.answer(f, p)
		default:
			k.verify(f, s)
		}
	})
}

// verify reads a copy that was changed: it must be what the leader has signed. If it is
// not, the whole state is to be sent again.
func (k *SpareKeeping) verify(f *peers.Remote, s Saved) {
	k.copies.Read(s, func(kvs []machine.KV, err error) {
		delete(k.incoming, s.Shard)
		switch {
		case err != nil:
		case !s.Proof.Of(kvs):
			k.copies.Drop(s)
		default:
			k.copies.date(s, kvs)
		}
		if err == nil {
			k.answer(f, s.Shard)
		}
	})
}

// drop forgets what has come of a shard: it cannot be read.
func (k *SpareKeeping) drop(p shards.Shard) {
	k.Counts.Dropped++
	delete(k.incoming, p)
}

// answer says what this node has of a shard.
func (k *SpareKeeping) answer(f *peers.Remote, p shards.Shard) {
	m := &SpareHeld{Shard: p}
	if held, ok := k.copies.Spare(p); ok && !held.grown() {
		m.Gen, m.Term, m.Index = held.Gen, held.Term, held.Index
	}
	k.links.Send(f.Peer, m)
}

// Beat forgets what does not go on.
func (k *SpareKeeping) Beat(now machine.Time) {
	for p, l := range k.leaders { // the order does not matter
		if now.Sub(l.at) >= leaderFor {
			delete(k.leaders, p)
		}
	}
	for p, in := range k.incoming { // the order does not matter
		if !in.saved && now.Sub(in.at) >= incomingTimeout {
			delete(k.incoming, p)
		}
	}
}

// Spare returns the spare copy of a shard.
func (c *Store) Spare(p shards.Shard) (Saved, bool) {
	i := slices.IndexFunc(c.list, func(s Saved) bool { return s.Shard == p && s.IsSpare() })
	if i < 0 {
		return Saved{}, false
	}
	return c.list[i], true
}

// IsSpare reports whether a copy is one that other nodes sent.
func (s *Saved) IsSpare() bool { return s.Space == group.SpareSpace(s.Shard.Space()) }

// grown reports whether so many changes were added to a spare copy that its size is not
// known any more: the whole state is to be sent again. whole is 0 after a restart.
func (s *Saved) grown() bool { return s.Bytes > 2*s.whole+maxSpare/8 }

// confirm notes that a spare copy is still the state of its shard, with the signature of
// who leads that now. A copy that differs from what is signed is of no use.
func (c *Store) confirm(p shards.Shard, end hostpolicy.Log, proof Proof) {
	s, ok := c.Spare(p)
	if !ok || s.End() != end {
		return
	}
	if s.Proof.Digest() != proof.Digest() {
		c.Drop(s)
		return
	}
	stale := c.Env.Now().Sub(s.At) >= confirmEvery || s.Proof != proof
	s.At, s.Proof = c.Env.Now(), proof
	if c.add(s); stale {
		c.do(0, machine.DiskWrite{Space: part.NodeSpace, Put: s.record()})
	}
}

// confirmEvery is how often it is written that a copy is still right.
const confirmEvery = time.Hour

// Write changes a copy, and calls then once that is on the disk.
func (c *Store) Write(s Saved, changes []machine.DiskWrite, then func(error)) {
	c.tag++
	c.reads[c.tag] = func(_ []machine.KV, err error) {
		if err == nil {
			c.add(s)
		}
		then(err)
	}
	c.do(c.tag, machine.DiskWrite{Space: part.NodeSpace, Put: s.record(), Then: changes})
}

// record is the entry of a copy in the node's own space.
func (s *Saved) record() []machine.KV {
	return []machine.KV{{Key: []byte(copyKey + s.Space), Value: s.encode()}}
}
