package worldlab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

func TestRunRefuses(t *testing.T) {
	for key, value := range map[string]string{"nonsense": "1", "columns": "many", "picture": "-1"} {
		err := lab.Run(context.Background(), Terrain, lab.Options{Set: map[string]string{key: value}, Report: io.Discard}, nil)
		if !errors.Is(err, lab.ErrSetting) {
			t.Errorf("%s=%s: %v", key, value, err)
		}
	}
}

func TestTerrainReports(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	dir := t.TempDir()
	var out bytes.Buffer
	o := lab.Options{
		Runs: 2, JSON: filepath.Join(dir, "r.json"), Out: dir, Report: &out,
		Set: map[string]string{"columns": "10", "picture": "32"},
	}
	if err := lab.Run(context.Background(), Terrain, o, nil); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(o.JSON)
	if err != nil {
		t.Fatal(err)
	}
	var r lab.Result
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if r.Name != "terrain" || r.Seed != 1 || r.Settings["columns"] != 10.0 || r.Metrics[0].Name != "column_ms" || r.Metrics[0].Value <= 0 {
		t.Errorf("result %+v", r)
	}
	if !strings.Contains(out.String(), "column_ms") || !strings.Contains(out.String(), "median of 2 runs") {
		t.Errorf("report:\n%s", out.String())
	}
	for _, file := range []string{"biomes.csv", "overview.png", "cut.png", "seed-2/biomes.csv"} {
		if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}
