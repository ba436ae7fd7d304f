package host

import (
	"crypto/ed25519"

	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
)

// Roles come from signed decisions. The root of a shared world is the founder's
// node. A world that this machine hosts alone has this machine's node as its root
// whoever founded it: its owner can write to its disk anyway, and nobody else has
// to believe it.

// roles are the root of the world's decisions and the signature of this machine,
// if it is the root.
func (h *Host) roles() (log *decision.Log, sign func(*decision.Statement), err error) {
	m := &h.world.Meta
	var key ed25519.PrivateKey
	var root [32]byte
	if p := h.peers; p != nil {
		key, root = p.key, p.record.Founder
	} else {
		if key, err = h.beginAlone(); err != nil {
			return nil, nil, err
		}
		root = [32]byte(key.Public().(ed25519.PublicKey))
	}
	log = decision.New(m.ID, root)
	if root == [32]byte(key.Public().(ed25519.PublicKey)) {
		sign = func(s *decision.Statement) { s.Sign(key) }
	}
	return log, sign, (&formerRoles{h.world, h.clock.Now, h.cfg.Log}).migrate(log, sign)
}

// beginAlone is the node key of a machine that hosts a world by itself. A world
// from before there were records gets one, so that its id is final: decisions are
// signed for an id.
func (h *Host) beginAlone() (ed25519.PrivateKey, error) {
	m := &h.world.Meta
	difficulty := int(m.Genesis.Difficulty)
	if m.Genesis == (identity.Genesis{}) {
		difficulty = identity.DefaultDifficulty
	}
	key, err := nodeKey(h.folder, difficulty, h.cfg.Searching)
	if err != nil || m.Record != "" || m.Genesis.Verified() {
		return key, err
	}
	first := *m
	first.Genesis.Difficulty = uint8(difficulty)
	if err := signGenesis(&first, key, h.clock.Now()); err != nil {
		return nil, err
	}
	return key, h.world.Begin(first)
}
