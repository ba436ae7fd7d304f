// Package authority is the party that admits nodes to a verified world (thesis
// 4.2.2, its certification authority): it gives each node a place in the
// overlay that the node cannot choose, in a certificate, and takes certificates
// back. It works on files and needs no network, so its key may stay on a machine
// that has none:
//
//	DIR/authorities/NAME/authority.key   the key; only its owner may read it
//	DIR/authorities/NAME/authority.json  the genesis and what was issued
//
// One request gets one certificate; what a request costs is for the operator to
// decide: it is what an attacker pays for each identity.
//
// Invariants:
//   - a serial number is given once;
//   - a node keeps its place when it asks again, so asking often does not help
//     to get a better one; one that was revoked gets nothing;
//   - what was issued is on disk before anybody has it.
package authority

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Errors, for the texts that wrap them.
var (
	ErrNone    = errors.New("there is no such authority")
	ErrExists  = errors.New("there is an authority of this name already")
	ErrSerial  = errors.New("there is no such certificate")
	ErrRefused = errors.New("this node was thrown out")
	ErrNewer   = errors.New("it was written by a newer version of this program")
	ErrDamaged = errors.New("the authority's data are damaged")
)

const format = 1

// maxState bounds what is read: enough for a hundred thousand certificates.
const maxState = 64 << 20

// Issued is a certificate that was given out.
type Issued struct {
	Serial  uint64     `json:"serial"`
	Node    id.ID      `json:"node"`
	Key     string     `json:"key"` // the node's public key
	Pos     geom.Point `json:"pos"`
	From    time.Time  `json:"from"`
	Until   time.Time  `json:"until"`
	Note    string     `json:"note,omitempty"`
	Revoked *time.Time `json:"revoked,omitempty"`
}

type state struct {
	Format      int              `json:"format"`
	World       id.ID            `json:"world"`
	Genesis     identity.Genesis `json:"genesis"`
	Revocations uint64           `json:"revocations"` // version of the newest list
	Changed     time.Time        `json:"changed"`     // when that was issued
	Issued      []Issued         `json:"issued"`
}

// Authority is an authority that is open. Others wait until it is closed.
type Authority struct {
	dir   string
	key   keyring.Key
	state state
	gate  *identity.Gate
	lock  io.Closer
}

// Folder is where an authority is kept in a data folder. The name must be one
// of a world.
func Folder(data, name string) string { return filepath.Join(data, "authorities", name) }

// Init makes an authority with a key of its own, and so the genesis of the
// world that it will admit nodes to, with r zones.
func Init(dir string, zones int, now time.Time) (*Authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("authority: %w", err)
	}
	private, err := identity.Solve(rand.Reader, 0, nil)
	if err != nil {
		return nil, err
	}
	key := keyring.Key{Kind: keyring.Authority, Name: filepath.Base(dir), Made: now.UTC().Truncate(time.Second), Private: private}
	g := identity.Genesis{Authority: [32]byte(key.Public()), Zones: uint8(min(max(zones, 0), 255))}
	rand.Read(g.Salt[:])
	if err := g.Check(); err != nil {
		return nil, err
	}
	if err := keyring.Write(filepath.Join(dir, "authority.key"), key); errors.Is(err, keyring.ErrExists) {
		return nil, fmt.Errorf("%w: %s", ErrExists, dir)
	} else if err != nil {
		return nil, err
	}
	a := &Authority{dir: dir, key: key, state: state{Format: format, World: g.World(), Genesis: g, Issued: []Issued{}}}
	if err := a.save(); err != nil {
		return nil, err
	}
	return Open(dir)
}

// Open opens an authority. The caller must Close it.
func Open(dir string) (*Authority, error) {
	a := &Authority{dir: dir}
	if _, err := os.Stat(filepath.Join(dir, "authority.json")); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s (\"voxelpopuli authority init\" makes one)", ErrNone, dir)
	}
	var err error
	if a.lock, err = vfs.Default.Lock(filepath.Join(dir, "lock")); err != nil {
		return nil, fmt.Errorf("authority: %w: another process works on %s (%w)", disk.ErrInUse, dir, err)
	}
	if err := a.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("authority %s: %w", dir, err), a.lock.Close())
	}
	return a, nil
}

func (a *Authority) load() error {
	b, err := files.ReadSmall(filepath.Join(a.dir, "authority.json"), maxState)
	if err != nil {
		return err
	}
	err = json.Unmarshal(b, &a.state)
	switch {
	case a.state.Format > format:
		return fmt.Errorf("%w: it has format %d, this program knows %d", ErrNewer, a.state.Format, format)
	case err != nil:
		return fmt.Errorf("authority.json: %w: %w. Put a copy of the folder in its place", ErrDamaged, err)
	}
	if a.gate, err = identity.NewGate(a.state.Genesis); err != nil {
		return fmt.Errorf("authority.json: %w: %w", ErrDamaged, err)
	}
	if a.key, err = keyring.Read(filepath.Join(a.dir, "authority.key")); err != nil {
		return err
	}
	if [32]byte(a.key.Public()) != a.state.Genesis.Authority || a.state.World != a.gate.World() {
		return fmt.Errorf("authority.json: %w: the key and the genesis do not belong together", ErrDamaged)
	}
	return nil
}

// Close lets others open the authority.
func (a *Authority) Close() error { return a.lock.Close() }

// Genesis is that of the world that the authority admits nodes to.
func (a *Authority) Genesis() identity.Genesis { return a.state.Genesis }

// World is the id of that world.
func (a *Authority) World() id.ID { return a.state.World }

// Issued are all certificates, in order.
func (a *Authority) Issued() []Issued { return a.state.Issued }

func (a *Authority) save() error {
	b, err := json.MarshalIndent(&a.state, "", "  ")
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(a.dir, "authority.json"), append(b, '\n'), 0o600)
}

// Issue gives a node a certificate.
func (a *Authority) Issue(node ed25519.PublicKey, note string, from, until time.Time) (*identity.Certificate, error) {
	if err := identity.CheckKey(node); err != nil {
		return nil, err
	}
	if !until.After(from) {
		return nil, fmt.Errorf("a certificate from %s until %s", from, until)
	}
	i := Issued{
		Serial: uint64(len(a.state.Issued)) + 1, Node: id.Of(node), Key: fmt.Sprintf("%x", []byte(node)),
		From: from.UTC().Truncate(time.Second), Until: until.UTC().Truncate(time.Second), Note: note,
	}
	known := false
	for _, old := range a.state.Issued {
		switch {
		case old.Node != i.Node:
		case old.Revoked != nil:
			return nil, fmt.Errorf("%w: number %d of %s was revoked at %s", ErrRefused, old.Serial, old.Node, old.Revoked.Format(time.DateOnly))
		default:
			known, i.Pos = true, old.Pos
		}
	}
	if !known {
		i.Pos = a.place(rand.Read)
	}
	a.state.Issued = append(a.state.Issued, i)
	if err := a.save(); err != nil {
		a.state.Issued = a.state.Issued[:len(a.state.Issued)-1]
		return nil, err
	}
	return a.certificate(i, [32]byte(node)), nil
}

func (a *Authority) certificate(i Issued, key [32]byte) *identity.Certificate {
	c := &identity.Certificate{
		World: a.state.World, Key: key, Pos: i.Pos, Serial: i.Serial,
		From: machine.Time(i.From.UnixNano()), Until: machine.Time(i.Until.UnixNano()),
	}
	c.Sign(a.key.Private)
	return c
}

// place draws a place: evenly in all zones' sub-areas (thesis 4.5.4), not very
// near to another node's. As long as there are zones without a node it is one of
// these: a storage agrees on nothing while half of its zones are empty, and with a
// few nodes and chance alone that is likely.
func (a *Authority) place(random func([]byte) (int, error)) geom.Point {
	s := overlay.SpaceFor(int(a.state.Genesis.Zones))
	apart := int64(s.SubSide()) / 4096
	zones := a.empty(s)
	if len(zones) == 0 {
		for z := range s.Zones() {
			zones = append(zones, z)
		}
	}
	for {
		var b [24]byte
		_, _ = random(b[:]) // crypto/rand never fails
		// 64 bits for a number below a million: no remainder is preferred.
		draw := func(i int, n int32) int32 { return int32(binary.BigEndian.Uint64(b[i:]) % uint64(n)) }
		p := s.SubArea(zones[draw(0, int32(len(zones)))]).Min
		p.X += draw(8, s.SubSide())
		p.Y += draw(16, s.SubSide())
		if !slices.ContainsFunc(a.state.Issued, func(i Issued) bool { return i.Pos.Dist2(p) < apart*apart }) {
			return p
		}
	}
}

// empty are the zones in which nobody has a place.
func (a *Authority) empty(s overlay.Space) (zones []int) {
	for z := range s.Zones() {
		if !slices.ContainsFunc(a.state.Issued, func(i Issued) bool { return i.Revoked == nil && s.Zone(i.Pos) == z }) {
			zones = append(zones, z)
		}
	}
	return zones
}

// ValidOf are the numbers of a node's certificates that are not revoked.
func (a *Authority) ValidOf(node id.ID) (serials []uint64) {
	for _, i := range a.state.Issued {
		if i.Node == node && i.Revoked == nil {
			serials = append(serials, i.Serial)
		}
	}
	return serials
}

// Revoke takes certificates back and returns the new list. A node keeps no other
// certificate: all that it has go with the one that is named.
func (a *Authority) Revoke(now time.Time, serials ...uint64) (*identity.Revocations, error) {
	before := slices.Clone(a.state.Issued)
	now = now.UTC().Truncate(time.Second)
	for _, s := range serials {
		if s < 1 || s > uint64(len(before)) {
			return nil, fmt.Errorf("%w: number %d (%d were issued)", ErrSerial, s, len(before))
		}
		for i := range a.state.Issued {
			c := &a.state.Issued[i]
			if c.Node == before[s-1].Node && c.Revoked == nil {
				c.Revoked = &now
			}
		}
	}
	a.state.Revocations++
	a.state.Changed = now
	if err := a.save(); err != nil {
		a.state.Issued = before
		a.state.Revocations--
		return nil, err
	}
	return a.Revocations()
}

// Revocations is the newest list. It leaves out what has expired by then.
func (a *Authority) Revocations() (*identity.Revocations, error) {
	r := &identity.Revocations{World: a.state.World, Version: a.state.Revocations, Issued: machine.Time(a.state.Changed.UnixNano())}
	if r.Version == 0 {
		r.Issued = 0 // nothing was revoked yet
	}
	for _, i := range a.state.Issued {
		if i.Revoked != nil && i.Until.Add(2*identity.Slack).After(a.state.Changed) {
			r.Serials = append(r.Serials, i.Serial)
		}
	}
	return r, r.Sign(a.key.Private)
}
