package region

import (
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// To addresses a message to a region: it is what a session sends to a node. The
// node unwraps it and calls OnMessage(session's peer, Msg) of that region,
// waking it if need be.
type To struct {
	Region world.RegionPos
	Msg    machine.Message
}

// Parts of a node speak to each other through Env.Send with logical peers: a
// region's is PeerOf(pos), the lobby's is Lobby. They have the zero address, and
// their id begins with a tag that no hash of a key has by chance; a node never
// accepts a peer like this from outside. The node routes on the id, and the
// receiver sees the sender's logical peer as from.
const (
	regionTag = "region\x00\x00\x00\x00\x00\x00"
	lobbyTag  = "hall"
)

// Lobby is the logical peer of the lobby.
var Lobby = machine.Peer{ID: tagged(lobbyTag)}

func tagged(tag string) (out id.ID) {
	copy(out[:], tag)
	return out
}

// PeerOf returns the logical peer of the region at pos.
func PeerOf(pos world.RegionPos) machine.Peer {
	out := tagged(regionTag)
	binary.BigEndian.PutUint32(out[12:], uint32(pos.X))
	binary.BigEndian.PutUint32(out[16:], uint32(pos.Z))
	return machine.Peer{ID: out}
}

// RegionOf returns the region whose logical peer p is.
func RegionOf(p machine.Peer) (world.RegionPos, bool) {
	if p.Addr != (machine.Addr{}) || string(p.ID[:12]) != regionTag {
		return world.RegionPos{}, false
	}
	return world.RegionPos{
		X: int32(binary.BigEndian.Uint32(p.ID[12:])),
		Z: int32(binary.BigEndian.Uint32(p.ID[16:])),
	}, true
}
