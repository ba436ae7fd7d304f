package kademlialab

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// What a malicious directory node does with the lookups of others. It joins,
// answers pings and keeps its table as everybody does, so that it is in the
// tables of the others; stores it says it has done and drops.
const (
	attackCollude = "collude" // names other attackers only, those nearest to the key
	attackGhosts  = "ghosts"  // names nodes near the key that do not exist
	attackSilent  = "silent"  // does not answer lookups
)

var kadAttacks = []string{attackCollude, attackGhosts, attackSilent}

// kadAttacker is a directory node that attacks.
type kadAttacker struct {
	machine.Machine
	env machine.Env

	gang *kadGang
}

// kadGang is what all attackers share: they know each other, and one mind leads
// them.
type kadGang struct {
	what    string
	members []machine.Peer
	ghosts  uint64
}

// OnMessage implements machine.Machine.
func (a *kadAttacker) OnMessage(from machine.Peer, m machine.Message) {
	r, ok := m.(*kademlia.Request)
	if !ok || r.Proc == kademlia.Ping {
		a.Machine.OnMessage(from, m)
		return
	}
	switch {
	case r.Proc == kademlia.StoreChunk || r.Proc == kademlia.StorePlayer:
		a.env.Send(from, &kademlia.Reply{RPC: r.RPC, Proc: r.Proc})
	case a.gang.what == attackCollude:
		a.env.Send(from, &kademlia.Reply{RPC: r.RPC, Proc: r.Proc, Contacts: a.gang.nearest(r.Key)})
	case a.gang.what == attackGhosts:
		a.env.Send(from, &kademlia.Reply{RPC: r.RPC, Proc: r.Proc, Contacts: a.gang.haunt(r.Key)})
	}
}

// nearest are the attackers nearest to a key.
func (g *kadGang) nearest(key id.ID) []machine.Peer {
	var out []machine.Peer
	for _, p := range g.members {
		i := len(out)
		for i > 0 && kademlia.Closer(key, p.ID, out[i-1].ID) {
			i--
		}
		if i < kademlia.MaxContacts {
			out = slices.Insert(out, i, p)
			out = out[:min(len(out), kademlia.MaxContacts)]
		}
	}
	return out
}

// haunt makes up contacts near a key, other ones each time.
func (g *kadGang) haunt(key id.ID) (out []machine.Peer) {
	for range kademlia.MaxContacts {
		g.ghosts++
		p := machine.Peer{ID: key}
		for i := range 8 {
			p.ID[id.Size-1-i] ^= byte(g.ghosts >> (8 * i))
		}
		p.ID[8] ^= 1
		out = append(out, p)
	}
	return out
}
