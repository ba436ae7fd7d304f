package world

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

func TestTableIsComplete(t *testing.T) {
	names := map[string]Block{}
	for b := range BlockCount {
		in := Info(b)
		if in.Name == "" || in.Title == "" || in.ID != b {
			t.Fatalf("block %d has no entry", b)
		}
		if other, ok := names[in.Name]; ok {
			t.Errorf("%s names both %d and %d", in.Name, other, b)
		}
		names[in.Name] = b
		if found, ok := BlockByName(in.Name); !ok || found != b {
			t.Errorf("BlockByName(%q) = %d, %t", in.Name, found, ok)
		}
	}
}

func TestTableAgreesWithItself(t *testing.T) {
	for b := range BlockCount {
		in := Info(b)
		if in.Opaque != (in.Dim == 15) {
			t.Errorf("%v: opaque %t but takes %d light", b, in.Opaque, in.Dim)
		}
		if in.Solid != (in.Tall > 0) {
			t.Errorf("%v: solid %t but %d tall", b, in.Solid, in.Tall)
		}
		if in.Opaque && in.Class != pack.Cube {
			t.Errorf("%v: opaque but a %v", b, in.Class)
		}
		if in.Drop != Air && !Info(in.Drop).Item {
			t.Errorf("%v drops %v, which cannot be carried", b, in.Drop)
		}
		if b != Air && in.Sound == "" {
			t.Errorf("%v has no sound", b)
		}
		if int(in.Fluid) != b.FluidLevel() {
			t.Errorf("%v: fluid %d, level %d", b, in.Fluid, b.FluidLevel())
		}
	}
}

// The dissertation's table 3.2 gives these ids; files and clients rely on them.
func TestIdsOfTheDissertation(t *testing.T) {
	for b, name := range map[Block]string{0: "air", 1: "stone", 2: "grass", 3: "dirt"} {
		if b.String() != name {
			t.Errorf("block %d is %v, want %s", b, b, name)
		}
	}
}

func TestWaterLevels(t *testing.T) {
	for level := range 12 {
		if got := WaterOf(level).FluidLevel(); got != min(level, FluidFull) {
			t.Errorf("level of WaterOf(%d) = %d", level, got)
		}
	}
	if WaterOf(8) != Water || WaterOf(1) != Water1 || WaterOf(-3) != Air {
		t.Error("water levels are off their blocks")
	}
}

func TestUnknownBlockIsAWall(t *testing.T) {
	if in := Info(60000); !in.Solid || in.Hardness != pack.Unbreakable || Block(60000).Known() {
		t.Errorf("unknown block: %+v", in)
	}
}
