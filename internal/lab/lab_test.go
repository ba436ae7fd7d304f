package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestExperimentsAreDeclaredWell(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Experiments() {
		if e.Name == "" || e.Shows == "" || e.Source == "" || e.Run == nil || seen[e.Name] {
			t.Errorf("experiment %q is incomplete or declared twice", e.Name)
		}
		seen[e.Name] = true
		for _, s := range e.Settings {
			if s.Name == "" || s.Default == "" || s.Text == "" {
				t.Errorf("%s: setting %q is incomplete", e.Name, s.Name)
			}
		}
	}
}

func TestRunRefuses(t *testing.T) {
	ctx := context.Background()
	if err := Run(ctx, "nonsense", Options{}, nil); !errors.Is(err, ErrUnknown) {
		t.Errorf("unknown experiment: %v", err)
	}
	for key, value := range map[string]string{"nonsense": "1", "columns": "many", "picture": "-1"} {
		err := Run(ctx, "terrain", Options{Set: map[string]string{key: value}, Report: io.Discard}, nil)
		if !errors.Is(err, ErrSetting) {
			t.Errorf("%s=%s: %v", key, value, err)
		}
	}
}

func TestTerrainReports(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	o := Options{
		Runs: 2, JSON: filepath.Join(dir, "r.json"), Out: dir, Report: &out,
		Set: map[string]string{"columns": "10", "picture": "32"},
	}
	if err := Run(context.Background(), "terrain", o, nil); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(o.JSON)
	if err != nil {
		t.Fatal(err)
	}
	var r Result
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

func TestPlotIsWellFormed(t *testing.T) {
	for name, p := range map[string]Plot{
		"empty":     {Title: "nothing"},
		"one point": {Series: []Series{{Name: "a", Points: [][2]float64{{3, 4}}}}},
		"lines & <": {Title: "a < b & c", X: "players", Y: "ms", Series: []Series{
			{Name: "us", Points: [][2]float64{{0, 1}, {50, 12.5}, {100, 30}}},
			{Name: "limit", Points: [][2]float64{{0, 50}, {100, 50}}, Dashed: true},
		}},
	} {
		var b bytes.Buffer
		if err := p.svg(&b); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(&b)
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s: a coordinate is no number", name)
		}
	}
}

func TestPercentile(t *testing.T) {
	v := []float64{5, 1, 4, 2, 3}
	for p, want := range map[float64]float64{0: 1, 0.5: 3, 0.99: 5, 1: 5} {
		if got := percentile(v, p); got != want {
			t.Errorf("percentile %v = %v, want %v", p, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 12: "12", 0.0123: "0.0123", 1.234: "1.23", 56.78: "56.8", 1234.5: "1234"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestRampStages(t *testing.T) {
	got := rampStages(50, 500)
	want := []int{10, 25, 50, 75, 100, 150, 200, 250, 300, 350, 400, 500}
	if !slices.Equal(got, want) {
		t.Errorf("stages %v, want %v", got, want)
	}
	if got := rampStages(1, 3); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("small stages %v", got)
	}
}
