package replica

import (
	"errors"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state/statetest"
)

// bare is the replica of a node that has nothing.
type bare struct {
	Patches
}

func newBare(world state.World, rules state.Rules) bare {
	p := &part.Part{World: world, Cache: state.NewReplayCache(), Cfg: &part.Settings{Rules: rules, Wire: true}, Hardened: true}
	return bare{Patches{p, New(p, nil)}}
}

func pieceBed() (bare, *messages.Fetch) {
	rules := statetest.Rules{}
	n := newBare(state.World{Side: 1000, Cell: 1000}, rules)
	q := &messages.Fetch{Cells: []messages.CellAt{{}}, Have: []*state.Object{rules.Object(1, 1)}, Base: []*state.Cell{state.NewCell([]*state.Object{rules.Object(2, 1)})}}
	return n, q
}

// A piece is what its receiver can make an object of, and nothing else is.
func TestPieces(t *testing.T) {
	n, q := pieceBed()
	rules := statetest.Rules{}
	cell := state.NewCell([]*state.Object{rules.Object(1, 1), rules.Object(2, 9), rules.Object(3, 4)})
	base := []baseObject{{q.Base[0].Objects[0], 0, 0}}
	good := (&Encoder{&n.Patches, versionsOf(&messages.Fetch{HaveTags: []uint64{versionPrefix(q.Have[0])}}), base}).Cell(cell, 0)
	if len(good) != 3 || good[0].How != messages.Has || good[1].How != messages.Based || good[2].How != messages.Whole {
		t.Fatalf("pieces %+v", good)
	}
	got := n.DecodeCells(&messages.Blocks{Pieces: [][]messages.ObjectPatch{good}}, q)
	if len(got) != 1 || !state.SameCellContent(got[0], cell) {
		t.Error("another cell comes of its pieces")
	}
	for i := range good {
		var p messages.ObjectPatch
		p.SetCode(good[i].Code())
		if p.How != good[i].How || p.In != good[i].In {
			t.Errorf("%+v has the code of %+v", good[i], p)
		}
	}
	for name, bad := range map[string][]messages.ObjectPatch{
		"what it does not have":     {{How: messages.Has, At: 1}},
		"no cell before":            {{How: messages.Based, In: 1}},
		"a cell before the first":   {{How: messages.Based, In: -1}},
		"no object of the cell":     {{How: messages.Based, At: 1, Data: good[1].Data}},
		"nothing at t_0":            {{How: messages.Begun, In: 1 << 20}},
		"a difference of nothing":   {{How: messages.Based, Data: []byte{0, 0}}},
		"no object":                 {{How: messages.Whole, Data: []byte{1}}},
		"objects in disorder":       {good[2], good[0]},
		"an object twice":           {good[0], good[0]},
		"somebody else's neighbour": {{How: messages.Whole, Data: rules.AppendObject(nil, statetest.Thing(0, 1))}},
	} {
		left := maxBlocks
		if c, err := n.decodeCell(bad, q, 0, &left); err == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
	left := 399
	if _, err := n.decodeCell(good, q, 0, &left); !errors.Is(err, state.ErrLarge) {
		t.Errorf("more than may be: %v", err)
	}
}

// FuzzPieces: whatever pieces say, a cell is in order or there is none.
func FuzzPieces(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2, 3})
	f.Add([]byte{1, 0, 2, 0, 10, 100, 1, 9})
	f.Fuzz(func(t *testing.T, b []byte) {
		n, q := pieceBed()
		var pieces []messages.ObjectPatch
		for len(b) >= 3 {
			p := messages.ObjectPatch{At: uint32(b[1])}
			p.SetCode(uint32(b[0]))
			size := min(int(b[2]), len(b)-3)
			p.Data, b = b[3:3+size], b[3+size:]
			pieces = append(pieces, p)
		}
		left := maxBlocks
		c, err := n.decodeCell(pieces, q, 0, &left)
		if err != nil {
			return
		}
		for i, o := range c.Objects {
			if i > 0 && c.Objects[i-1].ID >= o.ID || o.Pos.X >= 1000 {
				t.Fatalf("%+v", c.Objects)
			}
		}
	})
}
