package overlaylab

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Degrees = lab.Experiment{
	Name:          "delaunay-degrees",
	Shows:         "how many neighbours nodes have in Delaunay graphs of random places, for comparison with overlays whose nodes come and go",
	Source:        "thesis 6.3.2, table 6.6",
	Deterministic: true,
	Many:          true,
	Settings: []lab.Setting{
		{Name: "nodes", Default: "250,500,1000", Text: "sizes of the graphs"},
	},
	Run: runDegrees,
}

// degreePaper is table 6.6: mean degree and its deviation within a graph, averages of ten
// graphs.
var degreePaper = map[int][2]float64{250: {5.8624, 1.3335}, 500: {5.9260, 1.3632}, 1000: {5.9596, 1.3654}}

func runDegrees(t *lab.Trial) error {
	sizes := t.Ints("nodes", 3)
	if err := t.Settings(); err != nil {
		return err
	}
	table := lab.Table{Name: "degrees", Title: "Neighbours in random Delaunay graphs (table 6.6)",
		Columns: []string{"nodes", "mean", "thesis", "deviation", "thesis", "least", "greatest"}}
	for _, size := range sizes {
		var mean, deviation, least, greatest []float64
		for k := range t.Runs {
			if err := t.Context.Err(); err != nil {
				return err
			}
			s := lab.SpreadOf(randomDegrees(t.Seed+uint64(k), size))
			mean, deviation = append(mean, s.Mean), append(deviation, s.SD)
			least, greatest = append(least, s.Min), append(greatest, s.Max)
		}
		paper, known := degreePaper[size]
		of := func(i int) any {
			if !known {
				return "–"
			}
			return paper[i]
		}
		table.Row(size, lab.Mean(mean), of(0), lab.Mean(deviation), of(1), lab.SpreadOf(least).Min, lab.SpreadOf(greatest).Max)
		t.AgainstIf(known, fmt.Sprintf("degree_%d", size), lab.Mean(mean), "", paper[0])
		t.AgainstIf(known, fmt.Sprintf("degree_sd_%d", size), lab.Mean(deviation), "", paper[1])
	}
	t.Table(table)
	return nil
}

// randomDegrees are the numbers of neighbours of nodes at random places of a square.
func randomDegrees(seed uint64, nodes int) []float64 {
	r := rng.New(seed, 0xde1a)
	places := make([]geom.Point, nodes)
	for i := range places {
		places[i] = geom.Point{X: int32(r.Intn(1 << 20)), Y: int32(r.Intn(1 << 20))}
	}
	degrees := make([]float64, nodes)
	for i, p := range places {
		degrees[i] = float64(len(geom.Star(p, places, nil)))
	}
	return degrees
}
