package regionlog

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Checkpoint is what the leader of a region, or of the lobby, signs: that the events until
// then lead to this state.
type Checkpoint struct {
	World   id.ID
	Lobby   bool // of its register; else of the region
	Region  world.RegionPos
	Version uint32
	Key     [32]byte     // Ed25519 public key of the leader's node
	Time    machine.Time // by the leader's clock
	Tick    uint64       // of the world; of the lobby: Unix seconds
	Number  uint64       // of entries since the log began
	Head    [32]byte     // of the chain of entries
	Hashes  Hashes       // of the state

	Signature [64]byte
}

const (
	checkpointContext = "voxelpopuli region checkpoint 1\n"
	chainContext      = "voxelpopuli region log 1\n"
)

// By is the node that has signed.
func (c *Checkpoint) By() id.ID { return id.Of(c.Key[:]) }

// body is all but the signature.
func (c *Checkpoint) body(b []byte) []byte {
	w := writer{c.head(b)}
	for i := range c.Hashes {
		w.raw(c.Hashes[i][:])
	}
	return w.b
}

// lobbyLog is added to the version in the encoding of a checkpoint of the lobby: regions'
// have the layout of before the lobby had a log, so that old evidence says its version.
const (
	lobbyLog   = 1 << 16
	maxVersion = lobbyLog - 1
)

// head is what comes before the hashes.
func (c *Checkpoint) head(b []byte) []byte {
	w := writer{b}
	w.raw(c.World[:])
	w.int(int64(c.Region.X))
	w.int(int64(c.Region.Z))
	version := uint64(c.Version)
	if c.Lobby {
		version |= lobbyLog
	}
	w.uint(version)
	w.raw(c.Key[:])
	w.int(int64(c.Time))
	w.uint(c.Tick)
	w.uint(c.Number)
	w.raw(c.Head[:])
	return w.b
}

func (c *Checkpoint) text() []byte { return c.body([]byte(checkpointContext)) }

// Append appends the encoding.
func (c *Checkpoint) Append(b []byte) []byte { return c.AppendAfter(b, nil) }

// AppendAfter appends the encoding for somebody who has the hashes of another checkpoint:
// those that are the same are left out.
func (c *Checkpoint) AppendAfter(b []byte, had *Hashes) []byte {
	w := writer{c.head(b)}
	var changed uint64
	for i := range c.Hashes {
		if had == nil && c.Hashes[i] != [32]byte{} || had != nil && c.Hashes[i] != had[i] {
			changed |= 1 << i
		}
	}
	w.uint(changed)
	for i := range c.Hashes {
		if changed>>i&1 == 1 {
			w.raw(c.Hashes[i][:])
		}
	}
	w.raw(c.Signature[:])
	return w.b
}

// MaxCheckpoint bounds the encoding of a checkpoint.
const MaxCheckpoint = 1 << 10

// DecodeCheckpoint reads what AppendAfter wrote. Hashes that were left out are zero if the
// reader has none: then the signature does not hold. Nothing is verified.
func DecodeCheckpoint(b []byte, had *Hashes) (*Checkpoint, error) {
	r := newReader(b)
	c := r.checkpoint(had)
	if !r.End() {
		return nil, ErrFormat
	}
	return c, nil
}

func (r *reader) checkpoint(had *Hashes) *Checkpoint {
	c := r.checkpointHead()
	changed := r.Uint(1<<Parts - 1)
	if had != nil {
		c.Hashes = *had
	}
	for i := range c.Hashes {
		if changed>>i&1 == 1 {
			c.Hashes[i] = [32]byte(r.Take(32))
		}
	}
	c.Signature = [64]byte(r.Take(64))
	return c
}

func (r *reader) checkpointHead() *Checkpoint {
	c := &Checkpoint{World: r.id()}
	c.Region = world.RegionPos{X: int32(r.Int(maxCoord)), Z: int32(r.Int(maxCoord))}
	version := r.Uint(lobbyLog | maxVersion)
	c.Version, c.Lobby = uint32(version&maxVersion), version&lobbyLog != 0
	c.Key, c.Time = [32]byte(r.Take(32)), machine.Time(r.Int(maxU62))
	c.Tick, c.Number, c.Head = r.Uint(maxU62), r.Uint(maxU62), [32]byte(r.Take(32))
	return c
}

// Verify reports whether its key has signed the checkpoint.
func (c *Checkpoint) Verify() bool { return ed25519.Verify(c.Key[:], c.text(), c.Signature[:]) }

// follows reports whether a checkpoint is a later one of the same log, as far as they
// say themselves.
func (c *Checkpoint) follows(from *Checkpoint) bool {
	return c.World == from.World && c.Lobby == from.Lobby && c.Region == from.Region && c.Version == from.Version && c.Key == from.Key &&
		c.Number > from.Number && c.Number-from.Number <= MaxEntries
}

// Signing is for whom, and with what, a region's leader signs.
type Signing struct {
	World id.ID
	Key   [32]byte
	Sign  func(text []byte) [64]byte
}

func (s *Signing) sign(c *Checkpoint) {
	c.World, c.Version, c.Key = s.World, Version, s.Key
	c.Signature = s.Sign(c.text())
}

// next is the head of the chain after an entry.
func next(head [32]byte, entry []byte) [32]byte {
	b := append(append(make([]byte, 0, len(chainContext)+40+len(entry)), chainContext...), head[:]...)
	return sha256.Sum256(append(binary.AppendUvarint(b, uint64(len(entry))), entry...))
}
