package worldlab

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// survivor is a player who comes from nothing to the best tool in one region, by body steps
// and acts as a client sends them.
type survivor struct {
	a      *world.Area
	p      *world.Player
	tick   uint64
	seq    uint32 // of body steps
	acts   uint32
	stage  int
	deaths int
	dug    int

	path    []world.Pos
	stuck   int // ticks on the same step of the path
	digging uint32
	answer  *world.Refusal // of the act that was done last
	avoid   map[world.Pos]bool
	nextHit uint64
	lost    int    // ticks for which it goes astray, because it found no way
	astray  uint16 // where to
	rng     rng.Rand
	furnace world.Pos
	placed  bool
}

// step of the plan: it has what it wants, or does something about it in this tick.
type survivorStep struct {
	name string
	has  func(*survivor) bool
	do   func(*survivor)
}

var (
	isLog     = set(world.OakLog, world.BirchLog, world.PineLog)
	isStone   = set(world.Stone)
	isIronOre = set(world.IronOre)
)

func set(all ...world.Block) map[world.Block]bool {
	out := map[world.Block]bool{}
	for _, b := range all {
		out[b] = true
	}
	return out
}

func has(b world.Block, n int) func(*survivor) bool {
	return func(s *survivor) bool { return s.p.Items.Count(b) >= n }
}

func makes(b world.Block) func(*survivor) { return func(s *survivor) { s.make(b, 3) } }

// survivorPlan is what a player does one after the other.
var survivorPlan = []survivorStep{
	{"six logs", func(s *survivor) bool {
		return s.p.Items.Count(world.OakLog)+s.p.Items.Count(world.BirchLog)+s.p.Items.Count(world.PineLog) >= 6
	}, func(s *survivor) { s.gather(isLog) }},
	{"a wooden pickaxe", has(world.WoodenPickaxe, 1), makes(world.WoodenPickaxe)},
	{"sixteen cobblestone", has(world.Cobblestone, 16), func(s *survivor) { s.gather(isStone) }},
	{"a stone pickaxe", has(world.StonePickaxe, 1), makes(world.StonePickaxe)},
	{"a furnace", has(world.Furnace, 1), makes(world.Furnace)},
	{"three iron ore", has(world.IronOre, 3), func(s *survivor) { s.gather(isIronOre) }},
	{"the furnace stands", func(s *survivor) bool { return s.placed }, (*survivor).place},
	{"three iron ingots", has(world.IronIngot, 3), (*survivor).smelt},
	{"an iron pickaxe", has(world.IronPickaxe, 1), makes(world.IronPickaxe)},
}

func newSurvivor(seed uint64) *survivor {
	a, at := wild(seed, 8)
	s := &survivor{a: a, avoid: map[world.Pos]bool{}, rng: rng.New(seed, 0x50)}
	s.p = world.NewPlayer(id.Of([]byte("survivor")), "survivor", world.Survival, world.SpawnFeet(at))
	s.p.Items = world.Inventory{}
	a.AddPlayer(s.p)
	return s
}

func (s *survivor) done() bool   { return s.stage == len(survivorPlan) }
func (s *survivor) goal() string { return survivorPlan[s.stage].name }

// step lets a tick pass, and reports whether the step of the plan is done.
func (s *survivor) step() bool {
	switch {
	case s.p.Dead():
		s.deaths++
		s.path, s.digging = nil, 0
		s.act(world.Act{Kind: world.ActRespawn})
		s.stand()
	case s.strike():
	case s.digging != 0:
		s.stand()
	default:
		survivorPlan[s.stage].do(s)
	}
	if !survivorPlan[s.stage].has(s) {
		return false
	}
	s.stage++
	s.path, s.digging = nil, 0
	clear(s.avoid)
	return true
}

// strike hits a monster that is near, as often as that counts.
func (s *survivor) strike() bool {
	if s.tick < s.nextHit {
		return false
	}
	for _, m := range s.a.Mobs() {
		d := m.Body.Pos.Sub(s.p.Body.Pos)
		if isMonster[m.Kind] && max(d.X.Abs(), d.Y.Abs(), d.Z.Abs()) < 3*fixed.One {
			s.nextHit = s.tick + strikeEvery
			s.act(world.Act{Kind: world.ActHit, A: int64(m.Entity)})
			return true
		}
	}
	return false
}

// strikeEvery is how many ticks lie between two blows.
const strikeEvery = 9

var isMonster = func() map[world.MobKind]bool {
	out := map[world.MobKind]bool{}
	for i, m := range pack.Base().Mobs {
		out[world.MobKind(i+1)] = m.Monster()
	}
	return out
}()

// run is a tick in which the player makes a body step, and perhaps an act behind it.
func (s *survivor) run(in world.Input, act *world.Act) {
	s.tick++
	s.seq++
	cmds := []world.Command{{Player: s.p.ID, Kind: world.CmdInput, Seq: s.seq, Input: in}}
	if act != nil {
		s.acts++
		cmds = append(cmds, world.Command{Player: s.p.ID, Kind: world.CmdAct, Seq: s.acts, After: s.seq, Act: *act})
	}
	s.answer = nil
	for _, r := range s.a.Tick(s.tick, cmds).Results {
		if r.Kind == world.CmdAct && r.Seq == s.digging {
			s.digging = 0
			if r.Code == world.Done {
				s.dug++
			}
		}
		if r.Kind == world.CmdAct && r.Seq == s.acts {
			code := r.Code
			s.answer = &code
		}
	}
}

func (s *survivor) stand() { s.run(world.Input{Yaw: s.p.Body.Yaw}, nil) }

// act does something and reports whether it was done at once.
func (s *survivor) act(a world.Act) bool {
	s.run(world.Input{Yaw: s.p.Body.Yaw}, &a)
	return s.answer != nil && *s.answer == world.Done
}

// dig begins to break a block with the best tool for it that it has.
func (s *survivor) dig(at world.Pos) {
	b, _ := s.a.Block(at)
	s.hold(b)
	s.digging = s.acts + 1
	s.act(world.Act{Kind: world.ActDig, At: at, Face: world.FaceUp})
	if s.answer != nil && *s.answer != world.Done { // refused, or broken at once
		s.avoid[at] = true
	}
}

// hold takes the fastest tool for a block into the hand.
func (s *survivor) hold(b world.Block) {
	best, ticks := -1, uint32(1<<31)
	for i, st := range s.p.Items[:world.Carried] {
		if need, ok := world.DigTicks(b, world.Survival, st.Block); ok && st.Count > 0 && st.Block.Lasts() && need < ticks && world.Info(st.Block).Tool.Kind == world.Info(b).Dig.Kind {
			best, ticks = i, need
		}
	}
	if best < 0 {
		return
	}
	if best >= world.HotBar {
		s.act(world.Act{Kind: world.ActMoveItem, A: int64(best), B: world.HotBar - 1})
		best = world.HotBar - 1
	}
	if int(s.p.Selected) != best {
		s.act(world.Act{Kind: world.ActSelect, A: int64(best)})
	}
}

// make crafts one of something, with what that is made of.
func (s *survivor) make(b world.Block, depth int) bool {
	for i, r := range world.Recipes {
		if r.Out.Block != b || r.Ticks > 0 || depth == 0 {
			continue
		}
		ready := true
		for _, in := range r.In {
			for ready && s.p.Items.Count(in.Block) < int(in.Count) {
				ready = s.make(in.Block, depth-1)
			}
		}
		if ready && s.act(world.Act{Kind: world.ActCraft, A: int64(i), B: 1}) {
			return true
		}
	}
	if depth == 3 {
		s.stand()
	}
	return false
}

// place puts the furnace beside the player.
func (s *survivor) place() {
	here := s.p.Body.Pos.Block()
	slot := s.slot(world.Furnace)
	for f := world.FaceNorth; f <= world.FaceEast; f++ {
		at := here.Next(f)
		b, _ := s.a.Block(at)
		under, _ := s.a.Block(at.Next(world.FaceDown))
		if !under.Solid() || s.avoid[at] {
			continue
		}
		if b.Solid() {
			s.dig(at)
			return
		}
		if slot >= world.HotBar {
			s.act(world.Act{Kind: world.ActMoveItem, A: int64(slot), B: world.HotBar - 1})
			slot = world.HotBar - 1
		}
		if s.act(world.Act{Kind: world.ActPlace, At: at.Next(world.FaceDown), Face: world.FaceUp, A: int64(slot)}) {
			s.furnace, s.placed = at, true
			return
		}
		s.avoid[at] = true
	}
	clear(s.avoid)
	s.stand()
}

// slot is where something is carried, −1 if it is not.
func (s *survivor) slot(b world.Block) int {
	for i, st := range s.p.Items[:world.Carried] {
		if st.Count > 0 && st.Block == b {
			return i
		}
	}
	return -1
}

// smelt puts ore and planks into the furnace, and takes out what has become of them.
func (s *survivor) smelt() {
	put := func(from int64) bool {
		return from >= 0 && s.act(world.Act{Kind: world.ActStore, At: s.furnace, A: from, B: world.AnySlot})
	}
	c := s.a.Contents(s.furnace)
	switch {
	case s.p.Items.Count(world.IronOre) > 0 && put(int64(s.slot(world.IronOre))):
	case c != nil && c.Slots[pack.FurnaceOutput].Count >= 3 && put(world.ContainerSlots+pack.FurnaceOutput):
	case c != nil && c.Heat == 0 && c.Slots[pack.FurnaceFuel].Count == 0:
		for _, fuel := range []world.Block{world.CoalOre, world.OakPlanks, world.BirchPlanks, world.PinePlanks, world.OakLog, world.BirchLog, world.PineLog} {
			if put(int64(s.slot(fuel))) {
				return
			}
		}
		s.stand()
	default:
		s.stand()
	}
}

// walk makes a body step towards the middle of a place.
func (s *survivor) walk(to world.Pos) {
	feet := world.SpawnFeet(to)
	d := feet.Sub(s.p.Body.Pos)
	in := world.Input{Yaw: world.Angle(d.X, d.Z), Buttons: world.ButtonForward}
	if d.X.Abs()+d.Z.Abs() < fixed.One/4 {
		in.Buttons = 0
	}
	if d.Y > fixed.One/2 || s.p.Body.InWater {
		in.Buttons |= world.ButtonJump
	}
	s.run(in, nil)
}
