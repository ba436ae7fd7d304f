package hostile

import (
	"math"
	"net/netip"
	"reflect"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec"
)

// maker makes messages of every kind that the codec knows.
type maker struct {
	r     rng.Rand
	types []reflect.Type
	seen  *memory
	depth int // of messages within messages
}

func newMaker(seed uint64) *maker {
	return &maker{r: rng.New(seed, 0x4057), types: codec.Types(), seen: newMemory()}
}

// message returns one of any kind.
func (g *maker) message() machine.Message { return g.of(g.types[g.r.Intn(len(g.types))]) }

// of returns a message of a kind.
func (g *maker) of(t reflect.Type) machine.Message {
	v := reflect.New(t)
	g.fields(v.Elem())
	return v.Interface()
}

// changed returns a copy of a message with one field of it, or of what is in it,
// made anew.
func (g *maker) changed(m machine.Message) machine.Message {
	old := reflect.ValueOf(m)
	if old.Kind() != reflect.Pointer || old.Elem().Kind() != reflect.Struct {
		return m
	}
	v := reflect.New(old.Type().Elem())
	v.Elem().Set(old.Elem())
	s := v.Elem()
	if s.NumField() == 0 {
		return v.Interface()
	}
	i := g.r.Intn(s.NumField())
	switch f := s.Field(i); {
	case !s.Type().Field(i).IsExported():
	case f.Kind() == reflect.Interface && !f.IsNil() && !g.r.OneIn(4):
		f.Set(reflect.ValueOf(g.changed(f.Interface())))
	default:
		g.fill(f, s.Type().Field(i).Name)
	}
	return v.Interface()
}

func (g *maker) fields(v reflect.Value) {
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() {
			g.fill(v.Field(i), f.Name)
		}
	}
}

// fill sets a field to a value that was seen, or to another.
func (g *maker) fill(v reflect.Value, name string) {
	if !g.r.OneIn(3) {
		if old, ok := g.seen.recall(&g.r, v.Type(), name); ok {
			v.Set(old)
			return
		}
	}
	switch x := v.Addr().Interface().(type) {
	case **world.Column:
		if g.r.OneIn(3) {
			*x = g.column()
		}
		return
	case **world.Item:
		*x = &world.Item{Entity: g.r.Uint64() >> g.r.Intn(64), Stack: world.Stack{Block: world.Block(g.r.Intn(int(world.BlockCount))), Count: uint8(g.r.Intn(99))}, Born: g.number() & math.MaxInt64}
		return
	case *netip.AddrPort:
		*x = g.addr().AddrPort()
		return
	case *machine.Addr:
		*x = g.addr()
		return
	case *region.Own:
		*x = region.Own{}
		return
	case *machine.Message:
		g.within(x)
		return
	case *[][]byte:
		if name == "Raft" {
			*x = g.raft()
			return
		}
	}
	g.plain(v, name)
}

// maxWithin is how many messages are within each other at most. Deeper ones a
// codec does not write.
const maxWithin = 3

func (g *maker) within(x *machine.Message) {
	if g.depth >= maxWithin || g.r.OneIn(20) {
		return
	}
	g.depth++
	*x = g.message()
	g.depth--
}

// plain is a field of a type that is nothing special.
func (g *maker) plain(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Struct:
		g.fields(v)
	case reflect.Array:
		for i := range v.Len() {
			g.fill(v.Index(i), "")
		}
	case reflect.Slice:
		v.Set(g.list(v.Type(), name))
	case reflect.Pointer:
		if v.SetZero(); !g.r.OneIn(6) {
			v.Set(reflect.New(v.Type().Elem()))
			g.fill(v.Elem(), name)
		}
	case reflect.Bool:
		v.SetBool(g.r.OneIn(2))
	case reflect.String:
		v.SetString([]string{"", "x", "full", "hall", "Ann", strings.Repeat("é", 30), strings.Repeat("y", 200), "\x1b[2J\u202e"}[g.r.Intn(8)])
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(g.number() & (1<<v.Type().Bits() - 1))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		shift := 64 - v.Type().Bits()
		v.SetInt(int64(g.number()) << shift >> shift)
	}
}

// list is one of a few elements, or of many.
func (g *maker) list(t reflect.Type, name string) reflect.Value {
	n := g.r.Intn(4)
	if t.Elem().Kind() == reflect.Uint8 {
		n = g.r.Intn(200)
	} else if g.r.OneIn(30) {
		n = g.r.Intn(60)
	}
	v := reflect.MakeSlice(t, n, n)
	for i := range n {
		g.fill(v.Index(i), name)
	}
	return v
}

// number is often small, often extreme.
func (g *maker) number() uint64 {
	switch g.r.Intn(8) {
	case 0:
		return math.MaxUint64
	case 1:
		return 1 << 63
	case 2:
		return math.MaxInt64 >> (32 * g.r.Intn(2))
	case 3:
		return g.r.Uint64() >> g.r.Intn(64)
	case 4:
		return -g.r.Uint64() % 300
	}
	return g.r.Uint64() % 20
}

// addr is an address of this machine at which nobody is.
func (g *maker) addr() machine.Addr {
	ip := netip.AddrFrom4([4]byte{127, 0, 0, byte(2 + g.r.Intn(200))})
	if g.r.OneIn(8) {
		ip = netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 15: byte(g.r.Uint64())}) // for documentation
	}
	return machine.AddrFrom(netip.AddrPortFrom(ip, uint16(1+g.r.Intn(9))))
}

func (g *maker) column() *world.Column {
	c := &world.Column{Pos: world.ColumnPos{X: int32(g.r.Intn(40)) - 20, Z: int32(g.r.Intn(40)) - 20}}
	for range 20 {
		c.Chunks[g.r.Intn(4)].Set(g.r.Intn(32), g.r.Intn(32), g.r.Intn(32), world.Block(g.r.Intn(int(world.BlockCount))))
	}
	for i := range c.Chunks {
		c.Chunks[i].Compact()
	}
	return c
}
