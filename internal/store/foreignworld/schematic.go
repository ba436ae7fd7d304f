package foreignworld

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/foreign"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// Store is what is read and changed of a world that nobody runs.
type Store interface {
	Read(machine.DiskRead) ([]machine.KV, error)
	Apply(machine.DiskWrite) error
}

// regionsOf are the regions that a box lies in.
func regionsOf(z world.Zone) (out []world.RegionPos) {
	lo, hi := z.Min.Region(), z.Max.Region()
	for x := lo.X; x <= hi.X; x++ {
		for zz := lo.Z; zz <= hi.Z; zz++ {
			out = append(out, world.RegionPos{X: x, Z: zz})
		}
	}
	return out
}

// CheckBox says what is wrong with a box of blocks.
func CheckBox(z world.Zone) error {
	if n := int64(z.Max.X-z.Min.X+1) * int64(z.Max.Y-z.Min.Y+1) * int64(z.Max.Z-z.Min.Z+1); !z.Min.InWorld() || !z.Max.InWorld() || n <= 0 || n > foreign.MaxVolume {
		return fmt.Errorf("the box from %v to %v does not lie in the world, or has more than %d blocks", z.Min, z.Max, foreign.MaxVolume)
	}
	return nil
}

// Export writes the blocks of a box of a world as a schematic.
func Export(s Store, g *terrain.Generator, z world.Zone, version int, file string) (rep foreign.Report, err error) {
	box := clipboard.Of(z)
	for _, pos := range regionsOf(z) {
		kvs, err := s.Read(machine.DiskRead{Space: region.Space(pos)})
		if err != nil {
			return rep, err
		}
		at := blocksOf(kvs, g)
		part := z.Common(pos.Bounds())
		blocks := make([]world.Block, 0, clipboard.Volume(part))
		if err := eachOf(part, at, func(_ world.Pos, b world.Block) { blocks = append(blocks, b) }); err != nil {
			return rep, err
		}
		box.Put(z.Min, part, blocks)
	}
	b, rep, err := foreign.Encode(box, version)
	if err == nil {
		err = files.Write(file, b, 0o600)
	}
	return rep, err
}

// Import puts a schematic into a world, with its lowest north-western corner at a place.
// Nothing is changed where something lies in a container.
func Import(s Store, g *terrain.Generator, at world.Pos, file string) (rep foreign.Report, changed int, err error) {
	b, err := readFile(file)
	if err != nil {
		return rep, 0, err
	}
	box, rep, err := foreign.Decode(b, foreign.MaxVolume)
	if err != nil {
		return rep, 0, fmt.Errorf("%s: %w", file, err)
	}
	z := world.Zone{Min: at, Max: at.Add(int32(box.X-1), int32(box.Y-1), int32(box.Z-1))}
	if err := CheckBox(z); err != nil {
		return rep, 0, err
	}
	for _, pos := range regionsOf(z) {
		n, err := change(s, g, pos, z, box, rep.Signs)
		if changed += n; err != nil {
			return rep, changed, err
		}
	}
	return rep, changed, nil
}

// perRecord is how many changes are in a record, so that none is too large.
const perRecord = 1 << 20

// change puts what of a box lies in a region into its space.
func change(s Store, g *terrain.Generator, pos world.RegionPos, z world.Zone, box *clipboard.Box, signs []foreign.Sign) (changed int, err error) {
	space := region.Space(pos)
	kvs, err := s.Read(machine.DiskRead{Space: space})
	if err != nil {
		return 0, err
	}
	at := blocksOf(kvs, g)
	part := z.Common(pos.Bounds())
	blocks := box.Cut(z.Min, part)
	var changes []world.BlockChange
	err = eachOf(part, at, func(p world.Pos, was world.Block) {
		if b := blocks[0]; b != clipboard.Nothing && b != was && p.Y > 0 {
			changes = append(changes, world.BlockChange{At: p, Was: was, Now: b})
		}
		blocks = blocks[1:]
	})
	texts := textsOf(kvs, pos, z, box, signs)
	var w machine.DiskWrite
	for w.Space = space; err == nil && len(changes) > 0; {
		n := min(len(changes), perRecord)
		var kv machine.KV
		var did int
		kv, did, err = region.StoredChanges(pos, kvs, changes[:n])
		w.Put, kvs, changes, changed = append(w.Put, kv), append(kvs, kv), changes[n:], changed+did
	}
	w.Put = append(w.Put, texts...)
	if err == nil && len(w.Put) > 0 {
		w.Put = append(w.Put, region.StoredHeader())
		err = s.Apply(w)
	}
	return changed, err
}

// textsOf are the records of what is written on a schematic's signs in a region; as many as
// a column may have, and none where something lies or is written already.
func textsOf(kvs []machine.KV, pos world.RegionPos, z world.Zone, box *clipboard.Box, signs []foreign.Sign) (out []machine.KV) {
	there, perColumn := map[string]bool{}, map[world.ColumnPos]int{}
	for _, kv := range kvs {
		there[string(kv.Key)] = true
	}
	for _, s := range signs {
		at := z.Min.Add(int32(s.At.X), int32(s.At.Y), int32(s.At.Z))
		if !z.Holds(at) || at.Region() != pos || !box.Blocks[box.Index(s.At.X, s.At.Y, s.At.Z)].IsSign() || perColumn[at.Column()] == world.MaxTexts/2 {
			continue // half of them, for the column may have others
		}
		kv := region.StoredContainer(&world.Container{At: at, Text: s.Text})
		if !there[string(kv.Key)] {
			perColumn[at.Column()]++
			out = append(out, kv)
		}
	}
	return out
}

// blocksOf reads columns of a region, each once.
func blocksOf(kvs []machine.KV, g *terrain.Generator) func(world.ColumnPos) (*world.Column, error) {
	read := map[world.ColumnPos]*world.Column{}
	return func(pos world.ColumnPos) (*world.Column, error) {
		c, ok := read[pos]
		if ok {
			return c, nil
		}
		c, err := region.Stored(pos, kvs, g.Column)
		read[pos] = c
		return c, err
	}
}

// eachOf visits the blocks of a box in the order of package clipboard.
func eachOf(z world.Zone, column func(world.ColumnPos) (*world.Column, error), do func(world.Pos, world.Block)) error {
	for y := z.Min.Y; y <= z.Max.Y; y++ {
		for zz := z.Min.Z; zz <= z.Max.Z; zz++ {
			for x := z.Min.X; x <= z.Max.X; x++ {
				p := world.Pos{X: x, Y: y, Z: zz}
				c, err := column(p.Column())
				if err != nil {
					return err
				}
				do(p, c.At(int(x&(world.ChunkSize-1)), int(y), int(zz&(world.ChunkSize-1))))
			}
		}
	}
	return nil
}
