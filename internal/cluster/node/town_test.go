package node

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// A town of twenty houses on both sides of a street, five in each of the four regions that
// meet at (128, 128).
const (
	townFirst, townPitch = 94, 7 // x of the first house, from house to house
	northWall, southWall = 120, 136
	townMiddle           = 128
)

// townBox holds the town and all that is built around it; below, grass becomes dirt by itself.
var townBox = world.Zone{Min: world.Pos{X: 80, Y: ground + 1, Z: 105}, Max: world.Pos{X: 175, Y: ground + 8, Z: 150}}

// houseAt is the corner of a house with the smallest coordinates.
func houseAt(i int) world.Pos {
	at := world.Pos{X: int32(townFirst + townPitch*(i%10)), Y: ground + 1, Z: northWall - 4}
	if at.X > townMiddle-5 {
		at.X++ // none stands on the border
	}
	if i >= 10 {
		at.Z = southWall
	}
	return at
}

// fronts are blocks of the wall of a house that faces the street, and where one stands to
// reach them.
func fronts(i int) (stand world.Pos, blocks []world.Pos) {
	at := houseAt(i)
	z, street := int32(northWall), int32(northWall+3)
	if i >= 10 {
		z, street = southWall, southWall-3
	}
	for k := range int32(4) {
		blocks = append(blocks, world.Pos{X: at.X + 1 + k%2, Y: at.Y + k/2, Z: z})
	}
	return world.Pos{X: at.X + 2, Y: at.Y, Z: street}, blocks
}

// town is a world on three nodes with an operator, Ann, a builder, Bo, and a griefer.
type town struct {
	*cluster
	ann, bo, eve *wanderer
}

func newTown(t *testing.T, seed uint64, nodes int) *town {
	c := newCluster(t, seed, 0)
	c.spawn = world.Pos{X: townMiddle, Y: ground + 1, Z: townMiddle}
	c.change = func(_ int, n *Net) { n.Founder = nodePeer(0).ID }
	c.start(3)
	w := &town{cluster: c, ann: c.addGuest(0), bo: c.addGuest(1)}
	w.ann.local, w.bo.orders = true, true
	w.until("Ann is in", func() bool { return w.ann.in })
	w.until("Ann is an operator everywhere", func() bool { return len(c.operators(w.ann.player())) == 3 })
	for _, g := range []*wanderer{w.ann, w.bo} {
		g.drive = func() { g.step(world.Input{}) }
	}
	w.until("Bo is in", func() bool { return w.bo.in })
	for i := range 20 {
		a := houseAt(i)
		w.tells(w.ann, fmt.Sprintf("/hollow %s %s bricks", a, a.Add(4, 4, 4)), "blocks changed")
	}
	for i := 3; i < nodes; i++ { // come too late to host the town
		c.addNode(i)
	}
	c.s.Run(2 * time.Second)
	w.eve = c.addGuest(nodes - 1)
	w.eve.drive = func() { w.eve.step(world.Input{}) }
	w.until("Eve is in", func() bool { return w.eve.in })
	var empty []task // her hot bar has creative players' blocks
	for i := range world.HotBar {
		empty = append(empty, pick(w.eve, i))
	}
	w.does(w.eve, empty...)
	w.tells(w.ann, "/gamemode survival "+w.eve.name, "")
	w.tells(w.ann, "/give "+w.eve.name+" iron_pickaxe 1", "")
	w.tells(w.ann, "/give "+w.eve.name+" cobblestone 50", "")
	w.until("Eve has her tools", func() bool { return w.eve.items.Count(world.Cobblestone) == 50 })
	return w
}

// tells lets somebody type a line, and returns the answer that has a text in it.
func (w *town) tells(who *wanderer, line, want string) (answer string) {
	w.Helper()
	w.s.Run(1500 * time.Millisecond) // the lobby lets nobody write faster
	before := len(who.told)
	w.guests[who.index].Call(func() { who.say(&lobby.Say{Text: line}) })
	ok := w.s.RunUntil(func() bool {
		for _, l := range who.told[before:] {
			if strings.Contains(l, want) {
				answer = l
			}
		}
		return answer != ""
	}, time.Minute)
	if !ok {
		w.Fatalf("%s: %q, want %q", line, who.told[before:], want)
	}
	return answer
}

// task is done tick by tick until it says that it is over.
type task func() bool

// does lets somebody do tasks one after the other.
func (w *town) does(who *wanderer, tasks ...task) {
	w.Helper()
	i := 0
	who.drive = func() {
		if i == len(tasks) {
			who.step(world.Input{})
		} else if tasks[i]() {
			i++
		}
	}
	for end := w.s.Now().Add(10 * time.Minute); i < len(tasks); {
		if w.s.Run(time.Second); w.s.Now() > end {
			w.Fatalf("%s is at %v and has done %d of %d tasks", who.name, who.pos.Block(), i, len(tasks))
		}
	}
}

// walkTo walks along x, or across the street.
func walkTo(who *wanderer, to world.Pos) task {
	return func() bool {
		d := to.Centre().Sub(who.pos)
		if max(d.X.Abs(), d.Z.Abs()) < fixed.One/2 {
			who.step(world.Input{})
			return true
		}
		who.step(world.Input{Buttons: world.ButtonForward, Yaw: world.Angle(d.X, d.Z)})
		return false
	}
}

// acts lets somebody act and counts the answers.
func acts(who *wanderer, answers map[string]int, kind world.ActKind, at world.Pos, a int) task {
	seq := uint32(0)
	return func() bool {
		who.step(world.Input{})
		if seq == 0 {
			seq = who.act(kind, at, world.FaceUp, a, 0)
		}
		r := who.results[seq]
		if r != nil {
			answers[r.Reason]++
		}
		return r != nil
	}
}

// pick empties a slot.
func pick(who *wanderer, slot int) task {
	seq := uint32(0)
	return func() bool {
		who.step(world.Input{})
		if seq == 0 {
			seq = who.act(world.ActPick, world.Pos{}, 0, int(world.Air), slot)
		}
		return who.results[seq] != nil
	}
}

// ruins are the tasks of somebody who goes from house to house, digs walls and leaves
// cobblestone.
func ruins(who *wanderer, answers map[string]int) (all []task) {
	cobble := 0
	for i, s := range who.items {
		if s.Block == world.Cobblestone {
			cobble = i
		}
	}
	pickaxe := 0
	for i, s := range who.items {
		if s.Block == world.IronPickaxe {
			pickaxe = i
		}
	}
	for k := range 20 {
		i := k
		if k >= 10 {
			i = 29 - k // back along the other side
		}
		stand, blocks := fronts(i)
		all = append(all, walkTo(who, stand))
		all = append(all, acts(who, map[string]int{}, world.ActSelect, world.Pos{}, pickaxe))
		for _, at := range blocks {
			all = append(all, acts(who, answers, world.ActDig, at, 0))
		}
		all = append(all, acts(who, answers, world.ActPlace, world.Pos{X: stand.X + 2, Y: ground, Z: (stand.Z + blocks[0].Z) / 2}, cobble))
		if k == 9 {
			all = append(all, walkTo(who, stand.Add(0, 0, southWall-northWall-6)))
		}
	}
	return all
}

// area lets f see the area of a region at its leader.
func (w *town) area(r world.RegionPos, f func(*regionlog.Area)) {
	w.Helper()
	leader := w.leaderOf(shards.Shard{Region: r})
	if leader < 0 || !w.node(leader).WithArea(r, f) {
		w.Fatalf("nobody leads %v", r)
	}
}

// townRegions are the four.
var townRegions = []world.RegionPos{{X: 0, Z: 0}, {X: 1, Z: 0}, {X: 0, Z: 1}, {X: 1, Z: 1}}

// blocks are all blocks of the town.
func (w *town) blocks() map[world.Pos]world.Block {
	w.Helper()
	out := map[world.Pos]world.Block{}
	for _, r := range townRegions {
		w.area(r, func(a *regionlog.Area) {
			for x := townBox.Min.X; x <= townBox.Max.X; x++ {
				for z := townBox.Min.Z; z <= townBox.Max.Z; z++ {
					for y := townBox.Min.Y; y <= townBox.Max.Y; y++ {
						at := world.Pos{X: x, Y: y, Z: z}
						if at.Region() != r {
							continue
						}
						b, ok := a.Block(at)
						if !ok {
							w.Fatalf("%v is not there", at)
						}
						out[at] = b
					}
				}
			}
		})
	}
	return out
}

// census counts a block: in the town, in bags, in chests and on the ground.
func (w *town) census(of world.Block) (n int) {
	w.Helper()
	for _, b := range w.blocks() {
		if b == of {
			n++
		}
	}
	for _, r := range townRegions {
		w.area(r, func(a *regionlog.Area) {
			for _, p := range a.Players() {
				n += p.Items.Count(of)
			}
			for _, it := range a.Items() {
				if it.Stack.Block == of {
					n += int(it.Stack.Count)
				}
			}
			for _, box := range a.Containers() {
				for _, s := range box.Slots {
					if s.Block == of {
						n += int(s.Count)
					}
				}
			}
		})
	}
	return n
}

// differ lists where two states of the town differ.
func differ(a, b map[world.Pos]world.Block) (out differences) {
	for at, block := range a {
		if b[at] != block {
			out = append(out, fmt.Sprintf("%v is %v, was %v", at, b[at], block))
		}
	}
	slices.Sort(out)
	return out
}

type differences []string

func (d differences) String() string {
	return fmt.Sprintf("%d blocks: %s", len(d), strings.Join(d[:min(len(d), 5)], "; "))
}

// TestLongGriefer: somebody ruins a town of twenty houses in four regions that three nodes
// host. The operator reads who it was, sees what a rollback would do, and takes back what
// was done since the minute before: nothing else changes, and nothing is there twice.
func TestLongGriefer(t *testing.T) {
	simtest.Long(t)
	w := newTown(t, 5, 3)
	leaders := map[int]bool{}
	for _, r := range townRegions {
		leaders[w.leaderOf(shards.Shard{Region: r})] = true
	}
	t.Logf("%d nodes lead the four regions", len(leaders))
	// What Eve built before stays.
	answers := map[string]int{}
	own := world.Pos{X: townMiddle - 20, Y: ground + 1, Z: townMiddle}
	w.does(w.eve, walkTo(w.eve, own.Add(2, 0, 0)), acts(w.eve, answers, world.ActPlace, own.Add(0, -1, 0), slotOf(w.eve, world.Cobblestone)))
	if answers[""] != 1 {
		t.Fatalf("Eve builds: %v, %v", answers, w.eve.items)
	}
	w.s.Run(3 * time.Minute)
	before, bricks, cobble := w.blocks(), w.census(world.Bricks), w.census(world.Cobblestone)

	answers = map[string]int{}
	began := w.s.Now()
	w.does(w.eve, ruins(w.eve, answers)...)
	if answers[""] != 100 {
		t.Fatalf("Eve ruins the town: %v", answers)
	}
	t.Logf("Eve took %v", w.s.Now().Sub(began))
	// Bo mends one wall himself.
	_, walls := fronts(4)
	w.tells(w.ann, "/role "+w.bo.name+" builder", "")
	w.tells(w.bo, fmt.Sprintf("/fill %s %s stone_bricks", walls[0], walls[0]), "1 block changed")
	ruined := w.blocks()
	if n := len(differ(before, ruined)); n != 100 {
		t.Errorf("%d blocks have changed", n)
	}

	if seen := w.tells(w.ann, fmt.Sprintf("/inspect %s %s", houseAt(0), houseAt(0).Add(4, 4, 4)), "bricks became air"); !strings.Contains(seen, w.eve.name+":") {
		t.Errorf("who it was: %s", seen)
	}
	w.tells(w.ann, "/rollback "+w.eve.name+" 3m 100 preview", "99 blocks would be changed")
	if changed := differ(ruined, w.blocks()); len(changed) > 0 {
		t.Errorf("the preview changes something: %v", changed)
	}
	w.tells(w.ann, "/rollback "+w.eve.name+" 3m 100", "99 blocks changed")
	w.s.Run(5 * time.Second)
	want := maps.Clone(before)
	want[walls[0]] = world.StoneBricks
	check := func(when string) {
		t.Helper()
		if changed := differ(want, w.blocks()); len(changed) > 0 {
			t.Errorf("%s: %v", when, changed)
		}
		// One brick of Bo's wall is Eve's.
		if n := w.census(world.Bricks); n != bricks {
			t.Errorf("%s: %d bricks, there were %d", when, n, bricks)
		}
		if n := w.census(world.Cobblestone); n > cobble {
			t.Errorf("%s: %d cobblestones, there were %d", when, n, cobble)
		}
	}
	check("after the rollback")
	crashed := w.leaderOf(shards.Shard{Region: townRegions[3]})
	w.nodes[crashed].Crash()
	w.s.Run(5 * time.Second)
	w.nodes[crashed].Restart()
	w.until("all are in again", func() bool { return w.ann.in && w.bo.in && w.eve.in })
	w.s.Run(10 * time.Second)
	check("after a crash")
}

func slotOf(who *wanderer, b world.Block) int {
	for i, s := range who.items {
		if s.Block == b {
			return i
		}
	}
	return 0
}

// TestLongGrieferOnLand: the town is somebody's land. The same griefer changes nothing: as
// anybody plays, with a client that says what none may, and by a node of its own; and a node
// that leads a part of the town and lets it is replaced.
func TestLongGrieferOnLand(t *testing.T) {
	simtest.Long(t)
	w := newTown(t, 5, 4)
	const evil = 3 // Eve's node
	for _, r := range townRegions {
		if w.node(evil).net.hosting.Hosts(shards.Shard{Region: r}) {
			t.Fatalf("Eve's node hosts %v: take another seed", r)
		}
	}
	w.tells(w.ann, fmt.Sprintf("/claim town %d 0 %d %d 200 %d", townBox.Min.X, townBox.Min.Z, townBox.Max.X, townBox.Max.Z), "is yours")
	w.s.Run(2 * time.Second)
	before := w.blocks()
	same := func(what string) {
		t.Helper()
		if changed := differ(before, w.blocks()); len(changed) > 0 {
			t.Errorf("%s: %v", what, changed)
		}
	}
	answers := map[string]int{}
	w.does(w.eve, ruins(w.eve, answers)...)
	if answers[string(world.Claimed)] != 100 {
		t.Errorf("as anybody plays: %v", answers)
	}
	same("as anybody plays")

	stand, walls := fronts(2)
	w.does(w.eve, walkTo(w.eve, stand))
	w.guests[w.eve.index].Call(func() {
		for _, m := range w.lies(walls) {
			for _, r := range townRegions {
				w.eve.tell(r, m)
			}
		}
		w.eve.say(&lobby.Say{Text: "/unclaim town " + w.ann.name})
		w.eve.say(&lobby.Say{Text: fmt.Sprintf("/fill %s %s air", walls[0], walls[3])})
	})
	w.s.Run(5 * time.Second)
	same("a patched client")

	w.nodes[evil].Call(func() {
		for i := range 3 {
			for _, m := range w.lies(walls) {
				for _, from := range []shards.Shard{{Lobby: true}, {Region: townRegions[1]}, {Region: world.RegionPos{X: -1}}} {
					w.node(evil).net.links.Send(nodePeer(i), &routing.Routed{To: shards.Shard{Region: townRegions[0]}, From: from, Msg: m})
				}
			}
		}
	})
	w.s.Run(5 * time.Second)
	same("a node of its own")

	home := shards.Shard{Region: townRegions[0]}
	liar, answers := w.leaderOf(home), map[string]int{}
	var dig []task
	for _, at := range walls {
		dig = append(dig, acts(w.eve, answers, world.ActDig, at, 0))
	}
	began := w.s.Now()
	replaced := func() bool { l := w.leaderOf(home); return l >= 0 && l != liar }
	forget := func() {
		w.nodes[liar].Call(func() {
			w.node(liar).WithArea(home.Region, func(a *regionlog.Area) {
				if len(a.Lands()) > 0 {
					_ = a.SetLands(id.Of([]byte("country")), nil)
				}
			})
		})
		w.s.Run(100 * time.Millisecond)
	}
	forget()
	w.does(w.eve, dig...)
	for !replaced() && w.s.Now().Sub(began) < time.Minute {
		forget()
	}
	if !replaced() || w.noted("does not heed what player") == 0 {
		t.Fatalf("replaced %v after %v; said: %q", replaced(), w.s.Now().Sub(began), w.notes)
	}
	t.Logf("replaced after %v; Eve has dug %v", w.s.Now().Sub(began), answers)
	w.s.Run(5 * time.Second)
	w.tells(w.ann, "/rollback "+w.eve.name+" 2m town", fmt.Sprintf("%d blocks changed", answers[""]))
	answers = map[string]int{}
	w.does(w.eve, acts(w.eve, answers, world.ActDig, walls[0], 0))
	if answers[string(world.Claimed)] != 1 {
		t.Errorf("after the liar: %v", answers)
	}
	same("a node that leads the land")
}

// lies are messages of which each would change one of some blocks, if it were believed.
func (w *town) lies(blocks []world.Pos) (out []machine.Message) {
	for i, at := range blocks {
		epoch := w.eve.epoch + 1
		op := region.TickAt(w.s.Now(), singleNodeStart)<<8 | uint64(i+1)
		edit := &world.Remote{Kind: world.RemoteBreak, From: townRegions[1], Player: w.ann.player(), Seq: 1, At: at, Block: world.Bricks, Body: w.eve.pos, Operator: true, Op: op}
		build := decision.Order{Kind: decision.Build, Text: fmt.Sprintf("fill %s %s air", at, at)}
		out = append(out,
			&region.Act{Player: w.ann.player(), Seq: 1000 + uint32(i), Kind: uint8(world.ActDig), Pos: at, Face: uint8(world.FaceUp)},
			&region.RemoteEdit{Remote: edit, Oldest: op, Epoch: epoch},
			&region.Undo{Tag: uint64(i), Signed: w.order(build, id.ID{}, evilKey)},
			&region.Undo{Tag: uint64(i), Signed: w.order(decision.Order{Kind: decision.Rollback, Text: decision.Undo{Box: townBox}.String()}, id.ID{}, evilKey)},
		)
	}
	return out
}
