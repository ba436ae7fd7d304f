// Package genesis is the record that a world begins with: what every node that
// hosts it must agree on (name, seed, when it began, rules), signed by the
// founder. A node that joins fetches it from any node of the world.
//
// The id of a world is that of its identity.Genesis, which says who may take
// part. In an open world the Salt of that is a hash of everything else in the
// record: nobody can give a joiner another record under the same id. A world
// with an authority has its Salt from the authority, who may found several
// worlds before any is named; there the founder's signature is all there is.
//
// Invariants:
//   - a record has one encoding;
//   - a decoded record has been checked: its bounds, and the founder's signature.
package genesis

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Errors.
var (
	// ErrFormat: the bytes are no genesis record.
	ErrFormat = errors.New("this is no record of how a world begins")
	// ErrSignature: the founder has not signed it.
	ErrSignature = errors.New("the founder's signature does not fit")
)

// Limits.
const (
	MaxName = 160 // bytes
	MaxSeed = 100
	// MaxSize bounds an encoded record.
	MaxSize = 1 + 2*binary.MaxVarintLen64 + MaxName + MaxSeed + 289
	// MaxRegions bounds Truth.Regions: 16 km.
	MaxRegions = 128
)

// Versions of the encoding: a record of a world with a storage is of the second,
// which has what that one is like before the founder's key. One of the third has
// the world's hosting there instead. One of the fourth names the world's content packs: it
// has one of the other versions and what belongs to that, and then the digest of their list.
const (
	version = iota + 1
	withTruth
	withHosting
	withPacks
)

// Hosting says which nodes may host a world.
type Hosting uint8

// The kinds of hosting.
const (
	// HostingBefore is that of a record which does not say: of a world with an
	// authority, which admits its nodes, or of one that was made before there were
	// invitations, which any node may host.
	HostingBefore Hosting = iota
	// HostingOpen: any node may.
	HostingOpen
	// HostingInvited: nodes that the founder has invited may (package invitation).
	HostingInvited
)

// Hostings are the names of the kinds that a founder can choose.
var Hostings = map[string]Hosting{"open": HostingOpen, "invited": HostingInvited}

// signContext keeps the signature from being one of anything else.
const signContext = "voxelpopuli genesis record 1\n"

// Record is how a world begins. Frozen once signed.
type Record struct {
	Name       string
	Seed       string // as a person typed it
	Mode       uint8  // how newcomers play: 0 survival, 1 creative
	Epoch      machine.Time
	Spawn      world.Pos
	Protect    int32            // blocks around the spawn that only operators change
	Whitelist  bool             // only who is on the list may enter
	Peaceful   bool             // no monsters come, and nobody gets hungry
	Drops      bool             // who dies leaves what it carried where it died
	MaxPlayers int32            // 0: as many as there is room for
	Nonce      id.ID            // makes two worlds with the same settings differ
	Truth      Truth            // the world's storage; zero: it has none
	Hosting    Hosting          // which nodes may host the world
	Packs      [32]byte         // digest of its first list of content packs (package packlist); zero: the base pack alone
	Genesis    identity.Genesis // who may take part
	Founder    [32]byte         // Ed25519 public key of the founder's node
	Signature  [64]byte
}

// Truth is the replicated storage of a world with an authority
// (docs/protocols/storage.md "In real nodes").
type Truth struct {
	Begin   machine.Time  // t_0: when the world begins as terrain
	LMax    time.Duration // l_max, the longest that a message takes; in milliseconds
	Regions int32         // the world is so many regions a side, around the origin; even
}

// Check says what is wrong with a storage.
func (t *Truth) Check() error {
	switch {
	case t.Regions < 2 || t.Regions%2 != 0 || t.Regions > MaxRegions:
		return fmt.Errorf("%w: a storage of %d regions a side: want an even number from 2 to %d", ErrFormat, t.Regions, MaxRegions)
	case t.LMax < 100*time.Millisecond || t.LMax > time.Minute || t.LMax%time.Millisecond != 0:
		return fmt.Errorf("%w: a storage whose messages take up to %v: want 100ms to 1m, in milliseconds", ErrFormat, t.LMax)
	case t.Begin <= 0:
		return fmt.Errorf("%w: a storage that does not begin", ErrFormat)
	}
	return nil
}

// terms are the fields that make up the salt of the identity's genesis.
func (r *Record) terms(b []byte) []byte {
	b = append(b, r.version())
	b = binary.AppendUvarint(b, uint64(len(r.Name)))
	b = append(b, r.Name...)
	b = binary.AppendUvarint(b, uint64(len(r.Seed)))
	b = append(b, r.Seed...)
	b = append(b, r.Mode)
	b = binary.BigEndian.AppendUint64(b, uint64(r.Epoch))
	for _, n := range []int32{r.Spawn.X, r.Spawn.Y, r.Spawn.Z, r.Protect, r.MaxPlayers} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, r.flags())
	b = append(b, r.Nonce[:]...)
	if r.Packs != ([32]byte{}) {
		b = append(b, r.kind())
	}
	if r.Truth != (Truth{}) {
		b = binary.BigEndian.AppendUint64(b, uint64(r.Truth.Begin))
		b = binary.BigEndian.AppendUint32(b, uint32(r.Truth.LMax/time.Millisecond))
		b = binary.BigEndian.AppendUint32(b, uint32(r.Truth.Regions))
	}
	if r.Hosting != HostingBefore {
		b = append(b, byte(r.Hosting))
	}
	if r.Packs != ([32]byte{}) {
		b = append(b, r.Packs[:]...)
	}
	return append(b, r.Founder[:]...)
}

// Bits of the byte of flags.
const (
	flagWhitelist = 1 << iota
	flagPeaceful
	flagDrops
)

func (r *Record) flags() (b byte) {
	if r.Whitelist {
		b |= flagWhitelist
	}
	if r.Peaceful {
		b |= flagPeaceful
	}
	if r.Drops {
		b |= flagDrops
	}
	return b
}

func (r *Record) version() byte {
	if r.Packs != ([32]byte{}) {
		return withPacks
	}
	return r.kind()
}

// kind is the version of a record that names no packs.
func (r *Record) kind() byte {
	switch {
	case r.Truth != (Truth{}):
		return withTruth
	case r.Hosting != HostingBefore:
		return withHosting
	}
	return version
}

// Seal makes an open world's id a hash of the record: Founder must be set.
func (r *Record) Seal() { r.Genesis.Salt = sha256.Sum256(r.terms(nil)) }

// World is the id of the world that begins so.
func (r *Record) World() id.ID { return r.Genesis.World() }

// FounderID is the id of the founder's node.
func (r *Record) FounderID() id.ID { return id.Of(r.Founder[:]) }

func (r *Record) signed() []byte {
	return r.Genesis.Append(r.terms([]byte(signContext)))
}

// Sign makes the holder of key the founder, and seals an open world.
func (r *Record) Sign(key ed25519.PrivateKey) {
	copy(r.Founder[:], key.Public().(ed25519.PublicKey))
	if !r.Genesis.Verified() {
		r.Seal()
	}
	copy(r.Signature[:], ed25519.Sign(key, r.signed()))
}

// Append adds the encoding to b.
func (r *Record) Append(b []byte) []byte {
	return append(r.Genesis.Append(r.terms(b)), r.Signature[:]...)
}

// Check says what is wrong with a record.
func (r *Record) Check() error {
	text := func(s string, limit int) bool { return len(s) <= limit && utf8.ValidString(s) }
	switch {
	case r.Name == "" || !text(r.Name, MaxName) || !text(r.Seed, MaxSeed):
		return fmt.Errorf("%w: the name or the seed", ErrFormat)
	case r.Mode > 1:
		return fmt.Errorf("%w: mode %d", ErrFormat, r.Mode)
	case r.Epoch <= 0:
		return fmt.Errorf("%w: it has no beginning", ErrFormat)
	case !r.Spawn.InWorld() || abs(r.Spawn.X) >= world.Limit || abs(r.Spawn.Z) >= world.Limit:
		return fmt.Errorf("%w: the spawn %v is outside the world", ErrFormat, r.Spawn)
	case r.Protect < 0 || r.MaxPlayers < 0:
		return fmt.Errorf("%w: a rule is negative", ErrFormat)
	case identity.CheckKey(r.Founder[:]) != nil:
		return fmt.Errorf("%w: the founder's key", ErrFormat)
	case r.Genesis.Check() != nil:
		return fmt.Errorf("%w: %w", ErrFormat, r.Genesis.Check())
	case r.Hosting > HostingInvited:
		return fmt.Errorf("%w: hosting %d", ErrFormat, r.Hosting)
	case r.Hosting != HostingBefore && r.Genesis.Verified():
		return fmt.Errorf("%w: the authority decides who hosts the world", ErrFormat)
	case r.Truth != (Truth{}) && !r.Genesis.Verified():
		return fmt.Errorf("%w: a storage in a world without an authority", ErrFormat)
	case r.Truth != (Truth{}) && r.Truth.Check() != nil:
		return r.Truth.Check()
	case !r.Genesis.Verified() && r.Genesis.Salt != sha256.Sum256(r.terms(nil)):
		return fmt.Errorf("%w: the world's id is not a hash of it", ErrFormat)
	case !ed25519.Verify(r.Founder[:], r.signed(), r.Signature[:]):
		return ErrSignature
	}
	return nil
}

func abs(n int32) int64 { return max(int64(n), -int64(n)) }

// DecodeText is Decode for a record in hexadecimal digits, as a world's meta.json has
// it.
func DecodeText(text string) (*Record, error) {
	b, err := hex.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return Decode(b)
}

// Decode reads a record and checks it.
func Decode(b []byte) (*Record, error) {
	if len(b) > MaxSize {
		return nil, fmt.Errorf("%w: %d bytes", ErrFormat, len(b))
	}
	d := bin.NewReader(b)
	text := func() string { return string(d.Bytes(MaxSize)) }
	v := d.Byte()
	if v < version || v > withPacks {
		return nil, fmt.Errorf("%w: another version", ErrFormat)
	}
	r := &Record{Name: text(), Seed: text(), Mode: d.Byte(), Epoch: machine.Time(d.U64())}
	for _, n := range []*int32{&r.Spawn.X, &r.Spawn.Y, &r.Spawn.Z, &r.Protect, &r.MaxPlayers} {
		*n = int32(d.U32())
	}
	flags := d.Byte()
	r.Whitelist, r.Peaceful, r.Drops = flags&flagWhitelist != 0, flags&flagPeaceful != 0, flags&flagDrops != 0
	copy(r.Nonce[:], d.Take(id.Size))
	named := v == withPacks
	if named {
		v = d.Byte()
	}
	if v == withTruth {
		r.Truth = Truth{machine.Time(d.U64()), time.Duration(d.U32()) * time.Millisecond, int32(d.U32())}
	}
	if v == withHosting {
		r.Hosting = Hosting(d.Byte())
	}
	if named {
		copy(r.Packs[:], d.Take(32))
	}
	copy(r.Founder[:], d.Take(32))
	g, err := identity.DecodeGenesis(d.Take(identity.GenesisSize))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	r.Genesis = *g
	copy(r.Signature[:], d.Take(64))
	if !d.End() || flags > flagWhitelist|flagPeaceful|flagDrops || !slices.Equal(r.Append(nil), b) {
		return nil, ErrFormat
	}
	return r, r.Check()
}
