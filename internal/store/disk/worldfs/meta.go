// Package worldfs keeps the worlds of a data folder: it makes, lists, opens,
// exports, imports, backs up and deletes them. The layout is in
// docs/architecture.md "Where things are written", the file of an export in
// docs/formats/export.md.
//
// Invariants:
//   - nothing is written outside the data folder, whatever a world is called
//     and whatever an imported file says;
//   - an import appears as a whole or not at all, after all of it was checked;
//   - a backup or export is one moment of the world, also while it is played.
package worldfs

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// Errors that a person may meet; those of package disk come through as well.
var (
	ErrName   = errors.New("this is no name for a world")
	ErrExists = errors.New("there is a world of this name already")
	ErrNone   = errors.New("there is no such world")
	ErrNewer  = errors.New("it was written by a newer version of this program")
	ErrFile   = errors.New("this file is no world export, or it is damaged")
	ErrSize   = errors.New("the world in this file is too large")
	ErrTaken  = errors.New("there is a file of this name already (--force replaces it)")
)

// metaFormat is the format of meta.json that this program writes.
const metaFormat = 1

// Meta is what meta.json says of a world.
type Meta struct {
	Format int   `json:"format"`
	ID     id.ID `json:"id"`
	// Genesis says who may take part as a node; the ID is its hash. Zero in
	// worlds that were made before there was any: anybody may.
	Genesis identity.Genesis `json:"genesis,omitzero"`
	Name    string           `json:"name"`
	Seed    string           `json:"seed"` // as a person typed it
	Mode    string           `json:"mode"` // of newcomers: "survival" or "creative"
	Created time.Time        `json:"created"`
	Epoch   time.Time        `json:"epoch"` // when tick 0 was
	Spawn   world.Pos        `json:"spawn"` // the block that new players stand in
	Rules   Rules            `json:"rules"`
	// Record is how the world begins, as its founder has signed it (package
	// genesis), in hexadecimal digits; none in a world that never had other nodes.
	Record string `json:"record,omitempty"`
	// Packs is the signed list of the world's content packs (package packlist), in
	// hexadecimal digits; empty: the base pack alone.
	Packs string `json:"packs,omitempty"`
	// RepairedFrom is the damaged world that this one was saved from, which stays
	// beside it.
	RepairedFrom string `json:"repairedFrom,omitempty"`
	// Signed says that the world has had signed decisions from its beginning, or
	// that the founder's machine has signed what there was before.
	Signed bool `json:"signed,omitempty"`
	// SignedTime: the time of day is a signed decision as well; it became one later.
	SignedTime bool `json:"signedTime,omitempty"`
	// Former is the record of the world that this one was imported from, until this
	// machine has signed that one's bans and whitelist for this one; FormerOperators:
	// its operators as well.
	Former          string `json:"former,omitempty"`
	FormerOperators bool   `json:"formerOperators,omitempty"`
}

// Rules are what its founder may set for a world.
type Rules struct {
	Protect    int32 `json:"protect,omitempty"`    // blocks around the spawn that only operators change
	Whitelist  bool  `json:"whitelist,omitempty"`  // only who is on the list may enter
	Peaceful   bool  `json:"peaceful,omitempty"`   // no monsters come, and nobody gets hungry
	Drops      bool  `json:"drops,omitempty"`      // who dies leaves what it carried where it died
	MaxPlayers int   `json:"maxPlayers,omitempty"` // 0: as many as there is room for
	// Hosting is "invited" or "open", which nodes may host the world; empty in one
	// with an authority, and in one that was made before there were invitations.
	Hosting string `json:"hosting,omitempty"`

	Storage Storage `json:"storage,omitzero"` // zero: the world has none
}

// Storage is the replicated storage that a world with an authority is to have,
// until the record says so.
type Storage struct {
	Regions int32 `json:"regions"` // a side
	LMax    int64 `json:"lMax"`    // ms: the longest that a message takes
	After   int64 `json:"after"`   // s: when it begins, after the world is first shared
}

// SeedNumber is the seed as the generator takes it: the number itself if the
// seed is one, a hash of the text otherwise.
func (m *Meta) SeedNumber() uint64 { return SeedNumber(m.Seed) }

// SeedNumber turns a seed that a person typed into the generator's.
func SeedNumber(seed string) uint64 {
	if n, err := strconv.ParseUint(seed, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseInt(seed, 10, 64); err == nil {
		return uint64(n)
	}
	h := rng.Hash(uint64(len(seed)))
	for _, b := range []byte(seed) {
		h = rng.Hash(h, uint64(b))
	}
	return h
}

// OpenGenesis is what an open world begins with, whose nodes' ids must solve a
// puzzle.
func OpenGenesis(difficulty int) identity.Genesis {
	g := identity.Genesis{Difficulty: uint8(difficulty)}
	rand.Read(g.Salt[:])
	return g
}

// EpochTime is the epoch as machines count time.
func (m *Meta) EpochTime() machine.Time { return machine.Time(m.Epoch.UnixNano()) }

// validate refuses what a meta.json from elsewhere must not say.
func (m *Meta) validate() error {
	if m.Format > metaFormat {
		return fmt.Errorf("%w: it has format %d, this program knows up to %d", ErrNewer, m.Format, metaFormat)
	}
	if err := CheckName(m.Name); err != nil {
		return err
	}
	switch {
	case m.Format < 1:
		return fmt.Errorf("it has no format")
	case m.ID.IsZero():
		return fmt.Errorf("it has no id")
	case m.Genesis.Check() != nil:
		return m.Genesis.Check()
	case m.Genesis != identity.Genesis{} && m.Genesis.World() != m.ID:
		return fmt.Errorf("its id is not that of its genesis")
	case m.Mode != "survival" && m.Mode != "creative":
		return fmt.Errorf("its mode is %q, which is neither survival nor creative", m.Mode)
	case m.Epoch.IsZero():
		return fmt.Errorf("it has no epoch")
	case !m.Spawn.InWorld():
		return fmt.Errorf("its spawn %v is outside the world", m.Spawn)
	case m.RepairedFrom != "" && CheckName(m.RepairedFrom) != nil:
		return fmt.Errorf("it says that it was repaired from %.50q", m.RepairedFrom)
	case m.Rules.Protect < 0 || m.Rules.MaxPlayers < 0:
		return fmt.Errorf("its rules have negative numbers")
	case len(m.Seed) > 100 || !utf8.ValidString(m.Seed):
		return fmt.Errorf("its seed is no text of up to 100 bytes")
	}
	return nil
}

// CheckName says what is wrong with a name for a world: it is a folder's name
// on every system as well.
func CheckName(name string) error {
	if n := utf8.RuneCountInString(name); n < 1 || n > 40 || !utf8.ValidString(name) {
		return fmt.Errorf("%w: %q: 1 to 40 characters", ErrName, name)
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" -_.", r) {
			return fmt.Errorf("%w: %q: only letters, digits, spaces, dots, dashes and underscores", ErrName, name)
		}
	}
	if strings.TrimSpace(name) != name || name[0] == '.' || name[len(name)-1] == '.' {
		return fmt.Errorf("%w: %q: no space or dot at the ends", ErrName, name)
	}
	if stem, _, _ := strings.Cut(strings.ToUpper(name), "."); windowsDevices[stem] {
		return fmt.Errorf("%w: %q is a device on Windows", ErrName, name)
	}
	return nil
}

var windowsDevices = func() map[string]bool {
	m := map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true}
	for i := range 10 {
		m[fmt.Sprint("COM", i)], m[fmt.Sprint("LPT", i)] = true, true
	}
	return m
}()

func readMeta(dir string) (Meta, error) {
	name := filepath.Join(dir, "meta.json")
	b, err := files.ReadSmall(name, maxMeta)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Meta{}, fmt.Errorf("%w: %s is missing", disk.ErrDamaged, name)
	case errors.Is(err, files.ErrKind):
		return Meta{}, fmt.Errorf("%w: %w", disk.ErrDamaged, err)
	case err != nil:
		return Meta{}, err
	}
	m, err := decodeMeta(b)
	if err != nil && !errors.Is(err, ErrNewer) {
		err = fmt.Errorf("%w: %v", disk.ErrDamaged, err) // not as if a person had typed it
	}
	if err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// decodeMeta reads what meta.json, or an export's, says.
func decodeMeta(b []byte) (m Meta, err error) {
	if err := json.Unmarshal(b, &m); err != nil {
		return Meta{}, err
	}
	return m, m.validate()
}

// writeMeta replaces meta.json: a new file is synced, then renamed.
func writeMeta(dir string, m *Meta) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(dir, "meta.json"), append(b, '\n'), 0o600)
}

// Begin gives a world that had none a record of how it begins, and the id that
// goes with it.
func (w *World) Begin(m Meta) error {
	if err := m.validate(); err != nil {
		return err
	}
	if err := writeMeta(w.Dir, &m); err != nil {
		return err
	}
	w.Meta = m
	return nil
}
