package host

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// How a world begins: the node of the machine that makes it is its founder and
// signs the record of its beginning, of which the id of an open world is a hash.
// So a world has its id for good, whether others come to host it or not. The id
// of a verified world does not depend on the record, which is made when the world
// is opened first: its storage begins then.

// createGenesis makes this machine the founder of a new world.
func createGenesis(folder *worldfs.Folder, m *worldfs.Meta, searching Searching) error {
	if m.Genesis == (identity.Genesis{}) {
		m.Genesis = worldfs.OpenGenesis(identity.DefaultDifficulty)
	}
	m.ID = m.Genesis.World()
	if m.Epoch.IsZero() {
		m.Created = time.Now().UTC().Truncate(time.Second)
		m.Epoch = m.Created
	}
	key, err := nodeKey(folder, int(m.Genesis.Difficulty), searching)
	if err != nil {
		return err
	}
	m.Signed, m.SignedTime = true, true
	return signGenesis(m, key, m.EpochTime())
}

// Searching hears how the search for a node's key goes, whose id must solve a puzzle
// of so many bits: it takes seconds. What it returns is asked now and then whether to
// go on.
type Searching func(difficulty int) func(tried uint64) bool

// nodeKey is this machine's, which is made if there is none.
func nodeKey(folder *worldfs.Folder, difficulty int, searching Searching) (ed25519.PrivateKey, error) {
	ring, err := keyring.Open(folder.Dir())
	if err != nil {
		return nil, err
	}
	var more func(uint64) bool
	if searching != nil {
		more = searching(difficulty)
	}
	k, err := ring.Node(difficulty, more)
	return k.Private, err
}

// signGenesis writes and signs how a world begins. An open world gets the id that goes
// with it. A storage begins now.
func signGenesis(m *worldfs.Meta, key ed25519.PrivateKey, now machine.Time) error {
	r := &genesis.Record{
		Name: m.Name, Seed: m.Seed, Mode: modeNumber(m.Mode), Epoch: m.EpochTime(), Spawn: m.Spawn,
		Protect: m.Rules.Protect, Whitelist: m.Rules.Whitelist, Peaceful: m.Rules.Peaceful, Drops: m.Rules.Drops, MaxPlayers: int32(m.Rules.MaxPlayers),
		Nonce: m.ID, Genesis: m.Genesis, Hosting: genesis.Hostings[m.Rules.Hosting],
	}
	if s := m.Rules.Storage; s != (worldfs.Storage{}) {
		r.Truth = genesisStorage(s, now)
	}
	if err := signPacks(m, r, key); err != nil {
		return fmt.Errorf("the world's content packs: %w", err)
	}
	if err := r.Check(); err != nil {
		return err
	}
	m.ID, m.Genesis, m.Record = r.World(), r.Genesis, hex.EncodeToString(r.Append(nil))
	return nil
}

// ImportWorld makes a new world from an export or a backup. An open one has an
// id and a founder of its own: the one that it was exported from goes on without
// it, perhaps on other machines. Of a verified world the authority says who may
// take part, and that does not change.
//
// Whoever made the file says in it who the operators are. They are not the new
// world's unless it is asked for: its operator is the first who comes in from this
// machine, as in any new world.
func ImportWorld(folder *worldfs.Folder, file string, o Import) (out Imported, err error) {
	var signed []*decision.Statement
	var former *genesis.Record
	change := func(space string, key, value []byte) []byte {
		if s, err := decision.Decode(value); err == nil && space == decision.Space {
			signed = append(signed, s)
		}
		if space != lobby.Space {
			return value
		}
		rest, name, was := lobby.WithoutRole(key, value)
		if !was {
			return value
		}
		out.Operators = append(out.Operators, name)
		if o.KeepOperators {
			return value
		}
		return rest
	}
	out.Summary, err = folder.Import(file, worldfs.ImportOptions{Name: o.Name, MaxSize: o.MaxSize, Change: change, Begin: func(m *worldfs.Meta) error {
		if m.Genesis.Verified() {
			return nil // it stays the world that its decisions are for
		}
		record := m.Record
		former, _ = genesis.DecodeText(record) // none: it had no signed decisions either
		if m.Genesis != (identity.Genesis{}) {
			m.Genesis = worldfs.OpenGenesis(int(m.Genesis.Difficulty))
		}
		if m.Rules.Hosting == "" { // of a world that any node could host: this is another one
			m.Rules.Hosting = hostingInvited
		}
		if err := checkHosting(m); err != nil {
			return err
		}
		if err := createGenesis(folder, m, nil); err != nil {
			return fmt.Errorf("the new world: %w", err)
		}
		m.Signed, m.Former, m.FormerOperators = false, "", o.KeepOperators
		if former != nil {
			m.Former = record
		}
		return nil
	}})
	if err == nil && former != nil {
		log := formerLog(former, signed, time.Now())
		for _, who := range log.Operators() {
			out.Operators = append(out.Operators, log.NameOf(who))
		}
	}
	return out, err
}

// Import says how a world is made from a file.
type Import struct {
	Name          string // empty: that which it had
	MaxSize       int64  // in bytes; 0: worldfs says
	KeepOperators bool   // those of the file stay operators
}

// Imported is a world that was made from a file.
type Imported struct {
	worldfs.Summary
	Operators []string // of the file, by name
}

// hostingName is the name of a kind of hosting; empty: the founder chose none.
func hostingName(of genesis.Hosting) string {
	for name, h := range genesis.Hostings {
		if h == of {
			return name
		}
	}
	return ""
}
