// Package foreign reads and writes blocks as other programs have them: Minecraft's names of
// blocks, Sponge schematics, Anvil chunks, ClassiCube worlds. Which block is which of ours
// is data (minecraft.txt).
//
// What is read may come from anybody; all of it is bounded. Pure. Start with Block, Decode
// (schematics) and Chunk.
package foreign

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

//go:embed minecraft.txt
var minecraft string

// State is a block of Minecraft: its name without "minecraft:", and its properties.
type State struct {
	Name  string
	Props map[string]string
}

// ParseState reads "minecraft:oak_door[half=upper,open=true]".
func ParseState(text string) State {
	name, rest, _ := strings.Cut(text, "[")
	s := State{Name: strings.TrimPrefix(name, "minecraft:")}
	for _, pair := range strings.Split(strings.TrimSuffix(rest, "]"), ",") {
		if k, v, ok := strings.Cut(pair, "="); ok {
			s.set(k, v)
		}
	}
	return s
}

func (s *State) set(k, v string) {
	if s.Props == nil {
		s.Props = map[string]string{}
	}
	s.Props[k] = v
}

// String is what ParseState reads.
func (s State) String() string {
	var pairs []string
	for _, k := range slices.Sorted(maps.Keys(s.Props)) {
		pairs = append(pairs, k+"="+s.Props[k])
	}
	if len(pairs) == 0 {
		return "minecraft:" + s.Name
	}
	return fmt.Sprintf("minecraft:%s[%s]", s.Name, strings.Join(pairs, ","))
}

// rule is a line of minecraft.txt.
type rule struct {
	State
	block world.Block
}

var rules = readRules()

func readRules() (out []rule) {
	for line := range strings.Lines(minecraft) {
		name, ours, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		b, known := world.BlockByName(ours)
		if !known {
			panic("minecraft.txt: there is no block " + ours)
		}
		out = append(out, rule{ParseState(name), b})
	}
	return out
}

// fits reports whether a line is about a block.
func (r *rule) fits(s State) bool {
	for k, v := range r.Props {
		if s.Props[k] != v {
			return false
		}
	}
	return like(r.Name, s.Name)
}

// like reports whether a name is as a pattern says, in which * stands for any text.
func like(pattern, name string) bool {
	head, rest, any := strings.Cut(pattern, "*")
	if !strings.HasPrefix(name, head) {
		return false
	}
	if name = name[len(head):]; !any {
		return name == ""
	}
	for i := range len(name) + 1 {
		if like(rest, name[i:]) {
			return true
		}
	}
	return false
}

// Block is our block for one of Minecraft, false if there is none.
func Block(s State) (world.Block, bool) {
	if len(s.Name) > maxName {
		return world.Air, false
	}
	for i := range rules {
		if r := &rules[i]; r.fits(s) {
			return withProps(r.block, s.Props), true
		}
	}
	return world.Air, false
}

// maxName bounds a name, since patterns try each place of it.
const maxName = 100

var facings = []string{"north", "south", "west", "east"}

// rotations are the directions of signs that stand, by the quarter of their rotation: south,
// west, north, east.
var rotations = []int{1, 2, 0, 3}

// withProps is the block of its kind that properties say.
func withProps(b world.Block, props map[string]string) world.Block {
	in := world.Info(b)
	along := props["facing"] == "east" || props["facing"] == "west"
	level, _ := strconv.Atoi(props["level"])
	switch {
	case in.Class.Opens():
		var is uint8
		if in.Class == pack.Door && props["half"] == "upper" {
			is |= pack.Upper
		}
		if props["open"] == "true" {
			is |= pack.Open
		}
		if along {
			is |= pack.Turned
		}
		return b + world.Block(is/in.Class.DoorStep())
	case b.IsBed():
		is := uint8(max(0, slices.Index(facings, props["facing"]))) << pack.BedFacing
		if props["part"] == "head" {
			is |= pack.BedHead
		}
		return b + world.Block(is)
	case in.Class == pack.Slab && in.Upper != 0 && props["type"] == "top":
		return world.Block(in.Upper)
	case in.Class == pack.Stairs:
		is := max(0, slices.Index(facings, props["facing"]))
		if props["half"] == "top" {
			is |= pack.OnHead
		}
		return b + world.Block(is)
	case in.Class == pack.Sign && in.Facing&pack.OnWall != 0:
		return b + world.Block(max(0, slices.Index(facings, props["facing"])))
	case in.Class == pack.Sign:
		turn, _ := strconv.Atoi(props["rotation"]) // in sixteenths, 0 is south
		return b + world.Block(rotations[(turn+2)/4&3])
	case b == world.Water && level > 0:
		return world.Water7 + world.Block(min(level, 7)-1) // what falls has 8 and more
	case b == world.Lava && level > 0:
		return world.Lava6 + world.Block((min(level, 6)-1)/2)
	}
	return b
}

// names are the blocks of Minecraft for ours.
var names = readNames()

func readNames() map[world.Block]State {
	out := map[world.Block]State{}
	for _, r := range rules {
		if _, has := out[r.block]; !has && !strings.Contains(r.Name, "*") {
			out[r.block] = r.State
		}
	}
	for b, s := range out { // of the upper halves, each by itself
		if up := world.Info(b).Upper; up != 0 {
			out[world.Block(up)] = State{Name: s.Name, Props: map[string]string{"type": "top"}}
		}
	}
	return out
}

// Name is the block of Minecraft for one of ours, false if there is none.
func Name(b world.Block) (s State, ok bool) {
	in := world.Info(b)
	first := b
	switch {
	case in.Class.Opens():
		first = b - world.Block(in.Door/in.Class.DoorStep())
	case b.IsBed():
		first = b - world.Block(in.Bed)
	case in.Class == pack.Stairs:
		first = b - world.Block(in.Facing)
	case in.Class == pack.Sign:
		first = b - world.Block(in.Facing&3)
	case b.IsWater():
		first = world.Water
	case b.IsLava():
		first = world.Lava
	}
	s, ok = names[first]
	s.Props = maps.Clone(s.Props)
	switch {
	case !ok:
	case in.Class.Opens():
		s.set("facing", pick(in.Door&pack.Turned != 0, "east", "north"))
		s.set("open", pick(in.Door&pack.Open != 0, "true", "false"))
		if in.Class == pack.Door {
			s.set("half", pick(in.Door&pack.Upper != 0, "upper", "lower"))
		}
		if in.Class == pack.Trapdoor {
			s.set("half", "top")
		}
	case b.IsBed():
		s.set("facing", facings[in.Bed>>pack.BedFacing])
		s.set("part", pick(in.Bed&pack.BedHead != 0, "head", "foot"))
	case in.Class == pack.Stairs:
		s.set("facing", facings[in.Facing&3])
		s.set("half", pick(in.Facing&pack.OnHead != 0, "top", "bottom"))
	case in.Class == pack.Sign && in.Facing&pack.OnWall != 0:
		s.set("facing", facings[in.Facing&3])
	case in.Class == pack.Sign:
		s.set("rotation", strconv.Itoa(4*slices.Index(rotations, int(in.Facing&3))))
	case b.IsWater():
		s.set("level", strconv.Itoa(int(b-world.Water)))
	case b.IsLava():
		s.set("level", strconv.Itoa(2*int(b-world.Lava)))
	}
	return s, ok
}

func pick(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// Report says what of an import or export was not taken.
type Report struct {
	Blocks   int            // that were taken, without air
	Unmapped map[string]int // names without a block of ours, and how many there were
	Outside  int            // blocks above or below our world
	Signs    []Sign         // of a schematic: what is written, by places in it
}

// maxUnmapped bounds the names in a report.
const maxUnmapped = 1000

// Miss notes blocks that have no counterpart.
func (r *Report) Miss(name string, n int) {
	if r.Unmapped == nil {
		r.Unmapped = map[string]int{}
	}
	if _, has := r.Unmapped[name]; has || len(r.Unmapped) < maxUnmapped {
		r.Unmapped[name] += n
	}
}

// Lines are the names that were missed, the most frequent first.
func (r *Report) Lines() (out []string) {
	keys := slices.Sorted(maps.Keys(r.Unmapped))
	slices.SortStableFunc(keys, func(a, b string) int { return r.Unmapped[b] - r.Unmapped[a] })
	for _, k := range keys {
		out = append(out, fmt.Sprintf("%d × %q", r.Unmapped[k], k))
	}
	return out
}
