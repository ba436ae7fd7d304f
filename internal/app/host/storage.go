package host

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/evidence"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// Storage is the replicated storage that a founder gives to a world with an
// authority.
type Storage struct {
	After   time.Duration // when it begins, after the world is first shared
	LMax    time.Duration // the longest that a message takes; 0: 2 s
	Regions int32         // the world is so many regions a side, around the origin; even
}

func (t *Storage) rules() worldfs.Storage {
	lmax := t.LMax
	if lmax == 0 {
		lmax = storage.DefaultLMax
	}
	return worldfs.Storage{Regions: t.Regions, LMax: lmax.Milliseconds(), After: int64(t.After / time.Second)}
}

// check says what is wrong with the settings.
func (t *Storage) check(g identity.Genesis) error {
	made := genesisStorage(t.rules(), 1)
	switch err := made.Check(); {
	case !g.Verified():
		return fmt.Errorf("%w: only a world with an authority has a storage", ErrUsage)
	case t.After < 0 || t.After > 30*24*time.Hour:
		return fmt.Errorf("%w: a storage that begins after %v: want at most 30 days", ErrUsage, t.After)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUsage, err)
	}
	return nil
}

// genesisStorage is what the record says of a world that is shared now.
func genesisStorage(s worldfs.Storage, now machine.Time) genesis.Truth {
	return genesis.Truth{
		Begin: now.Add(time.Duration(s.After) * time.Second), LMax: time.Duration(s.LMax) * time.Millisecond, Regions: s.Regions,
	}
}

// prepared is how many columns of terrain around the origin a node makes before
// it starts: 8×8 regions.
const prepared = 1 << 10

// stored reports whether the world has a storage.
func (h *Host) stored() bool { return h.peers != nil && h.peers.record.Truth != (genesis.Truth{}) }

// secret makes the numbers of a node's retrievals, which nobody else can tell.
func secret(key ed25519.PrivateKey) []byte {
	sum := sha256.Sum256(append([]byte("voxelpopuli retrievals 1\n"), key.Seed()...))
	return sum[:]
}

// storage is the node's part of the storage; nil: there is none, or it has no
// place in it.
func (h *Host) storage() *verifiedworld.StorageConfig {
	p := h.peers
	t := p.record.Truth
	if t == (genesis.Truth{}) || p.certificate == nil {
		return nil
	}
	rules := evidence.Rules(p.record)
	rules.Prepare(prepared)
	protocol := storage.ProtocolHardened
	if h.cfg.Faults.Protocol != nil {
		protocol = *h.cfg.Faults.Protocol
	}
	return &verifiedworld.StorageConfig{
		Rules: rules, Protocol: protocol, Begin: t.Begin, LMax: t.LMax, Secret: secret(p.key),
		Played: rules, SignAction: func(a *state.Action) { voxelrules.SignAction(p.record.World(), p.key, a) },
		Sign:   func(a *verifiedworld.Answer) error { return p.ground.Sign(a, p.key) },
		Signed: p.ground.Signed,
		Encode: func(m *messages.Push) ([]byte, error) { return p.ground.Codec().Append(nil, m) },
		Decode: p.ground.Kept,
		SignReceipt: func(r *messages.Receipt) {
			if err := p.ground.SignReceipt(r, p.certificate, p.key); err != nil {
				h.cfg.Log.Warn("A receipt cannot be signed.", "error", err)
			}
		},
		CheckReceipt: p.ground.SignedReceipt,
		SignBatch: func(b *state.Batch) []byte {
			signature, err := p.ground.SignBatch(b, p.key)
			if err != nil {
				h.cfg.Log.Warn("What was done cannot be signed.", "error", err)
			}
			return signature
		},
		CheckBatch: p.ground.SignedBatch, Report: func(c *verifiedworld.Contradiction) { h.evidence.take(c) }, Behaviour: h.cfg.Faults.Storage, Probe: h.cfg.Faults.Probe, Came: h.cfg.Faults.Came,
	}
}

// WithStorage calls f with the node's part of the storage, like one of its
// handlers.
func (h *Host) WithStorage(ctx context.Context, f func(*storage.Node)) error {
	has := false
	err := h.loop.Call(ctx, func() { has = h.node.WithStorage(f) })
	if err == nil && !has {
		err = errors.New("this node has no part of a storage")
	}
	return err
}

// WithArea calls f with the area of a region that this node leads, between two of the
// node's handlers: experiments let a host lie with it.
func (h *Host) WithArea(ctx context.Context, pos world.RegionPos, f func(*regionlog.Area)) error {
	leads := false
	err := h.loop.Call(ctx, func() { leads = h.node.WithArea(pos, f) })
	if err == nil && !leads {
		err = fmt.Errorf("this node does not lead %v", pos)
	}
	return err
}
