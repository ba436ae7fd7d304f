package regionlog

import (
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// seen is what has come about in a play, so that a test can tell that it was tested.
type seen struct {
	opened, stored, spilled, lit, turned, fell, handed, failed, merged int
}

func (s *seen) add(o seen) {
	s.opened, s.stored, s.spilled, s.turned = s.opened+o.opened, s.stored+o.stored, s.spilled+o.spilled, s.turned+o.turned
	s.lit += o.lit
	s.fell, s.handed, s.failed, s.merged = s.fell+o.fell, s.handed+o.handed, s.failed+o.failed, s.merged+o.merged
}

func (s seen) check(t *testing.T) {
	t.Helper()
	t.Logf("%+v", s)
	if s.opened == 0 || s.stored == 0 || s.spilled == 0 || s.lit == 0 || s.turned == 0 || s.fell == 0 || s.handed == 0 || s.failed == 0 || s.merged == 0 {
		t.Error("not everything that was to be tested has come about")
	}
}

// kit is what players build and fill chests with.
var kit = []world.Stack{{Block: world.Chest, Count: 60}, {Block: world.OakDoor, Count: 60}, {Block: world.Furnace, Count: 60}, {Block: world.OakPlanks, Count: 90}, {Block: world.IronOre, Count: 60}, {Block: world.IronPickaxe, Count: 1}, {Block: world.OakSign, Count: 60}}

// builds makes another act of one: with a chest, a furnace or a door that is near, or to place one.
func (w *play) builds(p *world.Player, act world.Act) world.Act {
	var near []world.Pos
	for _, at := range w.built {
		if world.InReach(p.Body.Pos, at) {
			near = append(near, at)
		}
	}
	g := &w.g
	switch k := g.Intn(8); {
	case k < 2:
		return act
	case len(near) == 0 || k == 2:
		down := p.Body.Pos.Block().Add(int32(g.Intn(5)-2), -1, int32(g.Intn(5)-2))
		return world.Act{Kind: world.ActPlace, At: down, Face: world.FaceUp, A: []int64{0, 1, 2, 6}[g.Intn(4)]}
	default:
		act = world.Act{At: near[g.Intn(len(near))], Face: world.FaceUp}
		slot := func() int64 { return int64(g.Intn(len(kit))) + int64(g.Intn(2))*world.ContainerSlots }
		switch {
		case k == 3:
			act.Kind, act.Face = world.ActDig, world.Face(g.Intn(8)) // there are six
		case k == 4:
			act.Kind = world.ActOpen
		case k == 5:
			act.Kind, act.Text = world.ActWrite, []string{"", "Ada\n→", "mine"}[g.Intn(3)]
		default:
			act.Kind, act.A, act.B = world.ActStore, slot(), slot()+int64(g.Intn(3))<<8
			if g.OneIn(2) { // planks and ores, where they belong
				act.A, act.B = 3+int64(g.Intn(2)), world.AnySlot
			}
		}
		return act
	}
}

// ordered is what an operator has signed.
func ordered(player id.ID, o decision.Order, seq uint64) world.Command {
	o.World, o.Subject, o.Seq = testWorld, player, seq
	o.Sign(keyOf("operator"))
	does := o.Does(world.Pos{}, nil, 2)
	does.Signed = o.Append(nil)
	return world.Command{Player: player, Kind: world.CmdOrder, Seq: uint32(seq), Order: does}
}

// asked is what the lobby and the neighbours want in a tick.
func (w *play) asked() (cmds []world.Command) {
	g := &w.g
	who := w.players[g.Intn(len(w.players))]
	p := who.id
	order := func(o decision.Order) {
		cmds = append(cmds, ordered(p, o, w.tick))
	}
	remote := func(m world.Remote) {
		m.Op = w.tick << 8
		if m.Kind == world.RemoteItem { // nobody signs that
			m.From = world.RegionPos{X: 1}
			cmds = append(cmds, world.Command{Kind: world.CmdRemote, Remote: &m})
			return
		}
		cmds = append(cmds, w.remote(who, &m))
	}
	at := world.Pos{X: 127, Y: top, Z: int32(g.Intn(128))}
	if len(w.built) > 0 {
		at = w.built[g.Intn(len(w.built))]
	}
	now, _ := w.a.Block(at)
	switch g.Intn(28) {
	case 0, 1, 2:
		order(decision.Order{Kind: decision.Teleport, At: at.Next(world.FaceUp).Centre()})
	case 3:
		s := kit[g.Intn(len(kit))]
		order(decision.Order{Kind: decision.Give, Text: world.Info(s.Block).Name, Count: uint16(s.Count)})
	case 4:
		order(decision.Order{Kind: decision.SetMode, Text: decision.Modes[g.Intn(2)]})
	case 5:
		remote(world.Remote{Kind: world.RemoteOpen, At: at, Block: now})
	case 6:
		remote(world.Remote{Kind: world.RemoteBreak, At: at, Block: now})
	case 7:
		remote(world.Remote{Kind: world.RemotePlace, At: world.Pos{X: 127, Y: top + 1, Z: int32(g.Intn(128))}, Face: world.FaceUp, Block: kit[g.Intn(3)].Block})
	case 9:
		if it := w.a.Items(); len(it) > 0 {
			given := *it[0]
			remote(world.Remote{Kind: world.RemoteItem, At: given.Body.Pos.Block(), Item: &given})
		}
	case 24, 25:
		order(decision.Order{Kind: decision.SetHome, Text: []string{"home", "mine"}[g.Intn(2)]})
	case 26:
		order(decision.Order{Kind: decision.ToHome, Text: "home"})
	case 27:
		order(decision.Order{Kind: decision.DelHome, Text: "mine"})
	case 10:
		if g.OneIn(5) {
			w.breakOff(at, now)
		}
	}
	return cmds
}

// breakOff is what ends a log: a write that has failed, or a copy that is merged.
func (w *play) breakOff(at world.Pos, now world.Block) {
	if w.seen.failed <= w.seen.merged {
		if stored := w.a.Containers(); len(stored) > 0 {
			c := stored[w.g.Intn(len(stored))]
			less := &world.Container{At: c.At, Owner: c.Owner, Slots: slices.Clone(c.Slots)}
			if c.Text != "" {
				less.Text = "before"
			} else {
				less.Slots[len(less.Slots)-1] = world.Stack{Block: world.OakPlanks, Count: 7}
			}
			w.a.SetContainer(c.At, less)
		}
		w.a.Revert([]world.BlockChange{{At: at, Was: world.Air, Now: now}})
		if p := w.a.Player(w.players[0].id); p != nil {
			items := p.Items
			items[2] = world.Stack{Block: world.OakPlanks, Count: 50}
			w.a.TakeBack(p, items)
		}
		w.seen.failed++
		return
	}
	made, _ := w.a.Merge([]world.BlockChange{{At: at, Was: now, Now: world.Stone}, {At: at.Add(0, 1, 0), Was: world.Air, Now: world.Chest}})
	w.seen.merged += len(made)
}

// look notes what a step has done.
func (w *play) look(c *world.Changes) {
	w.seen.opened += len(c.Opened)
	w.seen.handed += len(c.Answers)
	for _, at := range c.Containers {
		w.seen.stored++
		if b, _ := w.a.Block(at); world.Info(b).Stores == 0 {
			w.seen.spilled++
		}
	}
	for _, b := range c.Blocks {
		switch {
		case b.Was.IsDoor() && b.Now.IsDoor():
			w.seen.turned++
		case b.Was.IsDoor():
			w.seen.fell++
		case world.Info(b.Now).Smelts == pack.Lit:
			w.seen.lit++
		case world.Info(b.Was).Smelts > 0:
		case b.Now.IsDoor() || b.Now.IsSign() || world.Info(b.Now).Stores > 0:
			w.built = append(w.built, b.At)
		}
	}
}

// equip lets players now and then come back with what is necessary.
func (w *play) equip() {
	for _, p := range w.players {
		if at := w.a.Player(p.id); at != nil && at.Items[0].Block != world.Chest && w.g.OneIn(40) {
			copy(w.a.RemovePlayer(p.id).Items[:], kit)
			w.a.AddPlayer(at)
		}
	}
}
