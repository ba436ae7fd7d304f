package mmve

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// BenchmarkInterval replays the thesis' world cell by cell for one interval of
// 10 s with 1000 players, each cell once.
func BenchmarkInterval(b *testing.B) {
	all := players(5000)
	w := New(Config{Seed: 1}, all)
	c := newCrowd(w, all[:1000])
	active := map[*state.Player]bool{}
	for _, p := range c.players {
		active[p] = true
	}
	objects := w.Initial(w.whole())
	for i, o := range objects {
		if active[o.Player] {
			objects[i] = w.Activate(o.Player, o.Pos, o)
		}
	}
	row := int(w.side / cellSide)
	var now machine.Time
	for b.Loop() {
		b.StopTimer()
		cells := make([][]*state.Object, row*row)
		for _, o := range objects {
			i := int(o.Pos.Y/cellSide)*row + int(o.Pos.X/cellSide)
			cells[i] = append(cells[i], o)
		}
		deeds := byPlayer(c.actions(now.Add(10 * time.Second)))
		steps := make([]state.Step, 0, row*row)
		for i := range row * row {
			steps = append(steps, stepOf(cells, deeds, i%row, i/row, row, now))
		}
		objects = objects[:0]
		b.StartTimer()
		for i := range steps {
			objects = append(objects, w.Replay(&steps[i])...)
		}
		now = now.Add(10 * time.Second)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(row*row), "µs/cell")
}

func stepOf(cells [][]*state.Object, deeds map[state.Digest][]*state.Action, x, y, row int, now machine.Time) state.Step {
	s := state.Step{From: now, To: now.Add(10 * time.Second), Target: geom.Rect{
		Min: geom.Point{X: int32(x) * cellSide, Y: int32(y) * cellSide},
		Max: geom.Point{X: int32(x+1) * cellSide, Y: int32(y+1) * cellSide},
	}}
	for ny := max(0, y-1); ny <= min(row-1, y+1); ny++ {
		for nx := max(0, x-1); nx <= min(row-1, x+1); nx++ {
			s.Objects = append(s.Objects, cells[ny*row+nx]...)
		}
	}
	sortObjects(s.Objects)
	for _, o := range s.Objects {
		if o.Player != nil {
			s.Actions = append(s.Actions, deeds[o.Player.ID]...)
		}
	}
	sortActions(s.Actions)
	return s
}
