package frame

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"reflect"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

var rewrite = flag.Bool("rewrite", false, "rewrite testdata")

// golden is an example in testdata/frames.json, which the TypeScript decoder is
// tested against too. Hex is the frame; Frame is what it says.
type golden struct {
	Name  string
	Hex   string
	Frame jsonFrame
}

type jsonFrame struct {
	Region world.RegionPos
	Tick   uint64
	Own    Own
	Cells  []jsonCell
}

// jsonCell is Cell with names as text.
type jsonCell struct {
	Index    uint8
	Keyframe bool
	Enters   []jsonEnter `json:",omitempty"`
	Moves    []Move      `json:",omitempty"`
	Leaves   []Leave     `json:",omitempty"`
	States   []State     `json:",omitempty"`
	Blocks   []Block     `json:",omitempty"`
	Events   []Event     `json:",omitempty"`
	Cracks   []Crack     `json:",omitempty"`
	Wears    []Wear      `json:",omitempty"`
}

type jsonEnter struct {
	Handle uint32
	Entity uint64
	Kind   uint8
	Motion
	Pose uint8
	Held world.Block
	Name string
}

func forJSON(f *Frame) jsonFrame {
	out := jsonFrame{Region: f.Region, Tick: f.Tick, Own: f.Own}
	for i := range f.Cells {
		c := &f.Cells[i]
		j := jsonCell{c.Index, c.Keyframe, nil, some(c.Moves), some(c.Leaves), some(c.States), some(c.Blocks), some(c.Events), some(c.Cracks), some(c.Wears)}
		for _, e := range c.Enters {
			j.Enters = append(j.Enters, jsonEnter{e.Handle, e.Entity, e.Kind, e.Motion, e.Pose, e.Held, string(e.Name)})
		}
		out.Cells = append(out.Cells, j)
	}
	return out
}

// some makes an empty section the same as none, which is what it means.
func some[E any](s []E) []E {
	if len(s) == 0 {
		return nil
	}
	return s
}

func encoded(h Head, cells ...func(*CellEncoder)) []byte {
	e := CellEncoder{Buf: AppendCount(AppendHead(nil, &h), len(cells))}
	for _, c := range cells {
		c(&e)
		e.End()
	}
	return e.Buf
}

func examples() []golden {
	here := Head{Region: world.RegionPos{X: -3, Z: 200}, Tick: 123456789}
	acked, corrected := here, here
	acked.Own = Own{HasAck: true, Ack: 300}
	corrected.Own = Own{HasAck: true, Ack: 70000, Corrected: true, Body: 1,
		Position: world.Vec{X: -1572864 + 5, Y: 266240, Z: 104857700}, Velocity: world.Vec{X: 880, Y: -321, Z: -1}}
	walker := Motion{X: 100, Y: 4160, Z: 8000, DX: 13, DZ: -2, Yaw: 250, Pitch: -3}
	move := func(e *CellEncoder, handle uint32, dx, dy, dz int32, yaw uint8, pitch int8) {
		from := walker
		to := from
		to.X, to.Y, to.Z, to.Yaw, to.Pitch = to.X+dx, to.Y+dy, to.Z+dz, to.Yaw+yaw, to.Pitch+pitch
		e.Move(handle, &from, &to)
	}
	all := []struct {
		name  string
		bytes []byte
	}{
		{"nothing changed", encoded(here)},
		{"acknowledgement only", encoded(acked)},
		{"correction", encoded(corrected)},
		{"empty keyframe", encoded(here, func(e *CellEncoder) { e.Begin(15, true) })},
		{"keyframe with two entities", encoded(here, func(e *CellEncoder) {
			e.Begin(0, true)
			e.Enter(&Enter{Handle: 0, Entity: 1, Motion: walker, Held: world.OakPlanks, Name: []byte("Ada")})
			e.Enter(&Enter{Handle: 200, Entity: 1<<47 + 5, Kind: 2, Motion: Motion{X: -40, Z: 8200}, Pose: 16, Name: []byte("zoë ☃")})
		})},
		{"each kind of move", encoded(acked, func(e *CellEncoder) {
			e.Begin(6, false)
			move(e, 0, 13, 0, -2, 0, 0)      // as before
			move(e, 1, 14, 0, -10, 0, 0)     // near
			move(e, 2, 22, 0, -2, 0, 0)      // wide
			move(e, 9, 0, -27, 0, 0, 0)      // still, falls; gap 7
			move(e, 10, 0, 0, 0, 7, 5)       // turns
			move(e, 17, 0, 0, 0, 100, 0)     // turns far
			move(e, 217, 20, 9, -9, 248, -6) // all near; gap 200
			move(e, 218, -900, 3000, 800, 128, 100)
		})},
		{"all sections", encoded(here, func(e *CellEncoder) {
			e.Begin(3, false)
			e.Leave(Leave{7, WentElsewhere})
			e.Leave(Leave{130, Died})
			e.Enter(&Enter{Handle: 3, Entity: 9, Kind: 1, Motion: walker})
			move(e, 4, 13, 0, -2, 0, 0)
			e.State(State{4, 3, world.Torch})
			e.Block(Block{Place(world.Pos{X: -1, Y: 255, Z: 33}), world.Ladder})
			e.Event(Event{3, 2})
			e.Crack(Crack{Place(world.Pos{X: 31, Y: 0, Z: 0}), 9})
			e.Crack(Crack{0, NoCrack})
			e.Wear(Wear{3, Worn{world.IronHelmet, world.Air, world.Air, world.IronBoots}})
			e.Wear(Wear{200, Worn{}})
		}, func(e *CellEncoder) {
			e.Begin(12, false)
			e.Block(Block{5, world.Air})
		})},
		{"items lie there", encoded(here, func(e *CellEncoder) {
			e.Begin(2, true)
			e.Enter(&Enter{Handle: 1, Entity: 1<<48 + 77, Kind: KindItem, Motion: walker, Held: world.OakPlanks, Pose: 99})
			e.Enter(&Enter{Handle: 2, Entity: 1<<49 - 1, Kind: KindItem, Motion: Motion{X: 5, Y: 70, Z: 6}, Held: world.Torch, Pose: 1})
		}, func(e *CellEncoder) {
			e.Begin(5, false)
			e.Leave(Leave{1, Taken})
			e.State(State{3, 12, world.Dirt}) // it is twelve now
		})},
		{"more than 127 moves", encoded(here, func(e *CellEncoder) {
			e.Begin(1, false)
			for i := range uint32(130) {
				move(e, i, 13, 0, -1, 0, 0)
			}
		})},
	}
	var out []golden
	for _, x := range all {
		var f Frame
		if err := f.Decode(x.bytes); err != nil {
			panic(x.name + ": " + err.Error())
		}
		out = append(out, golden{x.name, hex.EncodeToString(x.bytes), forJSON(&f)})
	}
	return out
}

// TestGolden keeps the layout of docs/protocols/client.md.
func TestGolden(t *testing.T) {
	const file = "testdata/frames.json"
	got, err := json.MarshalIndent(examples(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *rewrite {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s says something else than the encoder; if the layout shall change, run with -rewrite and change the page", file)
	}
}

// TestMoveBytes is the promise of the package: what a moving body costs.
func TestMoveBytes(t *testing.T) {
	from := Motion{X: 5000, Y: 4160, Z: 5000, DX: 13, DZ: 4}
	for _, c := range []struct {
		name  string
		to    Motion
		bytes int
	}{
		{"straight on", Motion{X: 5013, Y: 4160, Z: 5004}, 1},
		{"rounded differently", Motion{X: 5014, Y: 4160, Z: 5004}, 2},
		{"speeding up", Motion{X: 5018, Y: 4160, Z: 5006}, 2},
		{"turning while walking", Motion{X: 5012, Y: 4160, Z: 5006, Yaw: 6}, 3},
		{"jumping while turning", Motion{X: 5012, Y: 4187, Z: 5006, Yaw: 6}, 4},
		{"stopping", Motion{X: 5000, Y: 4160, Z: 5000}, 0},
	} {
		e := CellEncoder{}
		e.Begin(0, false)
		m := from
		e.Move(0, &m, &c.to)
		if got := max(0, len(e.Buf)-3); got != c.bytes {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.bytes)
		}
	}
}

// TestStreamFollows walks entities at random and checks that a View at the far
// end of the stream is where the encoder says, at every step.
func TestStreamFollows(t *testing.T) {
	const seed = 7
	r := rng.New(seed)
	var view View
	var f Frame
	sent := make([]Motion, 40)
	e := CellEncoder{}
	for tick := range 300 {
		e.Buf = AppendCount(e.Buf[:0], 1)
		e.Begin(9, tick == 0)
		if tick == 0 {
			for h := range sent {
				sent[h] = Motion{X: int32(r.Intn(8192)), Y: 4000, Z: int32(r.Intn(8192))}
				e.Enter(&Enter{Handle: uint32(h), Entity: uint64(h), Motion: sent[h]})
			}
		} else {
			for h := range sent {
				to := wander(&r, sent[h])
				e.Move(uint32(h), &sent[h], &to)
			}
		}
		if !e.End() {
			continue
		}
		if err := f.DecodeCells(e.Buf); err != nil {
			t.Fatalf("seed %d, tick %d: %v", seed, tick, err)
		}
		view.Apply(&f)
		for h := range sent {
			if got := view.Get(9, uint32(h)); got == nil || got.Motion != sent[h] {
				t.Fatalf("seed %d, tick %d: entity %d is seen at %+v, it is at %+v", seed, tick, h, got, sent[h])
			}
		}
	}
}

func wander(r *rng.Rand, m Motion) Motion {
	span := []int{1, 3, 20, 300, 5000}[r.Intn(5)]
	step := func() int32 { return int32(r.Intn(2*span+1) - span) }
	m.X, m.Z = m.X+step(), m.Z+step()
	if r.OneIn(3) {
		m.Y += step()
	}
	if r.OneIn(2) {
		m.Yaw, m.Pitch = m.Yaw+uint8(step()), m.Pitch+int8(step())
	}
	return m
}

func TestMalformed(t *testing.T) {
	good := encoded(Head{}, func(e *CellEncoder) { e.Begin(1, false); e.Block(Block{5, 2}) })
	for _, c := range []struct {
		name  string
		bytes []byte
	}{
		{"empty", nil},
		{"cut", good[:len(good)-1]},
		{"something follows", append(bytes.Clone(good), 0)},
		{"unknown flags", []byte{0, 0, 0, 4, 0}},
		{"too many cells", []byte{0, 0, 0, 0, 17}},
		{"unknown cell", []byte{0, 0, 0, 0, 1, 0x10, 0}},
		{"a cell twice", []byte{0, 0, 0, 0, 2, 1, 0, 1, 0}},
		{"unknown section", []byte{0, 0, 0, 0, 1, 1, 9, 0, 0}},
		{"a fifth piece of armour", []byte{0, 0, 0, 0, 1, 1, 8, 1, 0, 16, 1, 0}},
		{"a section twice", []byte{0, 0, 0, 0, 1, 1, 3, 0, 3, 0, 0}},
		{"unknown look", []byte{0, 0, 0, 0, 1, 1, 2, 1, 0xC0, 0}},
		{"name beyond the end", []byte{0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 'a', 0}},
		{"block beyond the top", []byte{0, 0, 0, 0, 1, 1, 5, 1, 0xff, 0xff, 0xff, 0x7f, 1, 0}},
		{"region beyond the limit", []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0, 0}},
	} {
		var f Frame
		if err := f.Decode(c.bytes); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// FuzzDecode: no bytes make the decoder or a View panic or take more than their
// share of memory, and what was decoded comes back when it is encoded again.
func FuzzDecode(f *testing.F) {
	for _, x := range examples() {
		b, _ := hex.DecodeString(x.Hex)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var a, again Frame
		if a.Decode(b) != nil {
			return
		}
		var v View
		v.Apply(&a)
		e := CellEncoder{Buf: AppendCount(AppendHead(nil, &a.Head), len(a.Cells))}
		for i := range a.Cells {
			encodeWithoutMoves(&e, &a.Cells[i])
			a.Cells[i].Moves = nil
		}
		if err := again.Decode(e.Buf); err != nil {
			t.Fatalf("encoded again: %v", err)
		}
		if x, y := forJSON(&a), forJSON(&again); !reflect.DeepEqual(x, y) {
			t.Fatalf("encoded again: %+v, was %+v", y, x)
		}
	})
}

func encodeWithoutMoves(e *CellEncoder, c *Cell) {
	e.Begin(c.Index, c.Keyframe)
	for _, x := range c.Leaves {
		e.Leave(x)
	}
	for i := range c.Enters {
		e.Enter(&c.Enters[i])
	}
	for _, x := range c.States {
		e.State(x)
	}
	for _, x := range c.Blocks {
		e.Block(x)
	}
	for _, x := range c.Events {
		e.Event(x)
	}
	for _, x := range c.Cracks {
		e.Crack(x)
	}
	for _, x := range c.Wears {
		e.Wear(x)
	}
	if !e.End() { // an empty cell is not written
		e.Buf = append(e.Buf, c.Index, tagEnd)
	}
}

// crowd is a cell in which n players walk in circles.
type crowd struct {
	sent, now []Motion
	r         rng.Rand
}

func newCrowd(n int) *crowd {
	c := &crowd{sent: make([]Motion, n), now: make([]Motion, n), r: rng.New(1)}
	for i := range c.now {
		c.now[i] = Motion{X: int32(c.r.Intn(2048)), Y: 4000, Z: int32(c.r.Intn(2048)), DX: 13}
		c.sent[i] = c.now[i]
	}
	return c
}

func (c *crowd) step() {
	for i := range c.now {
		m := &c.now[i]
		m.DX, m.DZ = (m.DX+int32(c.r.Intn(3))-1)%20, (m.DZ+int32(c.r.Intn(3))-1)%20
		m.X, m.Z = m.X+m.DX, m.Z+m.DZ
		if c.r.OneIn(3) {
			m.Yaw += uint8(c.r.Intn(5)) - 2
		}
	}
}

func (c *crowd) encode(e *CellEncoder) {
	e.Buf = AppendCount(e.Buf[:0], 1)
	e.Begin(0, false)
	for i := range c.now {
		e.Move(uint32(i), &c.sent[i], &c.now[i])
	}
	e.End()
}

func BenchmarkEncodeMoves(b *testing.B) {
	c, e := newCrowd(1000), &CellEncoder{}
	moves := 0
	b.ReportAllocs()
	for b.Loop() {
		c.step()
		c.encode(e)
		moves += 1000
	}
	b.ReportMetric(float64(len(e.Buf))/1000, "B/move")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(moves), "ns/move")
}

func BenchmarkDecodeMoves(b *testing.B) {
	c, e := newCrowd(1000), &CellEncoder{}
	var f Frame
	var v View
	e.Buf = AppendCount(nil, 1)
	e.Begin(0, true)
	for i := range c.now {
		e.Enter(&Enter{Handle: uint32(i), Motion: c.now[i]})
	}
	e.End()
	if err := f.DecodeCells(e.Buf); err != nil {
		b.Fatal(err)
	}
	v.Apply(&f)
	c.step()
	c.encode(e)
	moves := 0
	b.ReportAllocs()
	for b.Loop() {
		if err := f.DecodeCells(e.Buf); err != nil {
			b.Fatal(err)
		}
		v.Apply(&f)
		moves += 1000
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(moves), "ns/move")
}

// TestNoAllocations: neither side allocates once its buffers have grown.
func TestNoAllocations(t *testing.T) {
	c, e := newCrowd(300), &CellEncoder{}
	var f Frame
	var v View
	run := func() {
		c.step()
		c.encode(e)
		if err := f.DecodeCells(e.Buf); err != nil {
			t.Fatal(err)
		}
		v.Apply(&f)
	}
	for range 50 {
		run()
	}
	if n := testing.AllocsPerRun(50, run); n > 0 {
		t.Errorf("%v allocations a frame", n)
	}
}
