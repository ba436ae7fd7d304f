package copies

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Fetching fetches copies that other nodes keep, part after part, and gives hosts
// those that are kept here.
type Fetching struct {
	part.Part
	links  *peers.Links
	copies *Store
	spares *SpareKeeping

	list map[shards.Shard]*copyFetch
	read map[wantedCopy]*readCopy // that are asked for
}

// wantedCopy is which copy of a shard is asked for.
type wantedCopy struct {
	shard shards.Shard
	at    machine.Time
}

// copyFetch is a copy on its way here.
type copyFetch struct {
	from  machine.Peer
	shard shards.Shard
	want  Signed
	data  []byte
	parts uint32
	at    machine.Time // when it was asked for, or the last part came
	again machine.Time
	then  func(kvs []machine.KV, ok bool)
}

// Signed is what a node has of a shard, and a signature over it; without one the node
// is believed.
type Signed struct {
	at    machine.Time // 0: its newest copy
	End   hostpolicy.Log
	Proof Proof
}

// readCopy is a copy that was read to be sent.
type readCopy struct {
	end   hostpolicy.Log
	data  []byte
	ready bool
	at    machine.Time
}

const (
	fetchAgain    = time.Second
	fetchTimeout  = 15 * time.Second
	maxFetches    = 8
	maxReadCopies = 4
	keepRead      = 20 * time.Second
)

// NewFetching returns what fetches copies from other nodes, and gives them those here.
func NewFetching(c part.Part, l *peers.Links, store *Store, spares *SpareKeeping) *Fetching {
	return &Fetching{Part: c, links: l, copies: store, spares: spares, list: map[shards.Shard]*copyFetch{}, read: map[wantedCopy]*readCopy{}}
}

// Begin fetches what a node keeps of a shard, which must be what was signed.
func (k *Fetching) Begin(from machine.Peer, p shards.Shard, want Signed, then func(kvs []machine.KV, ok bool)) {
	if k.list[p] != nil || len(k.list) >= maxFetches {
		then(nil, false)
		return
	}
	x := &copyFetch{from: from, shard: p, want: want, at: k.Env.Now(), then: then}
	k.list[p] = x
	k.ask(x)
}

func (k *Fetching) ask(x *copyFetch) {
	x.again = k.Env.Now().Add(fetchAgain)
	k.links.Send(x.from, &CopyQuery{x.shard, x.want.at, x.parts})
}

// Receive takes a part.
func (k *Fetching) Receive(f *peers.Remote, m *CopyPart) {
	x := k.list[m.Shard]
	if x == nil || x.from.ID != f.Peer.ID || m.Part != x.parts || m.At != x.want.at || x.want.End != (hostpolicy.Log{Gen: m.Gen, Term: m.Term, Last: m.Index}) {
		return
	}
	x.data, x.at = append(x.data, m.Data...), k.Env.Now()
	x.parts++
	switch {
	case len(x.data) > maxSpare || len(m.Data) == 0:
		k.end(x, nil, false)
	case m.Last:
		kvs, err := group.DecodeContent(x.data)
		k.end(x, kvs, err == nil && x.want.Proof.Of(kvs))
	default:
		k.ask(x)
	}
}

func (k *Fetching) end(x *copyFetch, kvs []machine.KV, ok bool) {
	delete(k.list, x.shard)
	x.then(kvs, ok)
}

// Beat asks again, and gives up.
func (k *Fetching) Beat(now machine.Time) {
	for _, p := range shards.Sorted(k.list) {
		switch x := k.list[p]; {
		case now.Sub(x.at) >= fetchTimeout:
			k.end(x, nil, false)
		case now >= x.again:
			k.ask(x)
		}
	}
	for p, r := range k.read { // the order does not matter
		if now.Sub(r.at) >= keepRead {
			delete(k.read, p)
		}
	}
}

// Serve gives a host of a shard a part of the copy that is kept here.
func (k *Fetching) Serve(f *peers.Remote, m *CopyQuery) {
	if !m.Shard.InWorld() || !k.spares.Trusts(f, m.Shard) {
		return // it asks again
	}
	which := wantedCopy{m.Shard, m.At}
	r := k.read[which]
	if r == nil {
		k.beginToRead(which)
		return
	}
	from := int(min(m.Part, maxSpare/MaxSparePart)) * MaxSparePart
	if !r.ready || from >= len(r.data) {
		return
	}
	r.at = k.Env.Now()
	data := r.data[from:min(from+MaxSparePart, len(r.data))]
	if !k.spares.Spends(f, len(data)) {
		return
	}
	k.links.Send(f.Peer, &CopyPart{
		Shard: m.Shard, At: m.At, Gen: r.end.Gen, Term: r.end.Term, Index: r.end.Last, Part: m.Part,
		Last: from+len(data) == len(r.data), Data: data,
	})
}

// beginToRead reads a copy, to send it when it is asked for again.
func (k *Fetching) beginToRead(which wantedCopy) {
	s, ok := k.copies.of(which.shard, which.at)
	if !ok || len(k.read) >= maxReadCopies {
		return
	}
	r := &readCopy{end: s.End(), at: k.Env.Now()}
	k.read[which] = r
	k.copies.Read(s, func(kvs []machine.KV, err error) {
		if err != nil || !s.Proof.Of(kvs) {
			delete(k.read, which)
			return
		}
		r.data, r.ready = group.AppendContent(nil, kvs), true
	})
}

// of returns the copy of a shard that is from a time; 0: the newest, of which the node speaks.
func (c *Store) of(p shards.Shard, at machine.Time) (Saved, bool) {
	if at == 0 {
		return c.Newest(p)
	}
	for _, s := range c.list {
		if s.Shard == p && s.At == at && !s.IsSpare() && !s.IsOrigin() {
			return s, true
		}
	}
	return Saved{}, false
}
