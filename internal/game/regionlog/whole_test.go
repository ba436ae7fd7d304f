package regionlog

import (
	"reflect"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// fill puts something into every field that others can see.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(2)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(2)
	}
}

// TestWholeCommands: every field of a command that bears on what it does is in the log. A
// new field fails here: without it honest hosts would be convicted.
func TestWholeCommands(t *testing.T) {
	for kind, strip := range map[world.CommandKind]func(*world.Command){
		world.CmdInput: func(c *world.Command) { c.After, c.Late, c.Act, c.Order, c.Remote = 0, 0, world.Act{}, nil, nil },
		world.CmdAct: func(c *world.Command) {
			c.Input, c.Order, c.Remote = world.Input{}, nil, nil
			c.Act.Kind = world.ActWrite // others have no text
		},
		world.CmdOrder: func(c *world.Command) {
			c.After, c.Late, c.Act, c.Input, c.Remote = 0, 0, world.Act{}, world.Input{}, nil
			c.Order.Text = "" // why somebody is kicked
		},
		world.CmdRemote: func(c *world.Command) {
			c.After, c.Late, c.Act, c.Input, c.Order, c.Remote.Item = 0, 0, world.Act{}, world.Input{}, nil, nil
		},
		world.CmdSettle: func(c *world.Command) {
			c.After, c.Late, c.Act, c.Input, c.Order, c.Remote.Item = 0, 0, world.Act{}, world.Input{}, nil, nil
		},
	} {
		var c world.Command
		fill(reflect.ValueOf(&c).Elem())
		c.Kind = kind
		strip(&c)
		c.Check, c.Expect = false, world.Vec{} // what the client is told
		area := world.NewArea(world.AreaConfig{}, world.RegionPos{}, nil)
		var w writer
		w.commands(area, []world.Command{c})
		r := newReader(w.b)
		got := r.commands(area)
		if !r.End() || len(got) != 1 || !reflect.DeepEqual(got[0], c) {
			t.Errorf("kind %d: %+v became %+v", kind, c, got)
		}
	}
}

// TestWholePlayers: the same of a player.
func TestWholePlayers(t *testing.T) {
	var p world.Player
	fill(reflect.ValueOf(&p).Elem())
	p.Handle = 0
	p.ID = id.Of([]byte("somebody"))
	for i := world.Carried; i < world.Slots; i++ { // what is worn must fit
		p.Items[i].Block = world.IronHelmet + world.Block(i-world.Carried)
	}
	area := world.NewArea(world.AreaConfig{}, world.RegionPos{}, nil)
	area.SetTick(99)
	got, err := readPlayer(appendPlayer(nil, &p))
	if err != nil {
		t.Fatal(err)
	}
	putPlayer(area, got)
	got.Handle = 0
	if !reflect.DeepEqual(*got, p) {
		t.Errorf("%+v became %+v", p, *got)
	}
}

func FuzzDecodeLands(f *testing.F) {
	f.Add(AppendLands(nil, nil))
	f.Add([]byte{1, 1, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		lands, err := DecodeLands(b)
		if err != nil {
			return
		}
		if again, err := DecodeLands(AppendLands(nil, lands)); err != nil || len(again) != len(lands) {
			t.Fatal("another list")
		}
	})
}
