package codec

import (
	"net/netip"
	"reflect"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// filler fills messages with whatever their fields can hold, so that a field
// that a codec forgets is noticed.
type filler struct {
	r     rng.Rand
	depth int
}

func (g *filler) fill(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case **world.Column:
		*x = someColumn(g.r.Uint64())
		return
	case **world.Item:
		*x = someItem(g.r.Uint64())
		return
	case *netip.AddrPort:
		var a machine.Addr
		g.fill(reflect.ValueOf(&a).Elem())
		*x = a.AddrPort()
		return
	case *region.Own:
		g.own(x)
		return
	case *machine.Message:
		*x = &lobby.Say{Text: "within"}
		if g.depth++; g.depth < 3 {
			m := &region.To{}
			g.fill(reflect.ValueOf(m).Elem())
			*x = m
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				g.fill(v.Field(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			g.fill(v.Index(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+g.r.Intn(5), 8))
		for i := range v.Len() {
			g.fill(v.Index(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		g.fill(v.Elem())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(strings.Repeat("é", 1+g.r.Intn(20)))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(max(1, g.r.Uint64()>>g.r.Intn(64)&(1<<v.Type().Bits()-1)))
	case reflect.Int16, reflect.Int32, reflect.Int64:
		n := int64(g.r.Uint64())
		n = n << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()) >> g.r.Intn(v.Type().Bits())
		if n == 0 {
			n = -1
		}
		v.SetInt(n)
	default:
		panic("filler: " + v.Type().String())
	}
}

// own is a frame's personal part as regions make it: what is not said is zero.
func (g *filler) own(o *region.Own) {
	type plain region.Own
	p := plain(*o)
	g.fill(reflect.ValueOf(&p).Elem())
	*o = region.Own(p)
}

func someItem(seed uint64) *world.Item {
	it := &world.Item{Entity: 1<<48 | seed&(1<<40-1), Stack: world.Stack{Block: world.Stone, Count: 1 + uint8(seed%99)}, Born: seed & 0xffff}
	it.Body.Pos = world.Vec{X: 4096, Y: 300000, Z: -77}
	return it
}

func someColumn(seed uint64) *world.Column {
	c := &world.Column{Pos: world.ColumnPos{X: int32(seed % 100), Z: -3}}
	r := rng.New(seed)
	for range 50 {
		c.Chunks[r.Intn(4)].Set(r.Intn(32), r.Intn(32), r.Intn(32), world.Block(r.Intn(int(world.BlockCount))))
	}
	for i := range c.Chunks {
		c.Chunks[i].Compact()
	}
	return c
}

// filled returns a message of a kind with all its fields set.
func filled(k *kind, seed uint64) machine.Message {
	if k.whole {
		return newVault(seed).message(k)
	}
	g := filler{r: rng.New(seed)}
	m := k.blank()
	g.fill(reflect.ValueOf(m).Elem())
	return m
}

// same compares messages; columns by their blocks, because a decoded chunk may
// lie in memory otherwise.
func same(a, b machine.Message) bool {
	x, ok := a.(*region.Columns)
	if !ok {
		return reflect.DeepEqual(a, b)
	}
	y, ok := b.(*region.Columns)
	if !ok || x.Region != y.Region || x.Tick != y.Tick || len(x.Columns) != len(y.Columns) {
		return false
	}
	for i := range x.Columns {
		p, q := x.Columns[i], y.Columns[i]
		if p.Version != q.Version || (p.Column == nil) != (q.Column == nil) {
			return false
		}
		if p.Column == nil {
			continue
		}
		maskP, bytesP := p.Column.AppendPayload(nil)
		maskQ, bytesQ := q.Column.AppendPayload(nil)
		if p.Column.Pos != q.Column.Pos || maskP != maskQ || string(bytesP) != string(bytesQ) {
			return false
		}
	}
	return true
}
