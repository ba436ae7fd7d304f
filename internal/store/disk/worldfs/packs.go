package worldfs

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/packlist"
	"github.com/voxelpopuli/voxelpopuli/internal/store/packfolder"
)

// An export has the content packs of its world, so that it can be played where nobody has
// them. Whoever made the file chooses them; the list that the founder has signed names their
// hashes, and no other pack is taken.

// PackList is the world's list of content packs, whoever has signed it; nil: the base pack
// alone.
func (m *Meta) PackList() (*packlist.List, error) {
	if m.Packs == "" {
		return nil, nil
	}
	b, err := hex.DecodeString(m.Packs)
	if err != nil {
		return nil, fmt.Errorf("the list of content packs: %w", err)
	}
	return packlist.Parse(b)
}

// packs writes those that this machine has; a host that has none of a pack does not host,
// but what it keeps of the world can be saved.
func (e *exporter) packs(w *World) error {
	l, err := w.PackList()
	if l == nil {
		return err
	}
	folder := packfolder.In(filepath.Dir(filepath.Dir(w.Dir)))
	for _, h := range l.Packs {
		zip, err := folder.Zip(h)
		if errors.Is(err, packfolder.ErrMissing) {
			continue
		}
		if err == nil {
			_, err = packfolder.Read(zip, h)
		}
		if err == nil {
			err = e.record(recPack, zip)
		}
		if err != nil {
			return fmt.Errorf("a content pack of %s: %w", w.Name, err)
		}
	}
	return nil
}

// readPack reads a pack of the world's list, which comes once, and gives its zip file to fn.
func (x *exportReader) readPack(fn func(h packlist.Hash, zip []byte) error) error {
	zip, err := x.bytes(nil, packfolder.MaxZip)
	if err != nil {
		return err
	}
	p, err := pack.FromZip(zip)
	if err != nil {
		return err
	}
	l, err := x.out.Meta.PackList()
	if err != nil {
		return err
	}
	h := p.Hash()
	if l == nil || !slices.Contains(l.Packs, h) || slices.Contains(x.packs, h) {
		return fmt.Errorf("a content pack that the world's list does not name, or that has come before: %x", h)
	}
	x.packs = append(x.packs, h)
	x.out.Packs++
	return fn(h, zip)
}
