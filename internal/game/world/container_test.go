package world

import (
	"bytes"
	"testing"
)

// withChest returns an area with a player beside a chest.
func withChest(cfg AreaConfig) (a *Area, p *Player, at Pos) {
	a = flatArea(cfg)
	p = guest("ada", 20, 10, 20)
	p.Items = Inventory{{OakPlanks, 30}, {IronAxe, 40}}
	a.AddPlayer(p)
	at = Pos{22, 10, 20}
	put(a, at, Chest)
	return a, p, at
}

func (a *Area) stores(p *Player, at Pos, from, to, count int64) Refusal {
	c := a.Act([]Command{{Player: p.ID, Kind: CmdAct, Seq: 1, Act: Act{Kind: ActStore, At: at, A: from, B: to | count<<8}}})
	return c.Results[0].Code
}

func TestStore(t *testing.T) {
	a, p, at := withChest(AreaConfig{})
	const chest = ContainerSlots
	for _, c := range []struct {
		what            string
		from, to, count int64
		code            Refusal
		own, in         Stack // slot 0, the chest's first
	}{
		{"a part", 0, chest, 10, Done, Stack{OakPlanks, 20}, Stack{OakPlanks, 10}},
		{"more of it", 0, AnySlot, 5, Done, Stack{OakPlanks, 15}, Stack{OakPlanks, 15}},
		{"another kind than a part", 1, chest, 1, Done, Stack{OakPlanks, 15}, Stack{IronAxe, 40}},
		{"back", 1, chest, 0, Done, Stack{OakPlanks, 15}, Stack{OakPlanks, 15}},
		{"no slot of the chest", 0, chest + 27, 0, NotAllowed, Stack{OakPlanks, 15}, Stack{OakPlanks, 15}},
		{"a slot that is empty", chest + 5, 0, 0, NoItem, Stack{OakPlanks, 15}, Stack{OakPlanks, 15}},
		{"own to own", 0, 5, 0, NotAllowed, Stack{OakPlanks, 15}, Stack{OakPlanks, 15}},
		{"onto itself", chest, chest, 0, NotAllowed, Stack{OakPlanks, 15}, Stack{OakPlanks, 15}},
		{"all", chest, AnySlot, 0, Done, Stack{OakPlanks, 30}, Stack{}},
	} {
		if code := a.stores(p, at, c.from, c.to, c.count); code != c.code {
			t.Errorf("%s: %q, want %q", c.what, code, c.code)
		}
		in := Stack{}
		if box := a.Container(at); box != nil {
			in = box.Slots[0]
		}
		if p.Items[0] != c.own || in != c.in {
			t.Errorf("%s: %v and %v, want %v and %v", c.what, p.Items[0], in, c.own, c.in)
		}
	}
	if a.Container(at) != nil {
		t.Error("an empty chest is kept")
	}
}

// TestStoreRefusals: who may not look into a chest may not move anything either.
func TestStoreRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  AreaConfig
		do   func(a *Area, p *Player, at Pos) Pos
		code Refusal
	}{
		"far":      {do: func(_ *Area, p *Player, at Pos) Pos { p.Body.Pos.X -= 4 << 12; return at }, code: TooFar},
		"no chest": {do: func(_ *Area, _ *Player, at Pos) Pos { return at.Next(FaceDown) }, code: NoSuchBlock},
		"a wall": {do: func(a *Area, _ *Player, at Pos) Pos {
			put(a, Pos{21, 11, 20}, Stone)
			put(a, Pos{21, 10, 20}, Stone)
			return at
		}, code: NotAllowed},
		"spectator": {do: func(_ *Area, p *Player, at Pos) Pos { p.Mode = Spectator; return at }, code: NotAllowed},
		"dead":      {do: func(_ *Area, p *Player, at Pos) Pos { p.Health = 0; return at }, code: IsDead},
		"protected": {cfg: AreaConfig{Protect: 100}, do: func(_ *Area, _ *Player, at Pos) Pos { return at }, code: Protected},
	} {
		a, p, at := withChest(c.cfg)
		at = c.do(a, p, at)
		if code := a.stores(p, at, 0, ContainerSlots, 0); code != c.code {
			t.Errorf("%s: %q, want %q", name, code, c.code)
		}
		if p.Items[0].Count != 30 || len(a.Containers()) > 0 {
			t.Errorf("%s: moved", name)
		}
	}
}

// TestOwnItemsInChests: where the storage counts what each player has won, a chest is for
// whoever has put the first thing into it, and what falls out of it is that player's.
func TestOwnItemsInChests(t *testing.T) {
	a, p, at := withChest(AreaConfig{OwnItems: true})
	q := guest("bob", 24, 10, 20)
	a.AddPlayer(q)
	if code := a.stores(p, at, 0, AnySlot, 10); code != Done {
		t.Fatal(code)
	}
	if code := a.stores(q, at, ContainerSlots, AnySlot, 0); code != Protected {
		t.Errorf("bob takes: %q", code)
	}
	q.Mode = Creative
	a.Act([]Command{{Player: q.ID, Kind: CmdAct, Seq: 1, Act: Act{Kind: ActDig, At: at}}})
	if its := a.Items(); len(its) != 1 || its[0].Owner != p.ID || its[0].Stack != (Stack{OakPlanks, 10}) {
		t.Errorf("falls out: %+v", its)
	}
}

func TestContainerBytes(t *testing.T) {
	c := &Container{At: Pos{-5, 70, 99}, Owner: guest("ada", 0, 0, 0).ID, Slots: []Stack{{}, {IronAxe, 3}, {}}}
	b := c.AppendBinary(nil)
	again, err := DecodeContainer(b)
	if err != nil || !bytes.Equal(again.AppendBinary(nil), b) {
		t.Fatalf("%v, %+v", err, again)
	}
	for i := range b {
		if _, err := DecodeContainer(b[:i]); err == nil {
			t.Errorf("%d of %d bytes are taken", i, len(b))
		}
	}
	if _, err := DecodeContainer((&Container{Slots: make([]Stack, 3)}).AppendBinary(nil)); err == nil {
		t.Error("an empty container is taken")
	}
}

// FuzzDecodeContainer: whatever comes, it decodes to the same again or not at all.
func FuzzDecodeContainer(f *testing.F) {
	f.Add((&Container{Slots: []Stack{{Stone, 9}}}).AppendBinary(nil))
	f.Add((&Container{Slots: []Stack{{}, {}, {}}, Fire: Fire{9, 1600, 5}}).AppendBinary(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := DecodeContainer(b); err == nil {
			if again, err := DecodeContainer(c.AppendBinary(nil)); err != nil || !bytes.Equal(again.AppendBinary(nil), c.AppendBinary(nil)) {
				t.Fatalf("%v: %+v", err, c)
			}
		}
	})
}

// TestMergeKeepsContainers: changes of an earlier state remove no container, and nothing
// that lies in it.
func TestMergeKeepsContainers(t *testing.T) {
	a, p, at := withChest(AreaConfig{})
	if code := a.stores(p, at, 0, ContainerSlots, 10); code != Done {
		t.Fatal(code)
	}
	beside := at.Add(1, 0, 0)
	made, inPlace := a.Merge([]BlockChange{{at, Chest, Air}, {beside, Air, Glass}, {beside.Add(0, 1, 0), Stone, Glass}})
	if len(made) != 1 || inPlace != 1 || made[0].At != beside {
		t.Errorf("%d are in place, made: %v", inPlace, made)
	}
	if b, _ := a.Block(at); b != Chest || a.Container(at) == nil {
		t.Errorf("the chest is %v, in it %v", b, a.Container(at))
	}
}
