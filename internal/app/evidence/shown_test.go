package evidence

import (
	"bytes"
	"crypto/ed25519"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestShown: a line about a leader that has shown players other blocks than it has signed
// says who did it, where and when.
func TestShown(t *testing.T) {
	r := record(1)
	g := NewGround(r)
	by := &regionlog.Signing{World: r.World(), Key: public(3), Sign: func(text []byte) [64]byte { return [64]byte(ed25519.Sign(key(3), text)) }}
	a := regionlog.NewArea(world.AreaConfig{Seed: 7}, world.RegionPos{X: 2, Z: -1}, true)
	var columns []*world.Column
	for i := range world.Columns {
		a.SetColumn(&world.Column{Pos: a.Pos().Column(i)})
		columns = append(columns, a.Share(i))
	}
	node := id.Of([]byte("node"))
	who := []id.ID{id.Of([]byte("session"))}
	known := []regionlog.Known{{Session: who[0], Columns: 1<<world.Columns - 1}}
	view, pieces := regionlog.NewView(a.Pos()), regionlog.BeginPieces(node, 1)
	pieces.Add(regionlog.ColumnsPiece(1, who, columns, regionlog.ColumnHash))
	view.Columns(1, who, who, columns)
	var proof *regionlog.Display
	a.Record(by, func(out *regionlog.Output) {
		if out.Checkpoint == nil {
			return
		}
		s := &regionlog.Shown{Checkpoint: out.Checkpoint, To: node, Number: pieces.Number, Head: pieces.Head, Current: known}
		s.Sign(by)
		if j := view.Compare(s, known); j.Proof != nil {
			proof = j.Proof
		}
	})
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for tick := range uint64(2 * regionlog.Every) {
		a.Tick(tick+1, nil)
		if tick == 5 {
			e := frame.CellEncoder{Buf: frame.AppendCount(nil, 1)}
			e.Begin(0, false)
			e.Block(frame.Block{Place: 99, Block: world.GoldOre})
			e.End()
			pieces.Add(regionlog.FramePiece(tick, who, e.Buf))
			view.Frame(tick, who, who, e.Buf)
		}
		a.EndTick(machine.Time(start.Add(time.Duration(tick) * 50 * time.Millisecond).UnixNano()))
	}
	if proof == nil {
		t.Fatal("nothing is proven")
	}
	line, err := g.FalseState(proof, start)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Explain(line)
	if err != nil || s.By != id.Of(key(3).Public().(ed25519.PublicKey)) || s.World != r.World() {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, want := range []string{"region 2,-1", `"castle"`, "12:00:00 UTC", "the blocks at x 256 to 287, z -128 to -97", s.By.String(), "showed players"} {
		if !strings.Contains(s.Text, want) {
			t.Errorf("no %q in: %s", want, s.Text)
		}
	}
	t.Log(s.Text)
	if who, err := Proven(line, r.Genesis); err != nil || who != s.By {
		t.Errorf("%v, %v", who, err)
	}
	if list, err := g.Convicted(bytes.NewReader(line)); err != nil || len(list) != 1 {
		t.Errorf("%d convicted, %v", len(list), err)
	}
	if s, err := Explain(bytes.Replace(line, []byte(`"shown"`), []byte(`"replayed"`), 1)); err == nil {
		t.Errorf("as another charge: %s", s.Text)
	}
}
