package decision

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/recent"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Land that players own. A Land statement is the owner's: its Subject is the owner, its
// Name that of the land, its Text the box and the owner's name as it is shown. Operators
// can end it. Trust statements say who else builds on all land of their issuer. Regions
// enforce it (package region), so it holds whoever hosts them.

const (
	// MaxLandName bounds the name of land, in bytes.
	MaxLandName = 20
	// MaxLandSide bounds the sides of land, in blocks.
	MaxLandSide = 128
	// MaxTrusted bounds how many of those whom an owner trusts count.
	MaxTrusted = world.MaxFriends
)

// ofPlayer reports whether players say such things about their own land.
func (s *Statement) ofPlayer() bool { return s.Topic == Land || s.Topic == Trust }

// IsLandName reports whether land can be called so: letters, digits, - and _.
func IsLandName(name string) bool {
	for _, r := range name {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_", r) {
			return false
		}
	}
	return name != "" && len(name) <= MaxLandName
}

// LandText is the Text of a Land statement.
func LandText(z world.Zone, owner string) string {
	var words []string
	for _, n := range []int32{z.Min.X, z.Min.Y, z.Min.Z, z.Max.X, z.Max.Y, z.Max.Z} {
		words = append(words, strconv.Itoa(int(n)))
	}
	return strings.Join(append(words, owner), " ")
}

// Box returns the box of a Land statement and the owner's name.
func (s *Statement) Box() (z world.Zone, owner string, ok bool) {
	words := strings.SplitN(s.Text, " ", 7)
	if s.Topic != Land || len(words) != 7 {
		return z, "", false
	}
	for i, p := range []*int32{&z.Min.X, &z.Min.Y, &z.Min.Z, &z.Max.X, &z.Max.Y, &z.Max.Z} {
		n, err := strconv.ParseInt(words[i], 10, 32)
		if err != nil {
			return z, "", false
		}
		*p = int32(n)
	}
	owner = words[6]
	ok = z.Min.X <= z.Max.X && z.Min.Y <= z.Max.Y && z.Min.Z <= z.Max.Z && z.Min.InWorld() && z.Max.InWorld() &&
		z.Max.X-z.Min.X < MaxLandSide && z.Max.Z-z.Min.Z < MaxLandSide && LandText(z, owner) == s.Text
	return z, owner, ok
}

// checkLand says what is wrong with a Land statement.
func (s *Statement) checkLand() error {
	_, _, ok := s.Box()
	switch {
	case !IsLandName(s.Name):
		return fmt.Errorf("%w: no name of land", ErrFormat)
	case s.On && (!ok || s.Until != 0 || s.By() != s.Subject && s.Issuer != [32]byte{}):
		return fmt.Errorf("%w: no land", ErrFormat)
	}
	return nil
}

// landAskedBy reports whether what was typed behind /claim or /unclaim is a statement:
// where the corners are named they must be these. Otherwise where the player stands is
// the lobby's word.
func (s *Statement) landAskedBy(args []string) bool {
	if s.Name != args[0] {
		return false
	}
	if s.On && len(args) == 7 {
		z, _, ok := s.Box()
		typed, valid := Corners(args[1:])
		return ok && valid && z == typed
	}
	return s.On == (len(args) == 2) || !s.On
}

// Corners reads two corners of a box, in any order.
func Corners(words []string) (z world.Zone, ok bool) {
	var n [6]int32
	for i, w := range words {
		v, err := strconv.ParseInt(w, 10, 32)
		if err != nil || i >= len(n) || max(v, -v) > world.Limit {
			return z, false
		}
		n[i] = int32(v)
	}
	z = world.ZoneBetween(world.Pos{X: n[0], Y: n[1], Z: n[2]}, world.Pos{X: n[3], Y: n[4], Z: n[5]})
	return z, len(words) == len(n)
}

// SignedLand is land with what proves whose it is: its owner's statement, and those by
// which the owner trusts others.
type SignedLand struct {
	Land   *Statement
	Trusts []*Statement
}

// Lands returns all land that players own, the oldest first.
func (l *Log) Lands() (out []SignedLand) {
	trusts := map[id.ID][]*Statement{}
	for at, s := range l.latest {
		if s.Topic == Trust && s.On && l.mayIssue(at.issuer, s) {
			trusts[at.issuer] = append(trusts[at.issuer], s)
		}
	}
	for who, list := range trusts {
		slices.SortFunc(list, compare)
		trusts[who] = list[:min(len(list), MaxTrusted)]
	}
	l.Each(Land, func(s *Statement) {
		if s.On {
			out = append(out, SignedLand{s, trusts[s.Subject]})
		}
	})
	return out
}

// Box is the land's box.
func (s SignedLand) Box() world.Zone {
	z, _, _ := s.Land.Box()
	return z
}

// Admits reports whether somebody builds there.
func (s SignedLand) Admits(who id.ID) bool {
	return who == s.Land.Subject || slices.ContainsFunc(s.Trusts, func(t *Statement) bool { return t.Subject == who })
}

// Verified remembers statements whose signatures were verified: all land of a region is
// looked at again when some of it changes.
type Verified struct {
	recent recent.Map[[sha256.Size]byte, struct{}] // hashes of statements
}

// NewVerified remembers all that can be said of the land of a region.
func NewVerified() *Verified {
	return &Verified{recent.New[[sha256.Size]byte, struct{}](world.MaxLands * (1 + MaxTrusted))}
}

// verify checks the signature of a statement, unless it did before.
func (v *Verified) verify(s *Statement) error {
	hash := sha256.Sum256(s.Append(nil))
	if _, ok := v.recent.Get(hash); ok {
		return nil
	}
	err := s.verify()
	if err == nil {
		v.recent.Put(hash, struct{}{})
	}
	return err
}

// LandOf returns what the rules of the world know of land: what its owner has signed,
// and whom the owner trusts by statements that it has signed. Signatures are verified.
func (v *Verified) LandOf(of id.ID, signed SignedLand) (world.Land, error) {
	s, trusts := signed.Land, signed.Trusts
	z, owner, ok := s.Box()
	if !ok || !s.On || s.World != of || s.By() != s.Subject || len(trusts) > MaxTrusted {
		return world.Land{}, ErrFormat
	}
	l := world.Land{Zone: z, Owner: s.Subject, Name: wire.FoldName(s.Name), OwnerName: owner}
	for _, t := range append([]*Statement{s}, trusts...) {
		if err := t.check(); err != nil {
			return l, err
		}
		if err := v.verify(t); err != nil {
			return l, err
		}
	}
	for _, t := range trusts {
		if t.Topic != Trust || !t.On || t.World != of || t.By() != s.Subject {
			return l, ErrFormat
		}
		l.Friends = append(l.Friends, t.Subject)
	}
	return l, nil
}
