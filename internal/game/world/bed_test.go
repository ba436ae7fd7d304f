package world

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

// TestBeds: a bed lies away from whoever places it, and goes as a whole.
func TestBeds(t *testing.T) {
	for name, c := range map[string]struct {
		at, head Pos
		foot     Block
	}{
		"east":  {Pos{22, 10, 20}, Pos{23, 10, 20}, RedBedEast},
		"west":  {Pos{18, 10, 20}, Pos{17, 10, 20}, RedBedWest},
		"south": {Pos{20, 10, 22}, Pos{20, 10, 23}, RedBedSouth},
		"north": {Pos{20, 10, 18}, Pos{20, 10, 17}, RedBed},
	} {
		for _, broken := range []Pos{c.at, c.head} {
			a := flatArea(AreaConfig{Seed: 2})
			p := guest("ada", 20, 10, 20)
			p.Items = Inventory{{RedBed, 1}}
			a.AddPlayer(p)
			if got := a.doAct(t, p, Act{Kind: ActPlace, At: c.at.Next(FaceDown), Face: FaceUp}); got != Done || p.Items.Count(RedBed) != 0 {
				t.Fatalf("%s: %q", name, got)
			}
			mustBe(t, a, c.at, c.foot)
			mustBe(t, a, c.head, c.foot+1)
			a.doAct(t, p, Act{Kind: ActDig, At: broken})
			for range 40 {
				p.LastInput = a.tick
				a.Tick(a.tick+1, []Command{{Player: p.ID, Kind: CmdInput, Seq: p.LastSeq + 1}})
			}
			mustBe(t, a, c.at, Air)
			mustBe(t, a, c.head, Air)
			if n := p.Items.Count(RedBed); n != 1 {
				t.Errorf("%s: %d beds of one", name, n)
			}
		}
	}
}

// TestBedNeedsRoom for both halves, in one region.
func TestBedNeedsRoom(t *testing.T) {
	for name, c := range map[string]struct {
		at   Pos
		wall Pos
		want Refusal
	}{
		"room":       {at: Pos{22, 10, 20}},
		"wall":       {at: Pos{22, 10, 20}, wall: Pos{23, 10, 20}, want: NotReplaceable},
		"the border": {at: Pos{127, 10, 20}, want: NotReplaceable},
	} {
		a := NewArea(AreaConfig{}, RegionPos{}, air{})
		for _, column := range flatArea(AreaConfig{}).columns {
			a.SetColumn(column)
		}
		p := guest("ada", int(c.at.X)-2, 10, 20)
		p.Items = Inventory{{RedBed, 1}}
		a.AddPlayer(p)
		if c.wall != (Pos{}) {
			put(a, c.wall, Stone)
		}
		if got := a.doAct(t, p, Act{Kind: ActPlace, At: c.at.Next(FaceDown), Face: FaceUp}); got != c.want || (p.Items.Count(RedBed) == 1) == (c.want == Done) {
			t.Errorf("%s: %q, %d left", name, got, p.Items.Count(RedBed))
		}
	}
}

// air is a world that is loaded and empty.
type air struct{}

func (air) Block(Pos) (Block, bool) { return Air, true }

// TestLifeInBed: who has used a bed comes back to it, and to the spawn once it is gone.
func TestLifeInBed(t *testing.T) {
	for _, gone := range []bool{false, true} {
		a := flatArea(AreaConfig{Seed: 2, Spawn: Pos{90, 10, 90}})
		p := guest("ada", 20, 10, 20)
		a.AddPlayer(p)
		at := Pos{22, 10, 20}
		put(a, at.Add(1, 0, 0), RedBedEastHead)
		put(a, at, RedBedEast)
		if got := a.doAct(t, p, Act{Kind: ActOpen, At: at}); got != Done || len(a.changes.Notices) != 1 || len(a.changes.Saves) != 1 {
			t.Fatalf("%q", got)
		}
		if again, err := DecodePlayer(p.AppendBinary(nil)); err != nil || again.Bed != at || !again.HasBed {
			t.Fatalf("%v: %+v", err, again)
		}
		if gone {
			put(a, at, Air)
			put(a, at.Add(1, 0, 0), Air)
		}
		p.Body.Pos.X += 20 * fixed.One
		a.hurt(p, MaxHealth, ByOrder)
		if got := a.doAct(t, p, Act{Kind: ActRespawn}); got != Done {
			t.Fatalf("%q", got)
		}
		ticks(a, 5)
		want := at
		if gone {
			want = a.cfg.Spawn
		}
		if d := p.Body.Pos.Block(); d.X != want.X || d.Z != want.Z || p.Arriving || p.HasBed == gone {
			t.Errorf("gone %v: stands at %v, has a bed %v", gone, d, p.HasBed)
		}
	}
}

// TestWhatTheDeadLeave: nothing is lost or doubled, also where there is no room for more
// items, and only in worlds whose rule it is.
func TestWhatTheDeadLeave(t *testing.T) {
	for name, c := range map[string]struct {
		drops      bool
		lie        int // items that lie there before
		left, kept int
	}{"no": {kept: 12}, "yes": {drops: true, left: 12}, "little room": {drops: true, lie: maxItems - 1, left: 7, kept: 5}} {
		a := flatArea(AreaConfig{Seed: 2, Drops: c.drops})
		for i := range c.lie {
			it := &Item{Entity: itemBit | uint64(i+1), Stack: Stack{Sand, MaxStack}, Born: 1}
			it.Body.Pos = standing(2+i%120, 10, 2).Pos
			a.AddItem(it)
		}
		p := guest("ada", 20, 10, 20)
		p.Items = Inventory{{Dirt, 7}, {}, {Dirt, 5}}
		a.AddPlayer(p)
		ticks(a, 1)
		a.Tick(a.tick+1, []Command{{Player: p.ID, Kind: CmdOrder, Seq: 1, Order: &Order{Kind: OrderHealth}}})
		left, saved := 0, 0
		for _, it := range a.items {
			if it.Stack.Block == Dirt {
				left += int(it.Stack.Count)
			}
		}
		for _, it := range a.changes.ItemSaves {
			if it.Stack.Block == Dirt {
				saved += int(it.Stack.Count)
			}
		}
		if kept := p.Items.Count(Dirt); left != c.left || kept != c.kept || saved != left || len(a.changes.Items) != min(left, 1) {
			t.Errorf("%s: %d lie there, %d saved, %d kept, %d changes", name, left, saved, kept, len(a.changes.Items))
		}
	}
}

// TestSleep: at night, with no monster near, until somebody moves, is hurt, or it is day.
func TestSleep(t *testing.T) {
	at := Pos{22, 10, 20}
	begin := func() (*Area, *Player) {
		a := flatArea(AreaConfig{Seed: 2, Spawn: Pos{90, 10, 90}})
		p := guest("ada", 20, 10, 20)
		a.AddPlayer(p)
		put(a, at.Add(1, 0, 0), RedBedEastHead)
		put(a, at, RedBedEast)
		a.SetTimeOffset(nightFrom + 100)
		ticks(a, 1)
		return a, p
	}
	lie := func(a *Area, p *Player) bool {
		t.Helper()
		if got := a.doAct(t, p, Act{Kind: ActOpen, At: at}); got != Done {
			t.Fatalf("%q", got)
		}
		return p.asleep
	}
	for name, c := range map[string]struct {
		before, after func(a *Area, p *Player)
		sleeps, goes  bool // falls asleep, and goes on sleeping
	}{
		"night":     {sleeps: true, goes: true},
		"day":       {before: func(a *Area, p *Player) { a.SetTimeOffset(0) }},
		"a monster": {before: func(a *Area, p *Player) { a.AddMob(NewMob(1, Stalker, standing(25, 10, 20).Pos)) }},
		"far off":   {before: func(a *Area, p *Player) { a.AddMob(NewMob(1, Stalker, standing(60, 10, 20).Pos)) }, sleeps: true, goes: true},
		"a sheep":   {before: func(a *Area, p *Player) { a.AddMob(NewMob(1, Sheep, standing(25, 10, 20).Pos)) }, sleeps: true, goes: true},
		"gets up":   {after: func(a *Area, p *Player) { a.step(p, ButtonJump) }, sleeps: true},
		"looks":     {after: func(a *Area, p *Player) { a.step(p, 0) }, sleeps: true, goes: true},
		"is hurt":   {after: func(a *Area, p *Player) { a.hurt(p, 2, ByHunger) }, sleeps: true},
		"morning":   {after: func(a *Area, p *Player) { a.SetTimeOffset(0) }, sleeps: true},
	} {
		a, p := begin()
		if c.before != nil {
			c.before(a, p)
		}
		if got := lie(a, p); got != c.sleeps {
			t.Errorf("%s: sleeps %v", name, got)
		}
		digest := a.Digest()
		if p.asleep = !p.asleep; a.Digest() != digest {
			t.Errorf("%s: sleep is part of the state, which nobody would agree on", name)
		}
		p.asleep = !p.asleep
		if c.after != nil {
			c.after(a, p)
		}
		if ticks(a, 1); p.asleep != c.goes {
			t.Errorf("%s: goes on sleeping %v", name, p.asleep)
		}
	}
}

// step is a body step of a player.
func (a *Area) step(p *Player, buttons uint16) {
	a.Tick(a.tick+1, []Command{{Player: p.ID, Kind: CmdInput, Seq: p.LastSeq + 1, Input: Input{Buttons: buttons}}})
}
