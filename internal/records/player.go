package records

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Place says where a player logged out (dissertation 2.2: a player comes back
// where it left off). Its key is the player's id and its signer the player, so
// that nobody else can send the player elsewhere; what the player has and is
// stays with the region.
type Place struct {
	World  id.ID
	Region world.RegionPos
	Epoch  uint64 // of the player's presence: the record's version
}

// Record makes the unsigned record of p.
func (p Place) Record(player id.ID, now machine.Time) *kademlia.Record {
	return &kademlia.Record{Kind: kademlia.Player, Key: player, Version: p.Epoch, Until: now.Add(kademlia.Expire), Payload: p.Append(nil)}
}

// Append appends the payload of p.
func (p Place) Append(b []byte) []byte {
	b = append(append(b, placeLayout), p.World[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(p.Region.X))
	b = binary.BigEndian.AppendUint32(b, uint32(p.Region.Z))
	return binary.BigEndian.AppendUint64(b, p.Epoch)
}

// DecodePlace reads what Append wrote.
func DecodePlace(b []byte) (Place, error) {
	r := begin(b, placeLayout)
	p := Place{World: r.id(), Region: world.RegionPos{X: int32(r.u32()), Z: int32(r.u32())}, Epoch: r.u64()}
	return p, r.end("a player's place")
}

// Name says that a name in a world belongs to the record's signer. It is stored
// by Create: whoever comes first has it, and keeps it for as long as it is
// published.
type Name struct {
	World id.ID
	Name  string // as the player writes it
}

// Key is where the record of a name is kept: the same for all ways to write it.
func (n Name) Key() id.ID {
	b := append([]byte("voxelpopuli name\n"), n.World[:]...)
	return id.Of(append(b, wire.FoldName(n.Name)...))
}

// Record makes the unsigned record of n.
func (n Name) Record(version uint64, now machine.Time) *kademlia.Record {
	return &kademlia.Record{Kind: kademlia.Player, Key: n.Key(), Version: version, Until: now.Add(kademlia.Expire), Payload: n.Append(nil)}
}

// Append appends the payload of n.
func (n Name) Append(b []byte) []byte {
	b = append(append(b, nameLayout), n.World[:]...)
	return append(b, n.Name...)
}

// DecodeName reads what Append wrote; the name is one that a player may have.
func DecodeName(b []byte) (Name, error) {
	r := begin(b, nameLayout)
	n := Name{World: r.id()}
	n.Name, r.b = string(r.b), nil
	if clean, err := wire.CleanName(n.Name); !utf8.ValidString(n.Name) || err != nil || clean != n.Name {
		r.bad = true
	}
	if err := r.end("a name"); err != nil {
		return Name{}, err
	}
	return n, nil
}
