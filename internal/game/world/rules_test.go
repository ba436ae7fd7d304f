package world

import (
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

// act lets a player do one thing in the next tick and returns its result.
func (a *Area) doAct(t *testing.T, p *Player, act Act) Refusal {
	t.Helper()
	return a.doCommand(t, Command{Player: p.ID, Kind: CmdAct, Seq: uint32(a.tick + 1), Act: act})
}

func (a *Area) doCommand(t *testing.T, c Command) Refusal {
	t.Helper()
	out := a.Tick(a.tick+1, []Command{c})
	for _, r := range out.Results {
		if r.Player == c.Player && r.Seq == c.Seq {
			return r.Code
		}
	}
	return "no result"
}

func TestPlacingIsChecked(t *testing.T) {
	up := func(x, y, z int32) Act { return Act{Kind: ActPlace, At: Pos{x, y, z}, Face: FaceUp} }
	for name, c := range map[string]struct {
		act    Act
		item   Block
		mode   Mode
		change func(*Area, *Player)
		want   Refusal
	}{
		"done":                  {act: up(66, 9, 64), item: Stone},
		"too far":               {act: up(70, 9, 64), item: Stone, want: TooFar},
		"creative reaches more": {act: up(69, 9, 64), item: Stone, mode: Creative},
		"nothing in hand":       {act: up(66, 9, 64), want: NoItem},
		"no slot":               {act: Act{Kind: ActPlace, At: Pos{66, 9, 64}, Face: FaceUp, A: 9}, item: Stone, want: NotAllowed},
		"negative slot":         {act: Act{Kind: ActPlace, At: Pos{66, 9, 64}, Face: FaceUp, A: -1}, item: Stone, want: NotAllowed},
		"no face":               {act: Act{Kind: ActPlace, At: Pos{66, 9, 64}, Face: 6}, item: Stone, want: NotAllowed},
		"into oneself":          {act: up(64, 9, 64), item: Stone, want: Occupied},
		"a torch into oneself":  {act: up(64, 9, 64), item: Torch},
		"against air":           {act: up(66, 12, 64), item: Stone, want: NoSuchBlock},
		"spectator":             {act: up(66, 9, 64), item: Stone, mode: Spectator, want: NotAllowed},
		"not replaceable": {act: up(66, 9, 64), item: Stone, want: NotReplaceable,
			change: func(a *Area, _ *Player) { put(a, Pos{66, 10, 64}, Torch) }},
		"into grass":    {act: up(66, 10, 64), item: Stone, change: func(a *Area, _ *Player) { put(a, Pos{66, 9, 64}, Grass); put(a, Pos{66, 10, 64}, TallGrass) }},
		"protected":     {act: up(66, 9, 64), item: Stone, want: Protected, change: func(a *Area, _ *Player) { a.state.spawn, a.cfg.Protect = Pos{70, 10, 70}, 8 }},
		"operator":      {act: up(66, 9, 64), item: Stone, change: func(a *Area, p *Player) { a.state.spawn, a.cfg.Protect, p.Operator = Pos{70, 10, 70}, 8, true }},
		"zone":          {act: up(66, 9, 64), item: Stone, want: Protected, change: func(a *Area, _ *Player) { a.SetZones([]Zone{{Pos{60, 0, 60}, Pos{70, 255, 70}}}) }},
		"dead":          {act: up(66, 9, 64), item: Stone, want: IsDead, change: func(_ *Area, p *Player) { p.Health = 0 }},
		"plant on rock": {act: up(66, 9, 64), item: Poppy, want: NotAllowed},
		"ladder in air": {act: up(66, 9, 64), item: Ladder, want: NotAllowed},
		"ladder at wall": {act: Act{Kind: ActPlace, At: Pos{67, 10, 64}, Face: FaceWest}, item: Ladder,
			change: func(a *Area, _ *Player) { put(a, Pos{67, 10, 64}, Stone) }},
		"behind a wall": {act: up(67, 9, 64), item: Stone, want: NotAllowed, change: func(a *Area, _ *Player) {
			for y := int32(10); y < 14; y++ {
				for z := int32(60); z < 70; z++ {
					put(a, Pos{66, y, z}, Stone)
				}
			}
		}},
		"above the world": {act: Act{Kind: ActPlace, At: Pos{64, 255, 66}, Face: FaceUp}, item: Stone, want: NotAllowed,
			change: func(a *Area, p *Player) {
				put(a, Pos{64, 255, 66}, Stone)
				p.Body.Pos.Y, p.Arriving = fixed.Int(256), false
			}},
	} {
		a := flatArea(AreaConfig{})
		p := guest("a", 64, 10, 64)
		p.Items, p.Mode = Inventory{}, c.mode
		if c.item != Air {
			p.Items[0] = Stack{c.item, 2}
		}
		a.AddPlayer(p)
		if c.change != nil {
			c.change(a, p)
		}
		if got := a.doAct(t, p, c.act); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		want := uint8(2)
		if c.want == Done && c.mode == Survival {
			want = 1
		}
		if c.item != Air && p.Items[0].Count != want {
			t.Errorf("%s: %d left in hand, want %d", name, p.Items[0].Count, want)
		}
	}
}

func TestDiggingIsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		at     Pos
		mode   Mode
		block  Block
		change func(*Area, *Player)
		want   Refusal
	}{
		"too far":   {at: Pos{70, 9, 64}, block: Stone, want: TooFar},
		"air":       {at: Pos{66, 10, 64}, block: Air, want: NoSuchBlock},
		"water":     {at: Pos{66, 10, 64}, block: Water, want: NoSuchBlock},
		"bedrock":   {at: Pos{66, 10, 64}, block: Bedrock, mode: Creative, want: NoSuchBlock},
		"spectator": {at: Pos{66, 10, 64}, block: Dirt, mode: Spectator, want: NotAllowed},
		"creative":  {at: Pos{66, 10, 64}, block: Dirt, mode: Creative},
		"plant":     {at: Pos{66, 10, 64}, block: Torch},
		"protected": {at: Pos{66, 10, 64}, block: Dirt, want: Protected, change: func(a *Area, _ *Player) { a.state.spawn, a.cfg.Protect = Pos{66, 10, 64}, 1 }},
		"hidden":    {at: Pos{66, 6, 64}, block: Stone, want: NotAllowed},
	} {
		a := flatArea(AreaConfig{})
		p := guest("a", 64, 10, 64)
		p.Mode = c.mode
		a.AddPlayer(p)
		put(a, c.at, c.block)
		if c.change != nil {
			c.change(a, p)
		}
		if got := a.doAct(t, p, Act{Kind: ActDig, At: c.at, Face: FaceUp}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// walkOn runs a tick in which a player makes so many body steps, on the spot.
func (a *Area) walkOn(p *Player, steps int) *Changes {
	return a.Tick(a.tick+1, stand(p, p.LastSeq, steps))
}

// stand are body steps on the spot that follow another.
func stand(p *Player, after uint32, steps int) (cmds []Command) {
	for i := range steps {
		cmds = append(cmds, Command{Player: p.ID, Kind: CmdInput, Seq: after + 1 + uint32(i)})
	}
	return cmds
}

func TestDigShowsCracksAndCanBeStopped(t *testing.T) {
	a := flatArea(AreaConfig{})
	p := guest("a", 64, 10, 64)
	a.AddPlayer(p)
	at := Pos{66, 9, 64}
	need, _ := DigTicks(Stone, Survival, Air)
	a.doAct(t, p, Act{Kind: ActDig, At: at, Face: FaceUp})
	last := 0
	for range need - 1 {
		for _, crack := range a.walkOn(p, 1).Cracks {
			if last++; crack.At != at || int(crack.Stage) != last {
				t.Errorf("crack %+v, want stage %d", crack, last)
			}
		}
	}
	if last != 9 {
		t.Errorf("one step from the end the stage is %d", last)
	}
	c := a.Tick(a.tick+1, []Command{{Player: p.ID, Kind: CmdAct, Seq: 500, Act: Act{Kind: ActStopDig}}})
	if len(c.Results) != 2 || c.Results[0].Code != Stopped || c.Results[1].Code != Done {
		t.Errorf("after letting go: %+v", c.Results)
	}
	if len(c.Cracks) != 1 || c.Cracks[0] != (Crack{at, NoCrack}) {
		t.Errorf("after letting go: %+v", c.Cracks)
	}
	a.walkOn(p, 5)
	mustBe(t, a, at, Stone)
}

// A client whose pictures are few sends many steps at once, and asks for the next
// block behind the step in which it has seen the last one break.
func TestDigTakesBodyStepsHoweverTheyCome(t *testing.T) {
	const second = 8 // steps after the pause
	need, _ := DigTicks(Dirt, Survival, Air)
	for pause := range 20 {
		a := flatArea(AreaConfig{})
		p := guest("a", 64, 10, 64)
		a.AddPlayer(p)
		one, two := Pos{66, 9, 64}, Pos{66, 9, 65}
		put(a, one, Dirt)
		put(a, two, Dirt)
		for range inputBurst {
			a.Tick(a.tick+1, nil) // as in a game that goes on
		}
		dig := func(seq uint32, at Pos) Command {
			return Command{Player: p.ID, Kind: CmdAct, Seq: seq, Act: Act{Kind: ActDig, At: at, Face: FaceUp}}
		}
		a.Act([]Command{dig(1, one)})
		for range int(need) - second {
			a.walkOn(p, 1)
		}
		ticks(a, pause)
		next := dig(2, two)
		next.After = p.LastSeq + second
		c := a.Tick(a.tick+1, append(stand(p, p.LastSeq, second+2), next))
		if len(c.Results) != 1 || c.Results[0].Seq != 1 || c.Results[0].Code != Done {
			t.Errorf("pause of %d ticks: %+v", pause, c.Results)
		}
		if p.Dig.Seq != 2 || p.Dig.Done != 2 {
			t.Errorf("pause of %d ticks: the next dig is %+v", pause, p.Dig)
		}
	}
}

// Steps that have overtaken a dig count for it, and none of them for the next.
func TestDigOvertakenBySteps(t *testing.T) {
	need, _ := DigTicks(Dirt, Survival, Air)
	a := flatArea(AreaConfig{})
	p := guest("a", 64, 10, 64)
	a.AddPlayer(p)
	one, two := Pos{66, 9, 64}, Pos{66, 9, 65}
	put(a, one, Dirt)
	put(a, two, Dirt)
	steps := func(n int) {
		for range n {
			a.walkOn(p, 1)
		}
	}
	steps(5)
	dig := func(seq uint32, at Pos, late uint32) []Result {
		c := a.Act([]Command{{Player: p.ID, Kind: CmdAct, Seq: seq, After: p.LastSeq, Late: late, Act: Act{Kind: ActDig, At: at, Face: FaceUp}}})
		return slices.Clone(c.Results)
	}
	if r := dig(1, one, 3); len(r) > 0 || p.Dig.Done != 3 {
		t.Fatalf("%+v, %+v", r, p.Dig)
	}
	steps(int(need) - 3)
	again, err := DecodePlayer(p.AppendBinary(nil))
	if err != nil || again.DugTo != p.LastSeq {
		t.Fatalf("steps have counted up to %d, stored are %+v, %v", p.LastSeq, again, err)
	}
	steps(2)
	if b, _ := a.Block(one); b != Air || p.Dig.Active {
		t.Fatalf("it is not broken: %+v", p.Dig)
	}
	if r := dig(2, two, 30); len(r) > 0 || p.Dig.Done != 2 {
		t.Errorf("the next dig has more than the two steps that came since: %+v, %+v", r, p.Dig)
	}
}

func TestDigIsNoFasterThanTicks(t *testing.T) {
	a := flatArea(AreaConfig{})
	p := guest("a", 64, 10, 64)
	a.AddPlayer(p)
	at := Pos{66, 9, 64}
	need, _ := DigTicks(Stone, Survival, Air)
	ticks(a, 2*inputBurst) // saves up all that can be
	a.doAct(t, p, Act{Kind: ActDig, At: at, Face: FaceUp})
	from := a.tick
	for b, _ := a.Block(at); b == Stone; b, _ = a.Block(at) {
		a.walkOn(p, 40)
	}
	if got := a.tick - from; got+inputBurst < uint64(need) {
		t.Errorf("stone of %d steps broke in %d ticks", need, got)
	}
}

func TestPlacingHasARate(t *testing.T) {
	a := flatArea(AreaConfig{})
	p := guest("a", 64, 10, 64)
	p.Mode = Creative
	p.Items[0] = Stack{Torch, 1}
	a.AddPlayer(p)
	done := 0
	for i := range 60 {
		at := Pos{61 + int32(i%7), 9, 61 + int32(i/7%7)}
		if a.doAct(t, p, Act{Kind: ActPlace, At: at, Face: FaceUp}) == Done {
			done++
		}
	}
	if want := 60/placeEvery + placeSlack/placeEvery; done > want+1 || done < want-1 {
		t.Errorf("placed %d in 60 ticks, want %d", done, want)
	}
}

func TestAPlaceInTheNeighbourRegion(t *testing.T) {
	for _, blocked := range []bool{false, true} {
		west, east := twoAreas(AreaConfig{})
		p := guest("a", 126, 10, 64)
		p.Items[0] = Stack{Dirt, 5}
		west.AddPlayer(p)
		if blocked {
			east.AddPlayer(guest("b", 128, 10, 64))
		}
		c := west.Tick(1, []Command{{Player: p.ID, Kind: CmdAct, Seq: 9, Act: Act{Kind: ActPlace, At: Pos{128, 9, 64}, Face: FaceUp}}})
		if len(c.Remotes) != 1 || len(c.Results) != 0 || p.Items[0].Count != 4 {
			t.Fatalf("asks %+v, results %+v", c.Remotes, c.Results)
		}
		ask := c.Remotes[0]
		c = east.Tick(2, []Command{{Player: p.ID, Kind: CmdRemote, Seq: 9, Remote: &ask}})
		if len(c.Answers) != 1 || (len(c.Blocks) == 1) == blocked {
			t.Fatalf("answers %+v, blocks %+v", c.Answers, c.Blocks)
		}
		answer := c.Answers[0]
		c = west.Tick(3, []Command{{Player: p.ID, Kind: CmdSettle, Seq: 9, Remote: &answer}})
		want, left := Done, uint8(4)
		if blocked {
			want, left = Occupied, 5
		}
		if len(c.Results) != 1 || c.Results[0].Code != want || c.Results[0].Seq != 9 || p.Items[0].Count != left {
			t.Errorf("blocked %v: %+v, %d left", blocked, c.Results, p.Items[0].Count)
		}
	}
}

func TestOrders(t *testing.T) {
	a := flatArea(AreaConfig{})
	p := guest("a", 64, 10, 64)
	p.Items = Inventory{}
	a.AddPlayer(p)
	order := func(o Order) Refusal {
		return a.doCommand(t, Command{Player: p.ID, Kind: CmdOrder, Seq: uint32(a.tick), Order: &o})
	}
	if got := order(Order{Kind: OrderGive, Block: Glass, Count: 150}); got != Done || p.Items.Count(Glass) != 150 {
		t.Errorf("give: %q, has %d", got, p.Items.Count(Glass))
	}
	if got := order(Order{Kind: OrderGive, Block: Water3, Count: 1}); got != NoSuchBlock {
		t.Errorf("give water: %q", got)
	}
	if order(Order{Kind: OrderMode, Mode: Creative}); p.Mode != Creative {
		t.Error("mode")
	}
	order(Order{Kind: OrderTeleport, At: Vec{fixed.Int(30), fixed.Int(5), fixed.Int(30)}})
	ticks(a, 1)
	if at := p.Body.Pos; at.Y != fixed.Int(10) || at.X != fixed.Int(30) {
		t.Errorf("teleported into the ground, stands at %v", at)
	}
	order(Order{Kind: OrderTeleport, At: Vec{fixed.Int(300), fixed.Int(50), fixed.Int(30)}})
	c := a.Tick(a.tick+1, nil)
	if len(c.Leavers) != 1 {
		t.Error("teleported away but does not leave")
	}
	order(Order{Kind: OrderKick, Text: "out"})
	if k := a.changes.Kicked; len(k) != 1 || k[0].Player != p || k[0].Text != "out" {
		t.Errorf("kick: %+v", k)
	}
}
