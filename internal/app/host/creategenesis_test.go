package host_test

import (
	"path/filepath"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// TestWorldsKeepTheirID: a world has its id from when it is made, whether other
// nodes may host it or not; one that is made from an export has another.
func TestWorldsKeepTheirID(t *testing.T) {
	c := founder(t)
	alone := start(t, c)
	id := alone.World().ID
	stop(t, alone)
	c.Nodes = "127.0.0.1:0"
	shared := start(t, c)
	if got := shared.World().ID; got != id {
		t.Errorf("alone the world was %s, shared it is %s", id, got)
	}
	stop(t, shared)
	f, err := worldfs.OpenFolder(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "home.vpworld")
	if _, err := f.ExportFile("home", file, false); err != nil {
		t.Fatal(err)
	}
	sum, err := host.ImportWorld(f, file, host.Import{Name: "copy"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := genesis.DecodeText(sum.Meta.Record)
	if err != nil || sum.Meta.ID == id || r.World() != sum.Meta.ID || r.Name != "copy" {
		t.Errorf("the copy of %s is %+v, its record %+v, %v", id, sum.Meta, r, err)
	}
}
