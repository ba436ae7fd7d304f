package host

import (
	"context"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/game/foreign"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/foreignworld"
)

// ImportForeign makes a world of one of another program. Either all of it is there
// afterwards, or nothing.
func ImportForeign(ctx context.Context, folder *worldfs.Folder, path string, n NewWorld, offset int, progress func(done, of int)) (m worldfs.Meta, r foreignworld.Result, err error) {
	src, err := foreignworld.Open(path, offset)
	if err != nil {
		return m, r, err
	}
	if n.Name == "" {
		n.Name = src.Name
	}
	n.Spawn = src.Spawn
	if n.Mode = Modes[0]; src.Creative {
		n.Mode = Modes[1]
	}
	if m, err = n.meta(folder); err != nil {
		return m, r, err
	}
	o := foreignworld.Options{Terrain: terrain.New(m.SeedNumber()), Progress: progress}
	err = folder.Fill(m, func(put func(space string, key, value []byte) error) (err error) {
		r, err = src.Import(ctx, o, put)
		return err
	})
	return m, r, err
}

// ImportSchematic puts a schematic into a world that is not open; ExportSchematic makes one.
func ImportSchematic(folder *worldfs.Folder, name, file string, at world.Pos) (rep foreign.Report, changed int, err error) {
	err = onClosed(folder, name, func(w *worldfs.World, g *terrain.Generator) error {
		if s, err := w.Share(); err != nil || s.Shared {
			return fmt.Errorf("%s: several nodes host this world, and the others would not know of what is put in here: %w", name, errOrUsage(err))
		}
		rep, changed, err = foreignworld.Import(w.Store, g, at, file)
		return err
	})
	return rep, changed, err
}

func errOrUsage(err error) error {
	if err == nil {
		return ErrUsage
	}
	return err
}

// ExportSchematic writes the blocks of a box of a world that is not open.
func ExportSchematic(folder *worldfs.Folder, name, file string, box world.Zone, version int) (rep foreign.Report, err error) {
	if err := foreignworld.CheckBox(box); err != nil {
		return rep, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	err = onClosed(folder, name, func(w *worldfs.World, g *terrain.Generator) error {
		rep, err = foreignworld.Export(w.Store, g, box, version, file)
		return err
	})
	return rep, err
}

// onClosed does something with a world that nobody runs.
func onClosed(folder *worldfs.Folder, name string, do func(*worldfs.World, *terrain.Generator) error) error {
	w, err := folder.Open(name)
	if err != nil {
		return err
	}
	err = do(w, terrain.New(w.SeedNumber()))
	if e := w.Close(); err == nil {
		err = e
	}
	return err
}
