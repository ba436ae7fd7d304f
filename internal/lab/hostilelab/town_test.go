package hostilelab

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/hostile"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// A town of twenty houses on a platform in the air, in four rows of five, over the corner
// where four regions meet. Three processes host the world.
const (
	townHigh   = 180 // of the platform
	townSide   = 5   // of a house, and how high it is
	townPitch  = 7   // from house to house
	houses     = 20
	townColumn = 5
)

// town is the world, and who plays in it.
type town struct {
	*testing.T
	ctx          context.Context
	nodes        []*honestProcess
	meta         worldfs.Meta
	corner       world.Pos // of the four regions, on the platform
	box          world.Zone
	ann, bo, eve *townsman
}

// house is the corner of a house with the smallest coordinates.
func (w *town) house(i int) world.Pos {
	return w.corner.Add(int32(i%townColumn)*townPitch-2*townPitch, 1, int32(i/townColumn)*townPitch-2*townPitch)
}

// newTown builds the town: one house, which is copied.
func newTown(t *testing.T) *town {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	w := &town{T: t, ctx: ctx}
	dir := t.TempDir()
	if err := nodelab.FoundLab(dir, 3); err != nil {
		t.Fatal(err)
	}
	w.nodes = append(w.nodes, startHonest(t, ctx, nodelab.NodeOrder{Data: dir}))
	folder, err := worldfs.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	info, err := folder.Info(nodelab.LabWorld)
	if err != nil {
		t.Fatal(err)
	}
	w.meta = info.Meta
	w.ann = w.joins(w.nodes[0].URL, "Ann")
	for range 2 {
		w.nodes = append(w.nodes, startHonest(t, ctx, nodelab.NodeOrder{Data: t.TempDir(), Join: []string{w.nodes[0].Nodes}}))
	}
	at := w.ann.Body().Pos.Block().Region()
	w.corner = world.Pos{X: (at.X + 1) * world.RegionSize, Y: townHigh, Z: (at.Z + 1) * world.RegionSize}
	w.box = world.Zone{Min: w.corner.Add(-18, 0, -18), Max: w.corner.Add(22, townSide+2, 16)}
	w.ann.tells(fmt.Sprintf("/fill %s %s stone", w.box.Min, world.Pos{X: w.box.Max.X, Y: townHigh, Z: w.box.Max.Z}), "changed")
	a, up := w.house(0), world.Pos{X: townSide - 1, Y: townSide - 1, Z: townSide - 1}
	w.ann.tells(fmt.Sprintf("/hollow %s %s bricks", a, a.Add(up.X, up.Y, up.Z)), "changed")
	// One house becomes a row of two, four and five, and that row four.
	for _, n := range []struct{ from, last, to int }{{0, 0, 1}, {0, 1, 2}, {0, 0, 4}, {0, 4, 5}, {0, 9, 10}} {
		last := w.house(n.last)
		w.ann.tells(fmt.Sprintf("/copy %s %s", w.house(n.from), last.Add(up.X, up.Y, up.Z)), "copied")
		w.ann.tells(fmt.Sprintf("/paste %s", w.house(n.to)), "changed")
	}
	w.bo = w.joins(w.nodes[1].URL, "Bo")
	w.eve = w.joins(w.nodes[2].URL, "Eve")
	for i := range world.HotBar { // creative players have blocks there
		if code := w.eve.does(wire.Act{Kind: wire.Pick, A: uint64(world.Air), B: uint32(i)}); code != "" {
			t.Fatal(code)
		}
	}
	w.ann.tells("/time set noon", "")
	w.ann.tells("/gamemode survival Eve", "")
	w.ann.tells("/give Eve iron_pickaxe 1", "")
	w.brings(w.bo, w.corner.Add(-1, 1, -1))
	w.brings(w.eve, w.corner.Add(-8, 1, -8))
	w.until("Eve to have her tool", func() bool { return w.eve.slot(world.IronPickaxe) >= 0 })
	return w
}

// brings lets the operator bring somebody to a place in the town, until that player sees all
// of it.
func (w *town) brings(p *townsman, to world.Pos) {
	w.Helper()
	asked := time.Time{}
	w.until(p.who.Name+" to be there", func() bool {
		if at := p.Body().Pos.Block(); at != to && time.Since(asked) > 5*time.Second {
			asked = time.Now()
			w.ann.tells(fmt.Sprintf("/tp %s %s", p.who.Name, to), "")
		}
		return p.Body().Pos.Block() == to && len(w.seen(p)) == w.volume()
	})
}

func (w *town) volume() int {
	d := w.box.Max.Add(1, 1, 1)
	return int(d.X-w.box.Min.X) * int(d.Y-w.box.Min.Y) * int(d.Z-w.box.Min.Z)
}

// seen are the town's blocks that a player sees.
func (w *town) seen(by *townsman) map[world.Pos]world.Block {
	out := map[world.Pos]world.Block{}
	for x := w.box.Min.X; x <= w.box.Max.X; x++ {
		for z := w.box.Min.Z; z <= w.box.Max.Z; z++ {
			for y := w.box.Min.Y; y <= w.box.Max.Y; y++ {
				at := world.Pos{X: x, Y: y, Z: z}
				if b, ok := by.Blocks().Block(at); ok {
					out[at] = b
				}
			}
		}
	}
	return out
}

func (w *town) count(b world.Block) (n int) {
	for _, is := range w.seen(w.bo) {
		if is == b {
			n++
		}
	}
	return n
}

// differ says which blocks are not what they were, at most five of them.
func differ(was, is map[world.Pos]world.Block) (out []string) {
	for at, b := range was {
		if is[at] != b && len(out) < 5 {
			out = append(out, fmt.Sprintf("%v was %v, is %v", at, b, is[at]))
		}
	}
	return out
}

// crossings are where streets meet, in the order of a walk: at least one for each house.
var crossings = [][2]int32{{-8, -8}, {6, -8}, {13, -8}, {13, 6}, {6, 6}, {-8, 6}}

// walls are corners of houses that somebody reaches at a crossing.
func (w *town) walls(crossing world.Pos) (out []world.Pos) {
	for i := range houses {
		a := w.house(i)
		for _, dx := range []int32{0, townSide - 1} {
			for _, dz := range []int32{0, townSide - 1} {
				at := a.Add(dx, 0, dz)
				if d := at.Add(-crossing.X, 0, -crossing.Z); d.X*d.X <= 4 && d.Z*d.Z <= 4 {
					out = append(out, at.Add(0, 1, 0))
				}
			}
		}
	}
	return out
}

// ruin lets Eve dig at every house, and counts the answers.
func (w *town) ruin() map[wire.Code]int {
	w.Helper()
	w.eve.does(wire.Act{Kind: wire.Select, A: uint64(w.eve.slot(world.IronPickaxe))})
	answers, been := map[wire.Code]int{}, map[world.Pos]bool{}
	for _, c := range crossings {
		at := w.corner.Add(c[0], 1, c[1])
		w.eve.goes(at)
		for _, wall := range w.walls(at) {
			if !been[wall] {
				been[wall] = true
				answers[w.eve.does(wire.Act{Kind: wire.Dig, X: wall.X, Y: wall.Y, Z: wall.Z, Face: uint8(world.FaceUp)})]++
			}
		}
	}
	return answers
}

// TestLongTownIsRestored: three processes host a town of twenty houses in four regions. A
// player in survival mode digs at every one. The operator reads who it was and takes it
// back: what others have built meanwhile stays, and no brick is there twice.
func TestLongTownIsRestored(t *testing.T) {
	simtest.Long(t)
	slowtest.Skip(t, "starts three processes")
	w := newTown(t)
	chest, own := w.corner.Add(-9, 1, -9), w.corner.Add(-7, 1, -9) // Eve's is there before
	w.fillsChest(chest, own)
	before, bricks := w.seen(w.bo), w.count(world.Bricks)
	began := time.Now()
	w.loots(chest, own)
	answers := w.ruin()
	dug := answers[""]
	t.Logf("Eve ruins for %v: %v; %v", time.Since(began), answers, w.eve.carries(world.Bricks))
	if len(answers) != 1 || dug < houses {
		t.Fatalf("Eve digs: %v", answers)
	}
	w.until("Eve to have gathered what she has dug", func() bool { return w.eve.carries(world.Bricks) == dug })
	mended := w.house(12).Add(townSide-1, 1, townSide-1) // a corner that Eve has broken
	w.ann.tells(fmt.Sprintf("/fill %s %s stone_bricks", mended, mended), "1 block changed")
	w.until("Bo to see it", func() bool { return w.count(world.Bricks) == bricks-dug && w.count(world.StoneBricks) == 1 })

	if said := w.ann.tells(fmt.Sprintf("/inspect %s %s", w.house(7), w.house(7).Add(4, 4, 4)), "became air"); !strings.Contains(said, "Eve") {
		t.Errorf("who it was: %q", said)
	}
	since := fmt.Sprintf("%dm", int(time.Since(began)/time.Minute)+1)
	order := fmt.Sprintf("/rollback Eve %s %s %s", since, w.box.Min, w.box.Max)
	w.ann.tells(order+" preview", fmt.Sprintf("%d blocks and up to %d items that were taken out of chests would be changed", dug-1, gold))
	if changed := differ(before, w.seen(w.bo)); len(changed) == 0 {
		t.Error("the preview restores something")
	}
	w.ann.tells(order, fmt.Sprintf("%d blocks changed", dug-1))
	before[mended] = world.StoneBricks
	w.until("Bo to see the town as it was", func() bool { return len(differ(before, w.seen(w.bo))) == 0 })
	w.until("Eve to have what she had dug taken back", func() bool { return w.eve.carries(world.Bricks) == 1 })
	if n := w.count(world.Bricks) + w.eve.carries(world.Bricks); n != bricks {
		t.Errorf("%d bricks, there were %d", n, bricks)
	}
	w.until("Eve to have no gold", func() bool { return w.eve.carries(world.GoldOre) == 0 })
	w.bo.goes(w.corner.Add(-8, 1, -1))
	w.bo.goes(w.corner.Add(-8, 1, -6))
	if n, m := w.inChest(w.bo, chest), w.inChest(w.bo, own); n != gold || m != 0 {
		t.Errorf("%d of %d gold ore are in their chest, %d in Eve's", n, gold, m)
	}
	for _, n := range w.nodes {
		if n.look(t, nodelab.NodeOrder{}); len(n.Convicted) > 0 {
			t.Errorf("a node was convicted: %v", n.Convicted)
		}
	}
	if leads := w.leaders(); len(leads) < 2 {
		t.Logf("the same node leads all four regions")
	}
	w.outlaws(dug)
}

// gold is how much gold ore lies in the town's chest.
const gold = 30

// fillsChest lets Bo put gold ore into a chest, beside another that is empty.
func (w *town) fillsChest(chest, own world.Pos) {
	w.Helper()
	for _, at := range []world.Pos{chest, own} {
		w.ann.tells(fmt.Sprintf("/fill %s %s chest", at, at), "1 block changed")
	}
	w.ann.tells("/gamemode survival Bo", "")
	w.ann.tells(fmt.Sprintf("/give Bo gold_ore %d", gold), "")
	w.until("Bo to have gold", func() bool { return w.bo.carries(world.GoldOre) == gold })
	w.bo.goes(w.corner.Add(-8, 1, -1))
	w.bo.goes(w.corner.Add(-8, 1, -6))
	w.moves(w.bo, chest, w.bo.slot(world.GoldOre), world.ContainerSlots, 0)
	w.bo.goes(w.corner.Add(-8, 1, -1))
	w.bo.goes(w.corner.Add(-1, 1, -1))
}

// loots lets Eve take all of it, put a third into the other chest and throw a third away.
func (w *town) loots(chest, own world.Pos) {
	w.Helper()
	w.moves(w.eve, chest, world.ContainerSlots, world.AnySlot, 0)
	w.until("Eve to have gold", func() bool { return w.eve.carries(world.GoldOre) == gold })
	w.moves(w.eve, own, w.eve.slot(world.GoldOre), world.ContainerSlots+3, gold/3)
	if code := w.eve.does(wire.Act{Kind: wire.Drop, A: uint64(w.eve.slot(world.GoldOre)), B: gold / 3}); code != "" {
		w.Fatal(code)
	}
}

func (w *town) moves(p *townsman, chest world.Pos, from, to, count int) {
	w.Helper()
	act := wire.Act{Kind: wire.Store, X: chest.X, Y: chest.Y, Z: chest.Z, A: uint64(from), B: uint32(to + count<<8)}
	if code := p.does(act); code != "" {
		w.Fatalf("%s: %s", p.who.Name, code)
	}
}

// inChest is how much gold ore somebody sees in a chest.
func (w *town) inChest(p *townsman, chest world.Pos) (n int) {
	w.Helper()
	if code := p.does(wire.Act{Kind: wire.Open, X: chest.X, Y: chest.Y, Z: chest.Z}); code != "" {
		w.Fatal(code)
	}
	w.until("the chest to be shown", func() bool { c := p.Container(); return c.Size > 0 && c.Pos() == chest })
	for _, s := range p.Container().Slots {
		if s.Block == uint16(world.GoldOre) {
			n += int(s.Count)
		}
	}
	return n
}

// leaders are the nodes that lead the four regions and the lobby.
func (w *town) leaders() map[machine.Peer]bool {
	w.Helper()
	out := map[machine.Peer]bool{}
	for _, r := range w.regions() {
		for _, n := range w.nodes {
			if n.look(w.T, nodelab.NodeOrder{Region: &r}); n.Leader == n.Self {
				out[n.Self] = true
			}
		}
	}
	return out
}

func (w *town) regions() (out []world.RegionPos) {
	for x := int32(-1); x <= 0; x++ {
		for z := int32(-1); z <= 0; z++ {
			out = append(out, w.corner.Add(x, 0, z).Region())
		}
	}
	return out
}

// outlaws claims the town: Eve changes nothing any more, as she plays, with a client that
// says what none may say, nor by a node of her own.
func (w *town) outlaws(dug int) {
	w.Helper()
	w.ann.tells(fmt.Sprintf("/claim town %d 0 %d %d %d %d", w.box.Min.X, w.box.Min.Z, w.box.Max.X, world.Height-1, w.box.Max.Z), "is yours")
	before := w.seen(w.bo)
	same := func(how string) {
		w.Helper()
		if changed := differ(before, w.seen(w.bo)); len(changed) > 0 {
			w.Errorf("%s: %v", how, changed)
		}
	}
	w.eve.does(wire.Act{Kind: wire.Select, A: uint64(w.eve.slot(world.IronPickaxe))})
	near := w.walls(w.eve.Body().Pos.Block())
	w.until("Eve to be kept out", func() bool {
		return w.eve.does(wire.Act{Kind: wire.Dig, X: near[0].X, Y: near[0].Y, Z: near[0].Z}) == wire.Claimed
	})
	before = w.seen(w.bo)
	if answers := w.ruin(); answers[wire.Claimed] != dug {
		w.Errorf("on land of another: %v", answers)
	}
	same("as anybody plays")
	w.patched()
	same("a patched client")
	w.byNode()
	same("a node of her own")
}

// patched lets Eve's client say what no client says: acts in no order and from afar, and
// orders of operators.
func (w *town) patched() {
	w.Helper()
	conn, _, err := client.Dial(w.ctx, w.nodes[1].URL, w.eve.who, "")
	if err != nil {
		w.Fatal(err)
	}
	defer conn.Close()
	var refused atomic.Int32
	go func() {
		for {
			b, err := conn.Recv()
			if err != nil {
				return
			}
			var r wire.ActResult
			if wire.DecodeInto(b, &r) == nil && !r.OK {
				refused.Add(1)
			}
		}
	}()
	seq := uint32(0)
	for i := range houses {
		a := w.house(i)
		for _, kind := range []wire.ActKind{wire.Dig, wire.Place, wire.Open, wire.Store} {
			seq++
			// What does not arrive changes nothing either; the answers are counted below.
			_ = conn.Send(wire.Encode(&wire.Act{Seq: seq, Kind: kind, X: a.X, Y: a.Y, Z: a.Z, Face: 1}))
			time.Sleep(20 * time.Millisecond)
		}
	}
	for _, line := range []string{"/unclaim town Ann", "/trust Eve", fmt.Sprintf("/fill %s %s air", w.house(0), w.house(1)), fmt.Sprintf("/rollback * 1h %s %s", w.box.Min, w.box.Max)} {
		_ = conn.Send(wire.Encode(&wire.Say{Text: line}))
	}
	w.until("most of it to be refused", func() bool { return refused.Load() > houses })
}

// byNode lets a node that Eve runs say to all three nodes what regions and the lobby say to
// each other, and what she has signed for an operator.
func (w *town) byNode() {
	w.Helper()
	record, err := genesis.DecodeText(w.meta.Record)
	if err != nil {
		w.Fatal(err)
	}
	evil := ed25519.NewKeyFromSeed([]byte("the key of whoever is evil, 32 B"))
	for _, n := range w.nodes {
		key, err := identity.Solve(rand.Reader, int(record.Genesis.Difficulty), nil)
		if err != nil {
			w.Fatal(err)
		}
		in, err := hostile.Join(record, key, nil, hostile.Config{
			Seed: 3, Victim: hostile.PeerAt(n.Self.ID, netip.MustParseAddrPort(n.Nodes)), Spares: func(shards.Shard) bool { return true },
		})
		if err != nil {
			w.Fatal(err)
		}
		w.Cleanup(func() { _ = in.Leave() })
		w.until("a link of Eve's node", func() bool { return in.Links.Load() > 0 })
		for _, m := range w.lies(evil) {
			if err := in.Look(w.ctx, func(h *hostile.Node) { h.Say(m) }); err != nil {
				w.Fatal(err)
			}
		}
	}
	time.Sleep(2 * time.Second) // what is doubted is decided in this time
}

// lies are messages of which each would change the town, if it were believed.
func (w *town) lies(evil ed25519.PrivateKey) (out []machine.Message) {
	signed := func(o decision.Order) []byte {
		o.World, o.Seq = w.meta.ID, uint64(time.Now().UnixMilli())
		o.Sign(evil)
		return o.Append(nil)
	}
	regions := w.regions()
	for i := range houses {
		at := w.house(i)
		home := shards.Shard{Region: at.Region()}
		for k, m := range []machine.Message{
			&region.Act{Player: w.ann.who.Player(), Seq: 1000 + uint32(i), Kind: uint8(world.ActDig), Pos: at, Face: uint8(world.FaceUp)},
			&region.RemoteEdit{Epoch: 9, Remote: &world.Remote{
				Kind: world.RemoteBreak, From: regions[(i+1)%4], Player: w.ann.who.Player(), Seq: 1, At: at, Block: world.Bricks, Body: at.Centre(), Mode: world.Creative, Operator: true, Op: uint64(i) + 1,
			}},
			&region.Undo{Tag: uint64(i), Signed: signed(decision.Order{Kind: decision.Build, Text: fmt.Sprintf("fill %s %s air", at, at)})},
			&region.Undo{Tag: uint64(i), Signed: signed(decision.Order{Kind: decision.Rollback, Text: decision.Undo{Box: w.box}.String()})},
		} {
			from := shards.Shard{Lobby: true}
			if k == 1 {
				from = shards.Shard{Region: regions[(i+1)%4]}
			}
			out = append(out, &routing.Routed{To: home, From: from, Msg: m})
		}
	}
	return out
}
