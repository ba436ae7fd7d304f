package world

import "testing"

// TestSaplings: a sapling becomes a tree, also if its block tick was lost with a crash or
// its region slept; not without room, and not where a storage compares what stands there.
func TestSaplings(t *testing.T) {
	at := Pos{64, 10, 64}
	for name, c := range map[string]struct {
		cfg   AreaConfig
		do    func(a *Area)
		grows bool
	}{
		"grows":      {grows: true},
		"after loss": {do: func(a *Area) { a.updates = newUpdates(); a.WakePlants() }, grows: true},
		"lost":       {do: func(a *Area) { a.updates = newUpdates() }},
		"no room":    {do: func(a *Area) { put(a, at.Add(0, 3, 0), Stone) }},
		"static":     {cfg: AreaConfig{Static: true}},
		"no soil":    {do: func(a *Area) { put(a, at.Next(FaceDown), Stone) }},
	} {
		a := flatArea(c.cfg)
		put(a, at.Next(FaceDown), Dirt)
		put(a, at, OakSapling)
		if c.do != nil {
			c.do(a)
		}
		a.Tick(2, nil)
		a.Tick(40000, nil)
		leaves := 0
		for i := range int32(9 * 9 * 9) {
			if b, _ := a.Block(at.Add(i%9-4, i/81, i/9%9-4)); b == OakLeaves {
				leaves++
			}
		}
		if trunk, _ := a.Block(at.Add(0, 3, 0)); (trunk == OakLog) != c.grows || (leaves > 20) != c.grows {
			t.Errorf("%s: %v, %d leaves", name, trunk, leaves)
		}
	}
}

// TestSaplingsAreRare: about one in twelve leaves leaves a sapling.
func TestSaplingsAreRare(t *testing.T) {
	a := flatArea(AreaConfig{})
	p := guest("a", 64, 10, 64)
	a.AddPlayer(p)
	at := Pos{66, 10, 64}
	for i := range uint64(600) {
		put(a, at, OakLeaves)
		a.Tick(i+1, nil)
		a.blockRules.answer(Remote{Kind: RemoteBreak, At: at, Block: OakLeaves, Got: OakSapling})
		if r := a.changes.Answers[len(a.changes.Answers)-1]; r.Code == Done && r.Got != Air {
			p.Items.Add(r.Got, 1)
		}
	}
	if n := p.Items.Count(OakSapling); n < 25 || n > 90 {
		t.Errorf("%d of 600", n)
	}
}
