package codec

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
)

// Messages of internal/cluster/kademlia. Each fits into a datagram.

var directoryKinds = []*kind{
	message(1, directoryRequest),
	message(2, directoryReply),
}

func directoryRequest(f *form, m *kademlia.Request) {
	f.fixed64(&m.RPC)
	num(f, &m.Proc)
	f.id(&m.Key)
	f.bool(&m.Absent)
	optional(f, &m.Record, directoryRecord)
}

func directoryReply(f *form, m *kademlia.Reply) {
	f.fixed64(&m.RPC)
	num(f, &m.Proc)
	num(f, &m.Code)
	list(f, &m.Contacts, kademlia.MaxContacts, minPeer, peer)
	optional(f, &m.Record, directoryRecord)
}

func directoryRecord(f *form, r *kademlia.Record) {
	num(f, &r.Kind)
	f.id(&r.Key)
	num(f, &r.Version)
	signed(f, &r.Until)
	f.exact(r.Signer[:])
	f.bytes(&r.Payload, kademlia.MaxRecord)
	f.exact(r.Sig[:])
}
