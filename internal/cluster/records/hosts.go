package records

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Hosts says which group hosts a part of the world (a "chunk" in the
// dissertation's words). Its record's version is Term, so that of the records
// of two leaders the later one's wins.
type Hosts struct {
	Term    uint64
	Members []machine.Peer // with addresses; the signer is one of them
}

// MaxHosts bounds the members of a group.
const MaxHosts = 9

// Record makes the unsigned record of h.
func (h Hosts) Record(key id.ID, now machine.Time) *kademlia.Record {
	return &kademlia.Record{Kind: kademlia.Chunk, Key: key, Version: h.Term, Until: now.Add(kademlia.Expire), Payload: h.Append(nil)}
}

// Append appends the payload of h.
func (h Hosts) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(append(b, hostsLayout), h.Term)
	b = append(b, byte(len(h.Members)))
	for _, m := range h.Members {
		b = append(append(b, m.ID[:]...), m.Addr[:]...)
	}
	return b
}

// DecodeHosts reads what Append wrote: one to MaxHosts members, each once, each
// with an id and an address.
func DecodeHosts(b []byte) (h Hosts, err error) {
	r := begin(b, hostsLayout)
	h.Term = r.U64()
	n := int(r.Byte())
	if n == 0 || n > MaxHosts {
		r.Fail()
	}
	for i := 0; i < n && !r.Bad(); i++ {
		var m machine.Peer
		m.ID, m.Addr = id.ID(r.Take(id.Size)), machine.Addr(r.Take(uint64(len(m.Addr))))
		if m.ID.IsZero() || m.Addr == (machine.Addr{}) || h.has(m.ID) {
			r.Fail()
		}
		h.Members = append(h.Members, m)
	}
	if err := end(r, "hosts"); err != nil {
		return Hosts{}, err
	}
	return h, nil
}

func (h Hosts) has(who id.ID) bool {
	for _, m := range h.Members {
		if m.ID == who {
			return true
		}
	}
	return false
}
