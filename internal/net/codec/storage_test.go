package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

var someSpace = overlay.SpaceFor(4)

// newCodec returns a codec that knows every message.
func newCodec() *Codec {
	return NewVerified(Verified{Rules: someRules(), Bounds: someSpace.Bounds()})
}

func someRules() *voxelrules.Rules { return voxelrules.New(voxelrules.Config{Seed: 5, Regions: 4}) }

// vault makes messages of the storage as honest nodes do.
type vault struct {
	r     rng.Rand
	rules *voxelrules.Rules
	world state.World
}

func newVault(seed uint64) *vault {
	v := &vault{r: rng.New(seed, 9), rules: someRules()}
	v.world = v.rules.World()
	return v
}

func (v *vault) within(r geom.Rect) geom.Point {
	return geom.Point{X: r.Min.X + int32(v.r.Intn(int(r.Max.X-r.Min.X))), Y: r.Min.Y + int32(v.r.Intn(int(r.Max.Y-r.Min.Y)))}
}

func (v *vault) place() geom.Point {
	return v.within(geom.Rect{Max: geom.Point{X: v.world.Side, Y: v.world.Side}})
}

func (v *vault) node() *overlay.Contact {
	return &overlay.Contact{ID: id.Of(binary.AppendUvarint(nil, v.r.Uint64())), Addr: machine.Addr{10: 255, 11: 255, 12: 127, 15: 1, 17: 9}, Pos: v.within(someSpace.Bounds())}
}

func (v *vault) player() *state.Player {
	return &state.Player{ID: id.Of(binary.AppendUvarint(nil, v.r.Uint64())), Home: v.place()}
}

// chunk is the difference of a chunk from the terrain.
func (v *vault) chunk() *state.Object {
	b := []byte{2}
	b = binary.AppendVarint(binary.AppendVarint(b, int64(v.r.Intn(16)-8)), int64(v.r.Intn(16)-8))
	b = append(b, byte(v.r.Intn(4)), 2, 7, byte(1+v.r.Intn(9)), 0, byte(1+v.r.Intn(9)))
	o, err := v.rules.DecodeObject(b)
	if err != nil {
		panic(err)
	}
	return o
}

// character is one that is away, or there.
func (v *vault) character(static bool) *state.Object {
	b := v.rules.AppendObject(nil, v.rules.Activate(v.player(), v.place(), nil))
	if b[1] = 0; static {
		b[1] = 1
	}
	o, err := v.rules.DecodeObject(b)
	if err != nil {
		panic(err)
	}
	return o
}

func (v *vault) batch() *state.Batch {
	p := v.player()
	var acts []*state.Action
	for i := range 1 + v.r.Intn(3) {
		a := &state.Action{
			Player: p, Seq: uint64(1 + i), At: machine.Time(1e9 * (i + 1)),
			Body: []byte{byte(i), 1}, Signature: bytes.Repeat([]byte{7}, 64),
		}
		a.Size = 1 + len(binary.AppendVarint(nil, int64(a.At))) + 1 + len(a.Body) + 1 + len(a.Signature)
		acts = append(acts, a)
	}
	b, err := state.NewBatch(p, int64(1+v.r.Intn(9)), acts)
	if err != nil {
		panic(err)
	}
	return b
}

// receipts are some for a batch; the last is of somebody who is known, if that may be.
func (v *vault) receipts(b *state.Batch, known bool) (out []*messages.Receipt) {
	if known {
		defer func() {
			out = append(out, &messages.Receipt{Short: 1 + uint32(v.r.Intn(1<<31)), Batch: b, Signature: make([]byte, 64)})
		}()
	}
	for range 3 {
		out = append(out, &messages.Receipt{By: v.node(), Batch: b, First: v.r.OneIn(2), Certificate: bytes.Repeat([]byte{byte(v.r.Intn(9))}, 149), Signature: make([]byte, 64)})
	}
	return out
}

// part is a snapshot of a circle, of which a smaller area is sent.
func (v *vault) part() (*state.Snapshot, overlay.Area) {
	var all []*state.Object
	for range 12 {
		all = append(all, v.chunk())
	}
	all = append(all, v.character(false))
	all = ascending(all)
	whole := state.NewSnapshot(3, all, v.world)
	side := v.world.Side
	whole.Cover = overlay.Area{Circle: geom.Circle{C: geom.Point{X: side / 2, Y: side / 2}, R: side / 2}}
	whole.Unsure = make([]bool, len(whole.Cells))
	whole.Unsure[5], whole.Cells[5] = true, state.NewCell(nil)
	whole.Activated = []*state.Object{v.rules.Activate(v.player(), geom.Point{X: side / 2, Y: side / 3}, nil)}
	area := overlay.Area{Polygon: geom.Rect{Min: geom.Point{X: side / 8, Y: side / 8}, Max: geom.Point{X: side - 9, Y: side - 9}}.Polygon(nil)}
	sent, err := state.DecodeSnapshot(3, &whole.Cover, &area, whole.Encode(&area, v.world), v.world)
	if err != nil {
		panic(err)
	}
	return sent, area
}

func ascending(all []*state.Object) []*state.Object {
	slices.SortFunc(all, func(a, b *state.Object) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return slices.CompactFunc(all, func(a, b *state.Object) bool { return a.ID == b.ID })
}

func (v *vault) tag() (t state.SaltedDigest) {
	binary.BigEndian.PutUint64(t[:], v.r.Uint64()|1)
	return t
}

func (v *vault) retrieve(area overlay.Area) *messages.Retrieve {
	return &messages.Retrieve{
		Query: v.r.Uint64(), Kind: messages.ForUpdate, Area: area, Of: 7,
		Known: &messages.Known{Hash: v.tag(), Rows: []uint32{uint32(v.r.Uint64()), 0}},
	}
}

func (v *vault) brief(area overlay.Area) *messages.DigestAnswer {
	b := &messages.DigestAnswer{Of: 4, Cover: area, Unsure: []uint32{3, 6}, Check: v.tag(), Activated: []messages.DormantName{{ID: 7, Digest: id.Of([]byte{1}), Pos: area.Circle.C}}}
	for range 11 {
		b.Tags, b.Same = append(b.Tags, v.tag()), append(b.Same, v.r.OneIn(2))
	}
	return b
}

// sleepers names objects.
func sleepers(objects []*state.Object) (out []messages.DormantName) {
	for _, o := range objects {
		out = append(out, messages.DormantName{ID: o.ID, Digest: o.Digest, Pos: o.Pos})
	}
	return out
}

// message returns a message of the storage, nil if the kind is not one.
func (v *vault) message(k *kind) machine.Message {
	seen, area := v.part()
	static := ascending([]*state.Object{v.character(true), v.character(true)})
	batches := []*state.Batch{v.batch(), v.batch()}
	switch k.blank().(type) {
	case *messages.Retrieve:
		return v.retrieve(area)
	case *messages.Fetch:
		return &messages.Fetch{
			Retrieve: *v.retrieve(area), Cells: []messages.CellAt{{X: 1, Y: 2}, {X: 3}}, Characters: []state.ObjectID{5, 1 << 60},
			HaveTags: []uint64{v.r.Uint64(), 1}, BaseTags: []state.SaltedDigest{{}, v.tag()},
		}
	case *messages.Blocks:
		return &messages.Blocks{
			Query: v.r.Uint64(), Characters: seen.Activated,
			Pieces: [][]messages.ObjectPatch{nil, {
				{How: messages.Has, At: 300}, {How: messages.Based, In: -3, At: 1, Data: []byte{1, 2}},
				{How: messages.Begun, In: 40, At: 7, Data: []byte{9}}, {How: messages.Whole, Data: bytes.Repeat([]byte{3}, 200)},
			}},
		}
	case *messages.PeerQuery:
		return &messages.PeerQuery{Query: v.r.Uint64(), Zones: []uint8{0, 3}}
	case *messages.PeerReply:
		return &messages.PeerReply{Query: v.r.Uint64(), Nodes: []*overlay.Contact{v.node(), v.node()}}
	case *messages.Result:
		if v.r.OneIn(2) {
			m := &messages.Result{Query: v.r.Uint64(), Area: area, Brief: true, Same: true, Sent: v.brief(area), Names: sleepers(static), Batches: batches}
			return m.Seal(v.world)
		}
		m := &messages.Result{
			Query:  v.r.Uint64(),
			Around: messages.NewAround(v.node(), []*overlay.Contact{v.node(), v.node(), v.node()}, someSpace.Bounds()),
			Seen:   seen, Area: area, Static: static, Batches: batches,
		}
		return m.Seal(v.world)
	case *verifiedworld.Answer:
		m := &messages.Result{Around: messages.NewAround(v.node(), nil, someSpace.Bounds()), Seen: seen, Area: area}
		return &verifiedworld.Answer{Certificate: &identity.Certificate{Key: [32]byte{1, 2}, Serial: v.r.Uint64()}, Signature: [64]byte{3}, Result: m.Seal(v.world)}
	case *messages.RetrieveActions:
		return &messages.RetrieveActions{Query: v.r.Uint64(), Player: v.player(), Of: 9, Known: []uint32{uint32(v.r.Uint64()), 7}}
	case *messages.ActionsResult:
		b := v.batch()
		return &messages.ActionsResult{Query: v.r.Uint64(), Batch: b, Certificate: &messages.Certificate{Batch: b, Receipts: v.receipts(b, true)}, Other: b.Signed([]byte{9})}
	case *messages.Deposit:
		b := v.batch().Signed([]byte{5, 6})
		if v.r.OneIn(2) {
			return &messages.Deposit{Batch: b, Knows: []uint32{8}, Own: v.receipts(b, false)[0]}
		}
		return &messages.Deposit{Batch: b}
	case *messages.Receipt:
		m := v.receipts(nameOf(v.batch()), true)[3*v.r.Intn(2)]
		m.Fresh = v.r.OneIn(2)
		return m
	case *messages.Certified:
		b := nameOf(v.batch())
		return &messages.Certified{Certificate: &messages.Certificate{Batch: b, Receipts: v.receipts(b, true)}}
	case *messages.Exchange:
		b := v.batch().Signed([]byte{8})
		return &messages.Exchange{Batch: b, Receipts: v.receipts(b, false), Other: b.Signed([]byte{9})}
	case *messages.Store:
		return &messages.Store{Action: v.batch().Actions[0]}
	case *messages.Push:
		m := &messages.Push{Seen: seen, Area: area, Static: static, Batches: batches}
		return m.Seal(v.world)
	case *messages.Activate:
		return &messages.Activate{Player: v.player(), Place: v.place(), Of: 3}
	case *messages.Better:
		return &messages.Better{Node: v.node()}
	}
	return nil
}

// nameOf is a batch without its actions.
func nameOf(b *state.Batch) *state.Batch {
	out, err := state.NewBatch(b.Player, b.Of, nil)
	if err != nil {
		panic(err)
	}
	return out
}

// What a node has not signed, or cannot have seen, is not read.
func TestStorageRefuses(t *testing.T) {
	v := newVault(1)
	signed := NewVerified(Verified{
		Rules: someRules(), Bounds: someSpace.Bounds(),
		Check: func(a *state.Action) bool { return len(a.Signature) == 3 },
	})
	c := newCodec()
	for _, m := range []machine.Message{
		&messages.Store{Action: v.batch().Actions[0]}, &messages.ActionsResult{Batch: v.batch()},
		&messages.Push{Batches: []*state.Batch{v.batch()}}, &messages.Deposit{Batch: v.batch()},
		&messages.Exchange{Batch: v.batch()},
	} {
		b, err := c.Append(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Decode(b); err != nil {
			t.Errorf("%T: %v", m, err)
		}
		if _, err := signed.Decode(b); !errors.Is(err, ErrMalformed) {
			t.Errorf("%T with actions that nobody has signed: %v", m, err)
		}
		if _, err := New().Decode(b); !errors.Is(err, ErrUnknown) {
			t.Errorf("%T in a world without a storage: %v", m, err)
		}
	}
	seen, area := v.part()
	wide := *seen
	wide.Cover.Circle.R = -1
	twice := v.character(true)
	far := v.node()
	far.Pos.X = someSpace.Bounds().Max.X + 1
	around := messages.NewAround(v.node(), nil, someSpace.Bounds())
	batch := v.batch()
	foreign := *batch
	foreign.Player = v.player()
	for name, m := range map[string]machine.Message{
		"no kind":                     &messages.Retrieve{Kind: messages.Kinds, Area: area},
		"an area without an inside":   &messages.Retrieve{Kind: messages.ForLook, Area: overlay.Area{Polygon: area.Polygon[:2]}},
		"no neighbourhood":            &messages.Result{Area: area},
		"no batch":                    &messages.ActionsResult{},
		"no player":                   &messages.RetrieveActions{},
		"no action":                   &messages.Store{},
		"a deposit of nothing":        &messages.Deposit{},
		"an own receipt of nobody":    &messages.Deposit{Batch: batch, Own: &messages.Receipt{Batch: batch, Short: 7}},
		"a receipt of nobody":         &messages.Receipt{Batch: v.batch()},
		"no certificate":              &messages.Certified{},
		"a cell that is not there":    &messages.Fetch{Retrieve: *v.retrieve(area), Cells: []messages.CellAt{{X: -1}}},
		"more pasts than cells":       &messages.Fetch{Retrieve: *v.retrieve(area), BaseTags: []state.SaltedDigest{v.tag()}},
		"objects for their digests":   &messages.Fetch{Retrieve: *v.retrieve(area), Have: []*state.Object{v.chunk()}},
		"cells for their pieces":      &messages.Blocks{Cells: []*state.Cell{nil}},
		"digests and what they are":   &messages.Result{Around: around, Area: area, Brief: true, Seen: seen},
		"names and what they are of":  &messages.Result{Around: around, Area: area, Brief: true, Static: []*state.Object{v.character(true)}},
		"names that are not some":     &messages.Result{Around: around, Area: area, Names: sleepers([]*state.Object{v.character(true)})},
		"one name twice":              &messages.Push{Names: sleepers([]*state.Object{twice, twice})},
		"digests that are not some":   &messages.Result{Around: around, Area: area, Sent: v.brief(area)},
		"many zones":                  &messages.PeerQuery{Zones: make([]uint8, maxZones+1)},
		"a receipt for another batch": &messages.Exchange{Batch: v.batch(), Receipts: v.receipts(v.batch(), false)},
		"a receipt of whom all know":  &messages.Exchange{Batch: batch, Receipts: v.receipts(batch, true)},
		"a node outside of the world": &messages.Better{Node: far},
		"a place outside":             &messages.Activate{Player: v.player(), Place: geom.Point{X: v.world.Side}},
		"a cover without an inside":   &messages.Result{Around: around, Area: area, Seen: &wide},
		"one object twice, in disorder": &messages.Push{Static: []*state.Object{
			v.character(true), twice, v.character(true), twice,
		}},
		"a player who is there":     &messages.Push{Static: []*state.Object{v.character(false)}},
		"actions of another player": &messages.ActionsResult{Batch: &foreign},
	} {
		if b, err := c.Append([]byte{1}, m); !errors.Is(err, ErrMalformed) || len(b) != 1 {
			t.Errorf("%s was written: %v", name, err)
		}
	}
}

// Only what lies in the area that was asked for is sent.
func TestOnlyWhatWasAskedForIsSent(t *testing.T) {
	v, c := newVault(3), newCodec()
	seen, area := v.part()
	corner := overlay.Area{Circle: geom.Circle{C: geom.Point{X: v.world.Side / 2, Y: v.world.Side / 2}, R: v.world.Cell}}
	all, some := seen.Objects(&area, v.world, nil), seen.Objects(&corner, v.world, nil)
	if len(some) == 0 || len(some) == len(all) {
		t.Fatalf("%d of %d objects lie in the area: nothing is tested", len(some), len(all))
	}
	m := &messages.Result{Around: messages.NewAround(v.node(), nil, someSpace.Bounds()), Area: corner, Seen: seen}
	b, err := c.Append(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	back := got.(*messages.Result).Seen
	if back.Of != seen.Of || !back.Agrees(seen, &corner, v.world) || len(back.Objects(&area, v.world, nil)) != len(some) {
		t.Errorf("%d objects came, %d were asked for", len(back.Objects(&area, v.world, nil)), len(some))
	}
}
