package host

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/packlist"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/packfolder"
)

// The content packs of a world (docs/packs.md): the founder signs their list, which is in
// meta.json; the packs are in the data folder. A node takes its tables from them when it
// starts, and does not start without exactly these.

// PackList is the list of a world's content packs; nil: it has the base pack alone.
func PackList(m *worldfs.Meta) (*packlist.List, error) {
	l, err := m.PackList()
	if l != nil && m.Record != "" {
		var r *genesis.Record
		if r, err = genesis.DecodeText(m.Record); err == nil {
			l, err = packlist.Decode(l.Append(nil), r.World(), r.Founder)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the packs of %s: %w: %w", m.Name, disk.ErrDamaged, err)
	}
	return l, nil
}

// UsePacks makes the packs of a world the tables of this process. It comes before anything of
// the world is decoded.
func UsePacks(folder *worldfs.Folder, m *worldfs.Meta) (*pack.Content, *packlist.List, error) {
	l, err := PackList(m)
	if err != nil {
		return nil, nil, err
	}
	c, err := packfolder.In(folder.Dir()).Use(l)
	switch {
	case errors.Is(err, packfolder.ErrMissing), errors.Is(err, packfolder.ErrDamaged):
		return nil, nil, fmt.Errorf("%s is not hosted here without all of its content packs: %w. Give it the pack again: \"voxelpopuli world packs %s --restore FILE\" with the founder's pack, or join the world anew at a node that has it (--join)", m.Name, err, m.Name)
	case err != nil:
		return nil, nil, fmt.Errorf("%s is not hosted: %w", m.Name, err)
	}
	return c, l, nil
}

// newPacks readies the packs of a new world: the list is signed with the record.
func newPacks(folder *worldfs.Folder, m *worldfs.Meta, packs []pack.Files) error {
	if len(packs) == 0 {
		return nil
	}
	l, err := (*packlist.List)(nil).Next(nil, packs)
	if err != nil {
		return err
	}
	m.Packs = hex.EncodeToString(l.Append(nil))
	return keepPacks(folder, packs)
}

func keepPacks(folder *worldfs.Folder, packs []pack.Files) error {
	for _, p := range packs {
		if _, err := packfolder.In(folder.Dir()).Put(p); err != nil {
			return err
		}
	}
	return nil
}

// signPacks signs the list of packs that a world begins with; sign makes the record with
// its digest.
func signPacks(m *worldfs.Meta, r *genesis.Record, key ed25519.PrivateKey) error {
	if m.Packs == "" {
		r.Sign(key)
		return nil
	}
	l, err := m.PackList()
	if err != nil {
		return err
	}
	l.Version = 1 // of this world
	r.Packs = l.Digest()
	r.Sign(key)
	l.Sign(r.World(), key)
	m.Packs = hex.EncodeToString(l.Append(nil))
	return nil
}

// ChangePacks gives a world that nobody runs other packs: one with the name of a pack that it
// has takes that one's place, others are added. Only its founder's machine can.
func ChangePacks(folder *worldfs.Folder, name string, add []pack.Files) (*packlist.List, error) {
	w, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	had, err := PackList(&w.Meta)
	if err != nil {
		return nil, err
	}
	old, err := packfolder.In(folder.Dir()).All(had)
	if err != nil {
		return nil, err
	}
	packs := slices.Clone(old)
	for _, p := range add {
		if i := slices.IndexFunc(packs, func(q pack.Files) bool { return q.Name() == p.Name() }); i >= 0 {
			packs[i] = p
		} else {
			packs = append(packs, p)
		}
	}
	next, err := had.Next(old, packs)
	if err != nil {
		return nil, err
	}
	if w.Record != "" {
		r, err := genesis.DecodeText(w.Record)
		if err != nil {
			return nil, fmt.Errorf("the record of how %s began: %w", w.Name, err)
		}
		key, err := nodeKey(folder, int(w.Genesis.Difficulty), nil)
		if err != nil {
			return nil, err
		}
		if [32]byte(key.Public().(ed25519.PublicKey)) != r.Founder {
			return nil, fmt.Errorf("%w: another machine is the founder of %s: its packs are changed there", ErrUsage, w.Name)
		}
		next.Sign(r.World(), key)
	}
	if err := keepPacks(folder, packs); err != nil {
		return nil, err
	}
	w.Packs = hex.EncodeToString(next.Append(nil))
	return next, w.Save()
}
