package worldfs

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/game/packlist"
	"github.com/voxelpopuli/voxelpopuli/internal/store/packfolder"
)

// An export has the content packs of its world, so that it can be played where nobody has
// them. Whoever made the file chooses them; the list that the founder has signed names their
// hashes, and no other pack is taken.

// packHashes are the packs that a world's list names.
func (m *Meta) packHashes() ([]packlist.Hash, error) {
	if m.Packs == "" {
		return nil, nil
	}
	b, err := hex.DecodeString(m.Packs)
	if err != nil {
		return nil, fmt.Errorf("the list of content packs: %w", err)
	}
	l, err := packlist.Parse(b)
	if err != nil {
		return nil, err
	}
	return l.Packs, nil
}

// packs writes those that this machine has; a host that has none of a pack does not host,
// but what it keeps of the world can be saved.
func (e *exporter) packs(w *World) error {
	hashes, err := w.packHashes()
	if err != nil {
		return err
	}
	folder := packfolder.In(filepath.Dir(filepath.Dir(w.Dir)))
	for _, h := range hashes {
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
	hashes, err := x.out.Meta.packHashes()
	if err != nil {
		return err
	}
	for i, h := range hashes {
		if slices.Contains(x.packs, h) {
			continue
		}
		if _, err = packfolder.Read(zip, h); err == nil {
			x.packs = append(x.packs, h)
			x.out.Packs++
			return fn(hashes[i], zip)
		}
	}
	return errors.Join(errors.New("a content pack that the world's list does not name"), err)
}
