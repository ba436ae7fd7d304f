package decision

import (
	"fmt"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Build orders change many blocks at once. The Text is what was typed, with the corners in
// it: "fill x y z x y z block", "replace x y z x y z other block", "copy x y z x y z". What
// is pasted comes with the order and is the lobby's word.
const Build OrderKind = ListHomes + 1

// Shapes of a Build order.
const (
	Fill    = "fill"    // the whole box
	Replace = "replace" // what is With in the box
	Walls   = "walls"   // the sides of the box
	Hollow  = "hollow"  // its sides, floor and ceiling
	Line    = "line"    // from corner to corner
	Copy    = "copy"    // changes nothing: the lobby gets the blocks of the box
	Cut     = "cut"     // the same, and air is left
	Paste   = "paste"   // blocks of the lobby
)

// blocksOf is how many blocks are named with each shape.
var blocksOf = map[string]int{Fill: 1, Replace: 2, Walls: 1, Hollow: 1, Line: 1, Copy: 0, Cut: 0, Paste: 0}

// BlocksOf is how many blocks are named with a shape.
func BlocksOf(shape string) int { return blocksOf[shape] }

// MaxBuild bounds the blocks of an order, whatever the settings say.
const MaxBuild = clipboard.MaxBlocks

// Building is what the Text of a Build order says.
type Building struct {
	Shape    string
	From, To world.Pos
	Block    world.Block
	With     world.Block // Replace: which blocks
}

// Building reads the Text of a Build order.
func (o *Order) Building() (b Building, err error) {
	words := strings.Split(o.Text, " ")
	b, err = ParseBuilding(words)
	if err == nil && o.Kind != Build {
		err = ErrFormat
	}
	return b, err
}

// ParseBuilding reads a shape, two corners, a block, and another one if it replaces.
func ParseBuilding(words []string) (b Building, err error) {
	if n, ok := blocksOf[words[0]]; !ok || len(words) != 7+n {
		return b, fmt.Errorf("%w: no shape, two corners and a block", ErrFormat)
	}
	b.Shape = words[0]
	for i, p := range []*world.Pos{&b.From, &b.To} {
		at, ok := Place(strings.Join(words[1+3*i:4+3*i], " "))
		if !ok {
			return b, fmt.Errorf("%w: a corner is outside of the world", ErrFormat)
		}
		*p = at
	}
	blocks := []*world.Block{&b.Block}
	if b.Shape == Replace {
		blocks = []*world.Block{&b.With, &b.Block}
	}
	for i, name := range words[7:] {
		block, ok := world.BlockByName(name)
		if !ok {
			return b, fmt.Errorf("%w: there is no block %q", ErrFormat, name)
		}
		if blocks[i] == &b.Block {
			if err := buildable(block); err != nil {
				return b, err
			}
		}
		*blocks[i] = block
	}
	if z := b.Box(); b.Count() > MaxBuild || z.Max.X-z.Min.X >= MaxUndoSide || z.Max.Z-z.Min.Z >= MaxUndoSide {
		return b, fmt.Errorf("%w: too large", ErrFormat)
	}
	return b, nil
}

// buildable says why a block cannot stand anywhere by itself; nil: it can. Of fluids only
// sources can: builders pour and paste those, too.
func buildable(b world.Block) error {
	in, why := world.Info(b), ""
	switch {
	case b == world.Air || b.FluidLevel() == world.FluidFull:
		return nil
	case in.Fire > 0:
		why = "burns out by itself: put lava beside what should burn"
	case b.FluidLevel() > 0:
		why = "flows there by itself: name its source, water or lava"
	case b.IsBed() || b.IsDoor():
		why = "has two halves: place one by hand and /copy it"
	case !in.Item || !b.Solid():
		why = "does not stand by itself"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s %s", ErrFormat, in.Name, why)
}

// Makes reports whether what an order says can make one block of another.
func (b *Building) Makes(e world.BlockChange) bool {
	switch {
	case !b.Has(e.At) || b.Shape == Copy || b.Shape == Replace && e.Was != b.With:
		return false
	case b.Shape == Paste:
		same, ok := world.Copied(e.Now)
		return ok && same == e.Now
	}
	return e.Now == b.Block
}

// Box holds all blocks that are built.
func (b *Building) Box() world.Zone { return world.ZoneBetween(b.From, b.To) }

// Count is how many blocks are looked at.
func (b *Building) Count() int {
	z := b.Box()
	x, y, zz := int(z.Max.X-z.Min.X)+1, int(z.Max.Y-z.Min.Y)+1, int(z.Max.Z-z.Min.Z)+1
	if b.Shape == Line {
		return max(x, y, zz)
	}
	if x > MaxBuild || zz > MaxBuild {
		return MaxBuild + 1
	}
	return x * y * zz
}

// Has reports whether a block belongs to the shape.
func (b *Building) Has(at world.Pos) bool {
	z := b.Box()
	side := at.X == z.Min.X || at.X == z.Max.X || at.Z == z.Min.Z || at.Z == z.Max.Z
	switch {
	case !z.Holds(at):
		return false
	case b.Shape == Walls:
		return side
	case b.Shape == Hollow:
		return side || at.Y == z.Min.Y || at.Y == z.Max.Y
	case b.Shape == Line:
		return b.onLine(at)
	}
	return true
}

// onLine reports whether a block is the one of its step on the line: the longest axis is
// walked block by block, the others are rounded.
func (b *Building) onLine(at world.Pos) bool {
	from, to, p := axes(b.From), axes(b.To), axes(at)
	long := 0
	for i := range from {
		if abs(to[i]-from[i]) > abs(to[long]-from[long]) {
			long = i
		}
	}
	n := abs(to[long] - from[long])
	k := abs(p[long] - from[long])
	for i := range from {
		d := to[i] - from[i]
		want := from[i]
		if n > 0 {
			want += (2*d*k + n*sign(d)) / (2 * n)
		}
		if p[i] != want {
			return false
		}
	}
	return true
}

func axes(p world.Pos) [3]int64 { return [3]int64{int64(p.X), int64(p.Y), int64(p.Z)} }

func abs(n int64) int64 { return max(n, -n) }

func sign(n int64) int64 {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// buildAskedBy reports whether what was typed asks for an order to build. Corners that were
// not typed are the lobby's word.
func (o *Order) buildAskedBy(verb string, args []string) bool {
	typed := strings.ToLower(strings.Join(args, " "))
	switch {
	case !strings.HasPrefix(o.Text, verb+" "):
		return false
	case verb == Paste:
		return typed == "" || strings.HasPrefix(o.Text, verb+" "+typed+" ")
	case blocksOf[verb] == 0:
		return typed == "" || o.Text == verb+" "+typed
	}
	return typed != "" && strings.HasSuffix(o.Text, " "+typed)
}
