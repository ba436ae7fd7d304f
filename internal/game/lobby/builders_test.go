package lobby

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// builderDisk is what builders write.
type builderDisk map[string]string

func (d builderDisk) write(put map[string]any, gone []string) {
	for k, v := range put {
		b, _ := json.Marshal(v)
		d[k] = string(b)
	}
	for _, k := range gone {
		delete(d, k)
	}
}

// TestBuildersAreRemembered: what builders have built and copied can be read again, in the
// order in which they built; whoever built longest ago is forgotten for another one, and
// consoles and copies that are too large are not on the disk.
func TestBuildersAreRemembered(t *testing.T) {
	disk, now := builderDisk{}, int64(0)
	b := builders{unix: func() int64 { now++; return now }, write: disk.write}
	players := map[id.ID]*player{}
	var all []*player
	for i := range maxBuilders + 1 {
		p := &player{id: id.ID{byte(i + 1)}}
		players[p.id], all = p, append(all, p)
		p.built = []decision.Undo{{Since: int64(i)}}
		b.keep(p)
	}
	small := &copied{clipboard.Of(world.Zone{Max: world.Pos{X: 1, Y: 2, Z: 3}}), world.Pos{X: 7}}
	b.copies(all[1], small)
	b.keep(&player{id: id.ID{200}, console: true})
	if len(disk) != maxBuilders+1 || len(b.list) != maxBuilders || len(all[0].built) != 0 || b.list[maxBuilders-1] != all[1] {
		t.Fatalf("%d records of %d builders", len(disk), len(b.list))
	}
	for _, p := range all {
		p.building = building{}
	}
	again := builders{unix: b.unix, write: disk.write}
	keys := make([]string, 0, len(disk))
	for k := range disk {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		read := again.load
		if k[0] == 'v' {
			read = again.loadCopy
		}
		if err := read(players, k[2:], []byte(disk[k])); err != nil {
			t.Fatalf("%s: %v", k, err)
		}
	}
	if !slices.Equal(again.list, b.list) {
		t.Error("another order than that in which they built")
	}
	if k := all[1].copied; k == nil || k.at != small.at || k.box.X != 2 || k.box.Y != 3 || k.box.Z != 4 || len(k.box.Blocks) != 24 {
		t.Errorf("copied: %+v", k)
	}
	if p := all[5]; len(p.built) != 1 || p.built[0].Since != 5 {
		t.Errorf("built: %+v", p.built)
	}
	if err := again.load(players, all[3].id.String(), []byte("{")); err == nil {
		t.Error("a damaged record is no error")
	}
	if err := again.load(players, (id.ID{250}).String(), []byte("{}")); err != nil || len(again.list) != maxBuilders {
		t.Errorf("a record of nobody: %v", err)
	}
}
