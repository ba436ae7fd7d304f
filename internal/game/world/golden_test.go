package world

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// hillArea is a region of low hills with a pond and some trees. It does not
// depend on the terrain generator.
func hillArea(cfg AreaConfig) *Area {
	a := NewArea(cfg, RegionPos{}, nil)
	for i := range Columns {
		c := &Column{Pos: a.pos.Column(i)}
		o := c.Pos.Origin()
		for z := range ChunkSize {
			for x := range ChunkSize {
				hill(c, x, z, o.X+int32(x), o.Z+int32(z))
			}
		}
		a.SetColumn(c)
	}
	return a
}

func hill(c *Column, x, z int, wx, wz int32) {
	top := 12 + int((Sine(uint16(wx*900))+Sine(uint16(wz*700)))>>11) // ±4
	for y := range top {
		c.Set(x, y, z, Stone)
	}
	c.Set(x, 0, z, Bedrock)
	c.Set(x, top-1, z, Grass)
	for y := top; y < 11; y++ {
		c.Set(x, y, z, Water)
		c.Set(x, top-1, z, Sand)
	}
	if top >= 11 && rng.Hash(uint64(wx), uint64(wz))%80 == 0 {
		for y := top; y < top+4; y++ {
			c.Set(x, y, z, OakLog)
		}
		c.Set(x, top+4, z, OakLeaves)
	}
}

const scriptPlayers = 12

func scripted() *Area {
	a := hillArea(AreaConfig{Seed: 11, Spawn: Pos{64, 12, 64}, Protect: 3, Mobs: 12})
	a.SetTimeOffset(11000)
	for i := range scriptPlayers {
		p := guest(fmt.Sprint("player ", i), 40+4*i, 20, 50+3*i)
		p.Mode = Mode(i % 5 / 4)
		a.AddPlayer(p)
	}
	return a
}

// scriptTick is what the players of the script do in a tick.
func scriptTick(a *Area, tick uint64) (cmds []Command) {
	for i := range scriptPlayers {
		player := id.Of(fmt.Append(nil, "player ", i))
		p := a.Player(player)
		if p == nil {
			continue
		}
		r := rng.New(77, uint64(i), tick)
		for j := range uint32(r.Intn(3)) { // unevenly, once a tick on average
			way := rng.New(78, uint64(i), tick/20)
			cmds = append(cmds, Command{Player: player, Kind: CmdInput, Seq: uint32(tick)*4 + j + 1, Check: true,
				Input: Input{uint16(way.Uint64() & 0xff &^ 2), uint16(way.Uint64()), int16(r.Intn(8000) - 4000)}})
		}
		if r.OneIn(4) {
			cmds = append(cmds, Command{Player: player, Kind: CmdAct, Seq: uint32(tick), After: uint32(tick)*4 + uint32(r.Intn(3)), Act: scriptAct(a, p, &r)})
		}
		if r.OneIn(600) {
			cmds = append(cmds, Command{Player: player, Kind: CmdOrder, Seq: uint32(tick),
				Order: &Order{Kind: OrderGive, Block: Stone + Block(r.Intn(int(BlockCount)-1)), Count: 20}})
		}
	}
	return cmds
}

func scriptAct(a *Area, p *Player, r *rng.Rand) Act {
	at := p.Body.Pos.Block().Add(int32(r.Intn(7)-3), int32(r.Intn(5)-2), int32(r.Intn(7)-3))
	act := Act{Kind: ActDig + ActKind(r.Intn(int(ActRespawn))), At: at, Face: Face(r.Intn(6)), A: int64(r.Intn(HotBar)), B: int64(r.Intn(20))}
	switch {
	case r.OneIn(3):
		act.Kind = ActPlace
	case act.Kind == ActHit && len(a.mobs) > 0:
		act.A = int64(a.mobs[r.Intn(len(a.mobs))].Entity)
	case act.Kind == ActDig || act.Kind == ActStopDig:
		act = Act{Kind: ActDig, At: p.Body.Pos.Block().Next(FaceDown), Face: FaceUp}
	}
	return act
}

const (
	scriptFile  = "testdata/script.golden"
	scriptTicks = 3000
	scriptStep  = 250
)

// The same commands give the same world: testdata holds the digests of a scripted
// run. Run with -update after a wanted change of the rules.
func TestGoldenScript(t *testing.T) {
	var out bytes.Buffer
	a, acts, refusals, blocks := scripted(), 0, map[Refusal]int{}, 0
	for tick := uint64(1); tick <= scriptTicks; tick++ {
		c := a.Tick(tick, scriptTick(a, tick))
		acts, blocks = acts+len(c.Results), blocks+len(c.Blocks)
		for _, r := range c.Results {
			refusals[r.Code]++
		}
		for _, p := range c.Leavers {
			a.RemovePlayer(p.ID)
		}
		if tick%scriptStep == 0 {
			fmt.Fprintf(&out, "tick %d players %d mobs %d blocks %d acts %d digest %x\n",
				tick, len(a.players), len(a.mobs), blocks, acts, a.Digest())
		}
	}
	t.Logf("%d blocks, results %v", blocks, refusals)
	if *update {
		if err := os.WriteFile(scriptFile, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(scriptFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, out.Bytes()) {
		t.Errorf("%s: got\n%s", scriptFile, out.Bytes())
	}
}

// The order in which commands are submitted does not matter.
func TestOrderOfSubmission(t *testing.T) {
	a, b := scripted(), scripted()
	r := rng.New(9)
	for tick := uint64(1); tick <= 400; tick++ {
		cmds := scriptTick(a, tick)
		mixed := append([]Command(nil), cmds...)
		for i := len(mixed) - 1; i > 0; i-- {
			j := r.Intn(i + 1)
			mixed[i], mixed[j] = mixed[j], mixed[i]
		}
		a.Tick(tick, cmds)
		b.Tick(tick, mixed)
		if tick%50 == 0 && a.Digest() != b.Digest() {
			t.Fatalf("tick %d: the digests differ", tick)
		}
	}
}

// A region that is saved and loaded goes on as if nothing had happened.
func TestSavingAndLoading(t *testing.T) {
	a := scripted()
	for tick := uint64(1); tick <= 900; tick++ {
		if tick%300 == 0 {
			a = reloaded(t, a)
		}
		a.Tick(tick, scriptTick(a, tick))
	}
	b := scripted()
	for tick := uint64(1); tick <= 900; tick++ {
		b.Tick(tick, scriptTick(b, tick))
	}
	if a.Digest() != b.Digest() {
		t.Error("the digests differ")
	}
}

func reloaded(t *testing.T, a *Area) *Area {
	t.Helper()
	b := NewArea(a.cfg, a.pos, nil)
	b.SetTimeOffset(a.offset)
	for i := range Columns {
		b.SetColumn(a.Share(i).Clone())
	}
	for _, p := range a.Players() {
		q, err := DecodePlayer(p.AppendBinary(nil))
		if err != nil {
			t.Fatal(err)
		}
		b.AddPlayer(q)
	}
	for _, it := range a.Items() {
		again, err := DecodeItem(it.AppendBinary(nil))
		if err != nil {
			t.Fatal(err)
		}
		b.AddItem(again)
	}
	if err := b.LoadRest(a.AppendRest(nil)); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestShareIsFrozen(t *testing.T) {
	a := flatArea(AreaConfig{})
	at := Pos{5, 9, 5}
	was := a.Share(0)
	if a.Share(0) != was {
		t.Error("another column though nothing has changed")
	}
	put(a, at, Glass)
	if was.At(5, 9, 5) != Stone || a.Share(0) == was || a.Share(0).At(5, 9, 5) != Glass {
		t.Error("a shared column has changed")
	}
	a.Revert([]BlockChange{{at, Stone, Glass}})
	mustBe(t, a, at, Stone)
}

// lastTick lets regions see each other as they were after the last tick, as real
// regions do.
type lastTick struct{ columns map[ColumnPos]*Column }

func (l lastTick) Block(p Pos) (Block, bool) {
	c := l.columns[p.Column()]
	if c == nil {
		return edgeBlock(p)
	}
	return c.At(int(p.X&(ChunkSize-1)), int(p.Y), int(p.Z&(ChunkSize-1))), true
}

func (l lastTick) see(areas ...*Area) {
	for _, a := range areas {
		for i := range Columns {
			l.columns[a.pos.Column(i)] = a.Share(i)
		}
	}
}

// Two regions side by side, with players who dig, build, pour water and walk
// over the border, come to the same whichever ticks first.
func TestOrderOfRegions(t *testing.T) {
	sums := map[[2][32]byte]bool{}
	for _, westFirst := range []bool{true, false} {
		seen := lastTick{map[ColumnPos]*Column{}}
		west := hillArea(AreaConfig{Seed: 11})
		east := copyOf(west, west.cfg)
		east.pos, east.x0 = RegionPos{1, 0}, RegionSize
		for i := range Columns {
			east.columns[i].Pos = east.pos.Column(i)
		}
		west.outside, east.outside = seen, seen
		for i := range scriptPlayers {
			p := guest(fmt.Sprint("player ", i), 120+i, 20, 50+3*i)
			p.Items[0] = Stack{Water, 50}
			[2]*Area{west, east}[i/8].AddPlayer(p)
		}
		remotes, water, over := 0, 0, 0
		var mail [2][]Command // to west and to east, for the next tick
		areas := [2]*Area{west, east}
		for tick := uint64(1); tick <= 600; tick++ {
			seen.see(west, east)
			order := [2]int{0, 1}
			if !westFirst {
				order = [2]int{1, 0}
			}
			var out [2]*Changes
			for _, i := range order {
				out[i] = areas[i].Tick(tick, append(scriptTick(areas[i], tick), mail[i]...))
			}
			for _, c := range out {
				remotes, over = remotes+len(c.Remotes), over+len(c.Leavers)
				for _, b := range c.Blocks {
					water += b.Now.FluidLevel()
				}
			}
			mail = exchange(areas, out)
		}
		if remotes == 0 || water == 0 || over == 0 {
			t.Errorf("a dull script: %d remotes, %d eighths of water, %d over the border", remotes, water, over)
		}
		sums[[2][32]byte{west.Digest(), east.Digest()}] = true
	}
	if len(sums) != 1 {
		t.Error("the digests differ")
	}
}

// exchange carries what two regions have for each other and returns the commands
// of the next tick.
func exchange(areas [2]*Area, out [2]*Changes) (mail [2][]Command) {
	for i, c := range out {
		other := areas[1-i]
		for _, b := range c.Blocks {
			other.NoteOutside(b.At)
		}
		for _, r := range c.Remotes {
			mail[1-i] = append(mail[1-i], Command{Player: r.Player, Kind: CmdRemote, Seq: r.Seq, Remote: &r})
		}
		for _, r := range c.Answers {
			mail[1-i] = append(mail[1-i], Command{Player: r.Player, Kind: CmdSettle, Seq: r.Seq, Remote: &r})
		}
		for _, p := range c.Leavers {
			if p.Home() == other.pos {
				other.AddPlayer(areas[i].RemovePlayer(p.ID))
			}
		}
	}
	return mail
}

// crowd is an area with many players who walk about.
func crowd(n int) (*Area, []Command) {
	a := hillArea(AreaConfig{Mobs: 12})
	cmds := make([]Command, n)
	for i := range cmds {
		p := guest(fmt.Sprint(i), 4+i*7%120, 20, 4+i*13%120)
		a.AddPlayer(p)
		cmds[i] = Command{Player: p.ID, Kind: CmdInput}
	}
	for i, p := range a.Players() { // sessions are asked in the order of players
		cmds[i].Player = p.ID
	}
	return a, cmds
}

// BenchmarkBuild is a tick in which 500 of 1500 players place a block: more is
// not allowed in the mean.
func BenchmarkBuild(b *testing.B) {
	a, _ := crowd(1500)
	ticks(a, 60)
	var cmds []Command
	for _, p := range a.Players()[:500] {
		p.Mode = Creative
		p.Items[0] = Stack{Torch, 1}
		at := p.Body.Pos.Block().Add(1, -1, 1)
		cmds = append(cmds, Command{Player: p.ID, Kind: CmdAct, Act: Act{Kind: ActPlace, At: at, Face: FaceUp}})
	}
	b.ReportAllocs()
	for b.Loop() {
		a.Tick(a.tick+placeEvery, cmds)
	}
}

// BenchmarkTick is a tick with 1500 players who all move.
func BenchmarkTick(b *testing.B) {
	a, cmds := crowd(1500)
	tick := uint64(0)
	step := func() {
		tick++
		for i := range cmds {
			cmds[i].Seq = uint32(tick)
			cmds[i].Input = Input{Buttons: ButtonForward | uint16(tick/16+uint64(i))&16, Yaw: uint16(tick*40 + uint64(i)*999)}
			cmds[i].Check, cmds[i].Expect = true, Vec{fixed.One, 0, 0}
		}
		a.Tick(tick, cmds)
	}
	for range 40 {
		step()
	}
	b.ReportAllocs()
	for b.Loop() {
		step()
	}
}
