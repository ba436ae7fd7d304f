package world

import "testing"

// worn is what a player wears of a kind, new.
func worn(p *Player, pieces ...Block) {
	for _, b := range pieces {
		p.Items[Carried+int(Info(b).Armour.Slot)-1] = Stack{b, MaxStack}
	}
}

// TestArmourGuards: armour keeps off its share of blows and is worn by them, but helps
// neither against falling nor against hunger.
func TestArmourGuards(t *testing.T) {
	iron := []Block{IronHelmet, IronChestplate, IronLeggings, IronBoots}
	for name, c := range map[string]struct {
		pieces      []Block
		by          Cause
		least, most int // of 2000
	}{
		"none":         {nil, ByPlayer, 2000, 2000},
		"leather":      {[]Block{LeatherHelmet, LeatherChestplate, LeatherLeggings, LeatherBoots}, ByMob(Stalker), 1350, 1550},
		"iron":         {iron, ByShot, 750, 850},
		"iron, falls":  {iron, ByFall, 2000, 2000},
		"iron, hunger": {iron, ByHunger, 2000, 2000},
	} {
		a := flatArea(AreaConfig{Seed: 3})
		p := guest("a", 20, 10, 20)
		a.AddPlayer(p)
		lost := 0
		for range 500 {
			worn(p, c.pieces...)
			p.Health = MaxHealth
			a.tick++
			a.hurt(p, 4, c.by)
			lost += MaxHealth - int(p.Health)
		}
		if lost < c.least || lost > c.most {
			t.Errorf("%s: 2000 became %d, want %d to %d", name, lost, c.least, c.most)
		}
	}
}

// TestArmourWearsOut: a piece lasts about as many blows as its pack says.
func TestArmourWearsOut(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 3})
	p := guest("a", 20, 10, 20)
	a.AddPlayer(p)
	worn(p, IronHelmet)
	n := 0
	for ; p.Items[Carried].Count > 0 && n < 1000; n++ {
		p.Health = MaxHealth
		a.tick++
		a.hurt(p, 1, ByPlayer)
	}
	if uses := int(Info(IronHelmet).Armour.Uses); n < uses*2/3 || n > uses*3/2 {
		t.Errorf("it lasted %d blows, want about %d", n, uses)
	}
}

// TestWearing: armour goes where it belongs and nothing else does; what is worn is saved, and
// is not crafted with.
func TestWearing(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 3})
	p := guest("a", 20, 10, 20)
	p.Items = Inventory{{IronHelmet, MaxStack}, {IronBoots, 50}, {Stone, 3}, {LeatherHelmet, 9}}
	a.AddPlayer(p)
	move := func(from, to int64) Refusal { return a.doAct(t, p, Act{Kind: ActMoveItem, A: from, B: to}) }
	for _, c := range []struct {
		from, to int64
		want     Refusal
	}{
		{0, Carried + 1, NotAllowed}, {2, Carried, NotAllowed}, {0, Carried, Done}, {1, Carried + 3, Done},
		{3, Carried, Done}, {2, Carried + 3, NotAllowed}, {Carried + 3, 2, NotAllowed}, {Carried + 3, 5, Done}, {5, Slots, NotAllowed},
	} {
		if got := move(c.from, c.to); got != c.want {
			t.Errorf("from %d to %d: %q, want %q", c.from, c.to, got, c.want)
		}
	}
	if p.Items[Carried] != (Stack{LeatherHelmet, 9}) || p.Items[3] != (Stack{IronHelmet, MaxStack}) || p.Items[5] != (Stack{IronBoots, 50}) {
		t.Errorf("has %v", p.Items)
	}
	if p.Items.Count(LeatherHelmet) != 0 {
		t.Error("what is worn is counted among what is carried")
	}
	q, err := DecodePlayer(p.AppendBinary(nil))
	if err != nil || q.Items != p.Items {
		t.Errorf("saved: %v, %v", q, err)
	}
}
