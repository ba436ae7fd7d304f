package kademlia

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Kind is a table of records.
type Kind uint8

// The tables (dissertation 3.1: players and chunks apart). A chunk record names
// the hosts of a region.
const (
	Player Kind = iota
	Chunk
	kinds
)

// Record is a signed statement that is stored under a key. Frozen once made.
type Record struct {
	Kind    Kind
	Key     id.ID
	Version uint64
	Until   machine.Time // when it expires, at most Expire ahead
	Signer  [32]byte     // Ed25519 public key
	Payload []byte
	Sig     [64]byte
}

// Signed returns the bytes that Sig signs.
func (r *Record) Signed() []byte {
	out := append(make([]byte, 0, 96+len(r.Payload)), "voxelpopuli record 1\n"...)
	out = append(out, byte(r.Kind))
	out = append(out, r.Key[:]...)
	out = binary.BigEndian.AppendUint64(out, r.Version)
	out = binary.BigEndian.AppendUint64(out, uint64(r.Until))
	out = append(out, r.Signer[:]...)
	return append(out, r.Payload...)
}

// SignerID is the id of the node or player that has signed r.
func (r *Record) SignerID() id.ID { return id.Of(r.Signer[:]) }

// newer reports whether r should replace old: by version, then by expiry.
func (r *Record) newer(old *Record) bool {
	if r.Version != old.Version {
		return r.Version > old.Version
	}
	return r.Until > old.Until
}

// plausible is what can be checked of a record without its signature.
func (r *Record) plausible(kind Kind, key id.ID, now machine.Time) Code {
	switch {
	case r.Kind != kind || r.Key != key || kind >= kinds:
		return WrongKey
	case len(r.Payload) > MaxRecord:
		return TooLarge
	case r.Until <= now:
		return Expired
	case r.Until.Sub(now) > Expire+clockSlack:
		return TooLong
	}
	return OK
}
