package chaoslab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

func TestRivals(t *testing.T) {
	for _, c := range []struct {
		what string
		all  []*reign
		want string
	}{
		{"one after the other", []*reign{{0, "hall", lead{1, 5}, 10, 20}, {1, "hall", lead{2, 5}, 20, 30}}, ""},
		{"the same node again", []*reign{{0, "hall", lead{1, 5}, 10, 20}, {0, "hall", lead{2, 5}, 15, 30}}, ""},
		{"at the same time", []*reign{{0, "hall", lead{1, 5}, 10, 21}, {1, "hall", lead{2, 5}, 20, 30}}, "at the same time, for 1ns"},
		{"one in the other", []*reign{{0, "hall", lead{1, 5}, 10, 90}, {1, "hall", lead{2, 5}, 20, 30}}, "at the same time, for 10ns"},
		{"in one term", []*reign{{0, "hall", lead{1, 5}, 10, 20}, {1, "hall", lead{1, 5}, 40, 50}}, "both led in term 1"},
		{"in one term of two groups", []*reign{{0, "hall", lead{1, 5}, 10, 30}, {1, "hall", lead{1, 6}, 20, 50}}, ""},
		{"of two generations", []*reign{{0, "hall", lead{1 << 36, 5}, 10, 30}, {1, "hall", lead{2 << 36, 6}, 20, 50}}, "at the same time, for 10ns"},
	} {
		got := strings.Join(rivals(c.all), "\n")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestReadLeads(t *testing.T) {
	file := filepath.Join(t.TempDir(), "leads")
	text := `{"From":1,"To":2,"Leads":{"hall":{"Term":7,"Fork":5}}}
{"From":5,"To":6,"Leads":{"hall":{"Term":7,"Fork":5},"r":{"Term":1,"Fork":6}}}
{"From":8,"To":9,"Leads":{"hall":{"Term":9,"Fork":5}}}
{"From":11,"To":12,"Lea`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := readLeads(3, file)
	if err != nil {
		t.Fatal(err)
	}
	want := []reign{{3, "hall", lead{7, 5}, 2, 5}, {3, "r", lead{1, 6}, 6, 6}, {3, "hall", lead{9, 5}, 9, 9}}
	if len(all) != len(want) {
		t.Fatalf("%d reigns", len(all))
	}
	for i, r := range all {
		if *r != want[i] {
			t.Errorf("%+v, want %+v", *r, want[i])
		}
	}
}

// TestChaosNoticesLoss: a block that is not what was acknowledged is a
// violation, one of those that are not clear is none.
func TestChaosNoticesLoss(t *testing.T) {
	c := &chaos{land: &nodelab.Land{Gen: terrain.New(1), Columns: map[world.ColumnPos]*world.Column{}}}
	s := &chaosSpot{at: world.Pos{X: 3, Y: 200, Z: 5}, known: knownTo(world.Air, world.Bricks)}
	c.editors = []*editor{{spots: []*chaosSpot{s}}}
	r := &replica{space: "r.0.0"}
	if c.compareBlocks(r); len(c.wrong.list) != 0 {
		t.Errorf("air: %v", c.wrong.list)
	}
	s.may = map[world.Block]bool{world.Bricks: true}
	if c.compareBlocks(r); len(c.wrong.list) != 1 {
		t.Errorf("a lost block: %v", c.wrong.list)
	}
}

// TestChaosNoticesConvictions: a node that has convicted another is a violation.
func TestChaosNoticesConvictions(t *testing.T) {
	for convicted, want := range map[int]int{0: 0, 2: 2} {
		p := &chaosProcess{dir: t.TempDir(), last: chaosReport{Convicted: make([]id.ID, convicted), Replayed: 7}}
		c := &chaos{nodes: []*chaosProcess{p}, counts: map[string]int{}}
		if err := c.checkConvictions(); err != nil {
			t.Fatal(err)
		}
		if len(c.wrong.list) != want {
			t.Errorf("%d convictions: %v", convicted, c.wrong.list)
		}
	}
}
