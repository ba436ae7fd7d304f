package chaoslab

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// held are the holders of tokens in a test, by key.
type held = map[string]region.Holder

// TestJournal: what has lain on the ground for too long is counted, and a write in which
// something is gone that has not is told.
func TestJournal(t *testing.T) {
	const item, player, chest, leaving = "6f01", "7001", "6201", "7101"
	start := time.Unix(1e9, 0)
	late := 6 * time.Minute
	type write struct {
		after time.Duration
		holds held
	}
	lies := write{0, held{item: {Kind: region.ItemHolder, Count: 8}, player: {Kind: region.PlayerHolder, Count: 2}}}
	for name, c := range map[string]struct {
		then    write
		expired int
		odd     int
	}{
		"expires":                {write{late, held{item: {}}}, 8, 0},
		"is gone too early":      {write{time.Minute, held{item: {}}}, 0, 1},
		"is picked up late":      {write{late, held{item: {}, player: {Kind: region.PlayerHolder, Count: 10}}}, 0, 0},
		"is put into a chest":    {write{time.Minute, held{player: {Kind: region.PlayerHolder}, chest: {Kind: region.ContainerHolder, Count: 2}}}, 0, 0},
		"goes over the border":   {write{time.Minute, held{item: {}, leaving: {Kind: region.LeavingHolder, Count: 8}}}, 0, 0},
		"a player leaves":        {write{time.Minute, held{player: {}}}, 0, 0},
		"a player loses":         {write{time.Minute, held{player: {Kind: region.PlayerHolder, Count: 1}}}, 0, 1},
		"a player is given more": {write{time.Minute, held{player: {Kind: region.PlayerHolder, Count: 3}}}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "held")
			f, err := os.Create(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range []write{{0, nil}, lies, c.then} {
				b, err := json.Marshal(heldLine{At: start.Add(w.after).UnixNano(), Space: "r.0.0", All: w.holds == nil, Holds: w.holds})
				if err != nil {
					t.Fatal(err)
				}
				f.Write(append(b, '\n'))
			}
			f.WriteString(`{"At":1,"Spa`) // cut off by a kill
			f.Close()
			e := &chaos{nodes: []*chaosProcess{{config: chaosConfig{Held: file}}, {config: chaosConfig{Held: file}}}}
			j, err := e.readJournals()
			if err != nil {
				t.Fatal(err)
			}
			odd := j.oddities()
			if n := j.gone(map[string][]replica{"r.0.0": {{}}}); n != c.expired || len(odd) != c.odd {
				t.Errorf("%d are gone by the rules, want %d; %q", n, c.expired, odd)
			}
			key, _ := hex.DecodeString(item)
			if n := j.gone(map[string][]replica{"r.0.0": {{kvs: []machine.KV{{Key: key}}}}}); n != 0 {
				t.Errorf("%d are gone that the stores have", n)
			}
		})
	}
}

// TestDoorOf: halves that do not belong together are no door.
func TestDoorOf(t *testing.T) {
	door := func(n int) world.Block { return world.OakDoor + world.Block(n) }
	kinds := map[string]int{}
	for low := range 8 {
		for up := range 8 {
			kinds[doorOf(door(low), door(up))]++
		}
	}
	if kinds[doorOpen] != 2 || kinds[doorClosed] != 2 || kinds[doorGone] != 0 || len(kinds) != 62 {
		t.Errorf("%v", kinds)
	}
	if is := doorOf(world.Air, world.Air); is != doorGone {
		t.Error(is)
	}
	for _, half := range [][2]world.Block{{world.OakDoor, world.Air}, {world.Air, door(1)}, {world.Stone, world.Air}} {
		if is := doorOf(half[0], half[1]); is == doorGone || is == doorOpen || is == doorClosed {
			t.Errorf("%v is %s", half, is)
		}
	}
}

// TestBurnt: near the fire only what is flammable may be gone.
func TestBurnt(t *testing.T) {
	for _, c := range []struct {
		was, is world.Block
		burns   bool
		want    bool
	}{
		{world.OakPlanks, world.Air, true, true},
		{world.OakPlanks, world.Flames3, true, true},
		{world.OakPlanks, world.Stone, true, false},
		{world.OakPlanks, world.Air, false, false},
		{world.Stone, world.Air, true, false},
		{world.Air, world.Flames, true, false},
	} {
		if s := (&chaosSpot{known: knownTo(c.was), burns: c.burns}); s.burnt(c.is) != c.want {
			t.Errorf("%v to %v: %v", c.was, c.is, !c.want)
		}
	}
}
