package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

type (
	// CopyQuery asks for a part of a copy that the receiver keeps of a shard: its spare
	// copy, or the one that it has from a time (SavedState).
	CopyQuery struct {
		Shard shards.Shard
		At    machine.Time // 0: the spare copy
		Part  uint32
	}

	// CopyPart is the answer: the copy is the state after the entry Index.
	CopyPart struct {
		Shard       shards.Shard
		At          machine.Time
		Gen         group.Gen
		Term, Index uint64
		Part        uint32
		Last        bool
		Data        []byte
	}
)

// copyFetching fetches copies that other nodes keep, part after part, and gives hosts
// those that are kept here.
type copyFetching struct {
	part.Part
	links  *peers.Links
	copies *copies
	spares *spareKeeping

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
	want  signedCopy
	data  []byte
	parts uint32
	at    machine.Time // when it was asked for, or the last part came
	again machine.Time
	then  func(kvs []machine.KV, ok bool)
}

// signedCopy is what a node has of a shard, and a signature over it; without one the node
// is believed.
type signedCopy struct {
	at    machine.Time // 0: its spare copy
	end   hostpolicy.Log
	proof copyProof
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

// begin fetches what a node keeps of a shard, which must be what was signed.
func (k *copyFetching) begin(from machine.Peer, p shards.Shard, want signedCopy, then func(kvs []machine.KV, ok bool)) {
	if k.list[p] != nil || len(k.list) >= maxFetches {
		then(nil, false)
		return
	}
	x := &copyFetch{from: from, shard: p, want: want, at: k.Env.Now(), then: then}
	k.list[p] = x
	k.ask(x)
}

func (k *copyFetching) ask(x *copyFetch) {
	x.again = k.Env.Now().Add(fetchAgain)
	k.links.Send(x.from, &CopyQuery{x.shard, x.want.at, x.parts})
}

// receive takes a part.
func (k *copyFetching) receive(f *peers.Remote, m *CopyPart) {
	x := k.list[m.Shard]
	if x == nil || x.from.ID != f.Peer.ID || m.Part != x.parts || m.At != x.want.at || x.want.end != (hostpolicy.Log{Gen: m.Gen, Term: m.Term, Last: m.Index}) {
		return
	}
	x.data, x.at = append(x.data, m.Data...), k.Env.Now()
	x.parts++
	switch {
	case len(x.data) > maxSpare || len(m.Data) == 0:
		k.end(x, nil, false)
	case m.Last:
		kvs, err := group.DecodeContent(x.data)
		k.end(x, kvs, err == nil && x.want.proof.of(kvs))
	default:
		k.ask(x)
	}
}

func (k *copyFetching) end(x *copyFetch, kvs []machine.KV, ok bool) {
	delete(k.list, x.shard)
	x.then(kvs, ok)
}

// beat asks again, and gives up.
func (k *copyFetching) beat(now machine.Time) {
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

// serve gives a host of a shard a part of the copy that is kept here.
func (k *copyFetching) serve(f *peers.Remote, m *CopyQuery) {
	if !m.Shard.InWorld() || !k.spares.trusts(f, m.Shard) {
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
	if !k.spares.budgets.Take(f, len(data)) {
		return
	}
	k.links.Send(f.Peer, &CopyPart{
		Shard: m.Shard, At: m.At, Gen: r.end.Gen, Term: r.end.Term, Index: r.end.Last, Part: m.Part,
		Last: from+len(data) == len(r.data), Data: data,
	})
}

// beginToRead reads a copy, to send it when it is asked for again.
func (k *copyFetching) beginToRead(which wantedCopy) {
	s, ok := k.copies.of(which.shard, which.at)
	if !ok || len(k.read) >= maxReadCopies {
		return
	}
	r := &readCopy{end: s.end(), at: k.Env.Now()}
	k.read[which] = r
	k.copies.read(s, func(kvs []machine.KV, err error) {
		if err != nil || !s.proof.of(kvs) {
			delete(k.read, which)
			return
		}
		r.data, r.ready = group.AppendContent(nil, kvs), true
	})
}

// of returns the copy of a shard that is from a time; 0: the spare copy.
func (c *copies) of(p shards.Shard, at machine.Time) (savedCopy, bool) {
	if at == 0 {
		return c.spare(p)
	}
	for _, s := range c.list {
		if s.shard == p && s.at == at && !s.isSpare() && !s.isOrigin() {
			return s, true
		}
	}
	return savedCopy{}, false
}
