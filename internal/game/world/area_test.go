package world

import (
	"reflect"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// flatArea is a region of stone up to y = 9 and air above.
func flatArea(cfg AreaConfig) *Area {
	a := NewArea(cfg, RegionPos{}, nil)
	for i := range Columns {
		c := &Column{Pos: a.pos.Column(i)}
		for y := range 10 {
			for z := range ChunkSize {
				for x := range ChunkSize {
					c.Set(x, y, z, Stone)
				}
			}
		}
		a.SetColumn(c)
	}
	return a
}

func guest(name string, x, y, z int) *Player {
	at := Vec{fixed.Int(x) + fixed.One/2, fixed.Int(y), fixed.Int(z) + fixed.One/2}
	return NewPlayer(id.Of([]byte(name)), name, Survival, at)
}

func TestPlaceAndBreak(t *testing.T) {
	a := flatArea(AreaConfig{})
	p := guest("a", 20, 10, 20)
	p.Items[0] = Stack{Dirt, 2}
	a.AddPlayer(p)
	on := Pos{22, 9, 20}
	c := a.Tick(1, []Command{{Player: p.ID, Kind: CmdAct, Seq: 1, Act: Act{Kind: ActPlace, At: on, Face: FaceUp}}})
	if len(c.Results) != 1 || c.Results[0].Code != Done || len(c.Blocks) != 1 {
		t.Fatalf("place: %+v %+v", c.Results, c.Blocks)
	}
	if b, _ := a.Block(on.Next(FaceUp)); b != Dirt || p.Items[0].Count != 1 {
		t.Fatalf("there is %v, in hand %v", b, p.Items[0])
	}
	a.Tick(2, []Command{{Player: p.ID, Kind: CmdAct, Seq: 2, Act: Act{Kind: ActDig, At: on.Next(FaceUp)}}})
	need, _ := DigTicks(Dirt, Survival, Air)
	for n := uint32(1); n < need; n++ {
		if c = a.walkOn(p, 1); len(c.Results) != 0 {
			t.Fatalf("broken by %d steps, want %d", n, need)
		}
	}
	c = a.walkOn(p, 1)
	if len(c.Results) != 1 || c.Results[0].Code != Done || c.Results[0].Seq != 2 {
		t.Fatalf("dig: %+v", c.Results)
	}
	if b, _ := a.Block(on.Next(FaceUp)); b != Air || p.Items[0].Count != 2 {
		t.Fatalf("there is %v, in hand %v", b, p.Items[0])
	}
}

func TestPlayerRoundTrip(t *testing.T) {
	p := guest("a", 20, 10, 20)
	p.Dig = Dig{Active: true, At: Pos{1, 2, 3}, Need: 9, Done: 4}
	p.Homes = []Home{{"home", Pos{4, 5, -6}}, {"mine", Pos{7, 8, 9}}}
	b := p.AppendBinary(nil)
	q, err := DecodePlayer(b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p, q) {
		t.Fatalf("got %+v, want %+v", q, p)
	}
}
