package region

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestOthersPlayers: nobody acts for another's player.
func TestOthersPlayers(t *testing.T) {
	b := newBed(t)
	c, eve := b.client("ada").enter(), b.client("eve").enter()
	c.walk(0, 0)
	b.run(time.Second)
	r, h := b.homeOf(c.player)
	was, seq, epoch := h.p.Body.Pos, h.p.LastSeq, h.p.Epoch
	refused := r.stats.Refused
	state := h.p.AppendBinary(nil)
	for i, m := range []machine.Message{
		&Inputs{Player: c.player, First: 10, Steps: []Step{{Buttons: world.ButtonForward}}},
		&Act{Player: c.player, Seq: 1, Kind: uint8(world.ActPick), A: 5},
		&Leave{c.player},
		b.ordered(c.player, decision.Order{Kind: decision.Teleport, At: metres(1, 70, 1)}),
		&Handover{Player: c.player, Epoch: uint32(epoch) + 9, State: state, Session: eve.peer},
		&HandoverOK{c.player, uint32(epoch) + 1},
		&HandoverRefused{c.player, uint32(epoch) + 1, ""},
		&Forward{c.player, c.peer, &Leave{c.player}},
		&RemoteEdit{Remote: &world.Remote{Kind: world.RemotePlace, At: c.body.Block(), Block: world.Stone}},
		&RemoteEditDone{&world.Remote{Player: c.player, Kind: world.RemoteBreak, Got: world.GoldOre}},
		&Columns{}, &Blocks{Changes: []BlockChange{{Pos: world.Pos{X: -1, Y: 5}, Block: world.Air}}},
		&Decided{}, &SaveAll{}, &Locate{Player: c.player}, &NearChat{Line: "/near x"},
		&MobOver{}, "nonsense", nil,
	} {
		eve.send(here, m)
		b.run(100 * time.Millisecond)
		if r.stats.Refused <= refused {
			t.Errorf("message %d (%T) was not refused", i, m)
		}
		refused = r.stats.Refused
	}
	if _, now := b.homeOf(c.player); now != h || h.peer != c.peer || h.p.Body.Pos != was || h.p.LastSeq != seq || h.p.Epoch != epoch {
		t.Errorf("eve did something: %+v", now)
	}
}

// TestEnterOddly: a session cannot make a player that could not be read again.
func TestEnterOddly(t *testing.T) {
	b := newBed(t)
	c := b.client("ada")
	long := c.enterMsg()
	long.Name = strings.Repeat("x", 65)
	odd := c.enterMsg()
	odd.Mode = 9
	for _, m := range []*Enter{long, odd} {
		c.send(here, m)
		b.run(time.Second)
		if c.online {
			t.Errorf("%+v was let in", m)
		}
	}
}

// TestFlood: a session that sends far too much moves no faster, fills no memory
// and keeps nobody else from playing.
func TestFlood(t *testing.T) {
	b := newBed(t)
	c, eve := b.client("ada").enter(), b.client("eve").enter()
	b.run(time.Second)
	_, h := b.homeOf(eve.player)
	was := h.p.Body.Pos
	const ticks = 40
	for range ticks {
		for range 50 {
			steps := make([]Step, maxInputs)
			for i := range steps {
				steps[i].Buttons = world.ButtonForward | world.ButtonSprint
			}
			eve.send(here, &Inputs{Player: eve.player, First: eve.seq + 1, Steps: steps, NoPos: true})
			eve.seq += maxInputs
			if m := eve.acts.Ask(&Act{Player: eve.player, Kind: uint8(world.ActSelect), A: 1}); m != nil {
				eve.send(here, m)
			}
			eve.watch(here, RateEvery)
			eve.watch(here, RateNone)
		}
		c.walk(0, 0)
		b.run(TickLength)
		if n := len(h.inputs.list); n > maxSteps+maxActs {
			t.Fatalf("%d things wait", n)
		}
	}
	far := h.p.Body.Pos.Sub(was)
	if limit := metres(float64(ticks+maxStepCredit)*0.29, 0, 0).X; far.X.Abs() > limit || far.Z.Abs() > limit {
		t.Errorf("moved %v in %d ticks", far, ticks)
	}
	if c.acked != c.seq {
		t.Errorf("ada: %d of %d acknowledged", c.acked, c.seq)
	}
	b.run(5 * time.Second)
	tooFast := 0
	for _, res := range eve.results {
		if res.Reason == "too-fast" {
			tooFast++
		}
	}
	if tooFast == 0 || eve.acts.Pending() != 0 {
		t.Errorf("%d acts have no answer, %d are too fast", eve.acts.Pending(), tooFast)
	}
	r := b.region(here).r
	if n := r.stats.ColumnsSent; n > 2*ticks*world.Columns {
		t.Errorf("%d columns sent", n)
	}
}

// TestSpeed: a client that claims to be elsewhere is told where it is, and one
// that saves its steps up runs them at once, but not more of them.
func TestSpeed(t *testing.T) {
	b := newBed(t)
	c := b.client("ada").enter()
	b.run(time.Second)
	c.body = world.Vec{}
	c.seq++
	c.send(here, &Inputs{Player: c.player, First: c.seq, Steps: []Step{{}}, Pos: metres(5, 70, 5)})
	b.run(100 * time.Millisecond)
	if _, h := b.homeOf(c.player); c.body != h.p.Body.Pos {
		t.Errorf("the client believes %v, it is at %v", c.body, h.p.Body.Pos)
	}
	// Honest steps with jitter: all are run, none is refused.
	g := rng.New(4)
	sent := 0
	for tick := range 400 {
		for sent <= tick && !g.OneIn(3) {
			c.walk(world.ButtonForward, uint16(tick*300))
			sent++
		}
		b.run(TickLength)
	}
	b.run(time.Second)
	r, h := b.homeOf(c.player)
	if h.p.LastSeq != c.seq || r.stats.InputsDropped != 0 {
		t.Errorf("%d of %d steps were run, %d left out", h.p.LastSeq, c.seq, r.stats.InputsDropped)
	}
}

// scripted runs a fixed script over two regions and returns the trace of all
// that was sent, and what the regions hold.
func scripted(t *testing.T, seed uint64) string {
	b := newBed(t)
	g := rng.New(seed)
	var clients []*client
	for i := range 5 {
		c := b.client(fmt.Sprint("p", i)).enter()
		c.hold(world.Block(world.Bricks + world.Block(i)))
		c.watch(here, RateEvery)
		c.watch(there, RateHalf)
		clients = append(clients, c)
		b.teleport(c, metres(125+float64(i), flatTop+1, 64.5))
	}
	for range 10 {
		roam(b, &g, clients, 10)
		b.diskErr = nil
		if g.OneIn(4) {
			b.diskErr = errDisk
		}
	}
	b.diskErr = nil
	b.run(5 * time.Second)
	out := fmt.Sprintf("%x", b.trace)
	for _, pos := range []world.RegionPos{here, there} {
		out += fmt.Sprintf(" %x", b.region(pos).r.area.Digest())
	}
	return out
}

// TestDeterminism: the same script gives the same bytes of all messages and the
// same world.
func TestDeterminism(t *testing.T) {
	for seed := range uint64(3) {
		a, z := scripted(t, seed), scripted(t, seed)
		if a != z {
			t.Errorf("seed %d: %s, then %s", seed, a, z)
		}
	}
	if scripted(t, 1) == scripted(t, 2) {
		t.Error("the script does nothing")
	}
}

// FuzzMessages throws random messages from random senders at a region, in time
// and while its disk fails. Nothing panics, what waits stays bounded, and in the
// end everybody can leave and the region sleeps.
func FuzzMessages(f *testing.F) {
	f.Add(uint64(1), uint16(400))
	f.Add(uint64(77), uint16(900))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16) {
		b := newBed(t)
		g := rng.New(seed)
		z := &fuzzer{g: &g, b: b}
		for i := range 3 {
			c := b.client(fmt.Sprint("p", i))
			c.skip = true
			z.clients = append(z.clients, c)
		}
		for range n % 1500 {
			z.step()
			h := b.region(here)
			for _, home := range h.r.sessions.players {
				if len(home.inputs.list) > maxSteps+maxActs {
					t.Fatalf("%d things wait", len(home.inputs.list))
				}
			}
			if len(h.r.interest.subs) > 16 {
				t.Fatalf("%d subscribers", len(h.r.interest.subs))
			}
		}
		b.diskErr = nil
		for _, pos := range append([]world.RegionPos(nil), b.awake...) {
			for _, c := range z.clients {
				if h := b.regions[pos]; h != nil {
					h.r.OnLink(c.peer, machine.LinkClosed)
				}
			}
			b.deliver(pos, z.stranger(), &Watch{})
			for dx := int32(-2); dx <= 2; dx++ {
				for dz := int32(-2); dz <= 2; dz++ {
					b.deliver(pos, PeerOf(world.RegionPos{X: pos.X + dx, Z: pos.Z + dz}), &Watch{BlocksOnly: true})
				}
			}
		}
		b.run(2 * time.Minute)
		for pos, h := range b.regions {
			t.Fatalf("%v does not sleep: %+v, waiting %d, outs %d", pos, h.r.Stats(), len(h.r.loading.waiting), len(h.r.outgoing.players))
		}
	})
}

// fuzzer makes messages.
type fuzzer struct {
	g       *rng.Rand
	b       *bed
	clients []*client
}

func (z *fuzzer) stranger() machine.Peer { return machine.Peer{ID: id.Of([]byte("stranger"))} }

func (z *fuzzer) step() {
	g := z.g
	switch g.Intn(12) {
	case 0:
		z.b.diskErr = nil
		if g.OneIn(4) {
			z.b.diskErr = errDisk
		}
	case 1, 2:
		z.b.run(time.Duration(g.Intn(300)) * time.Millisecond)
	case 3:
		h := z.b.region(here)
		h.r.OnLink(z.peer(), []machine.LinkEvent{machine.LinkUp, machine.LinkClosed, machine.LinkFailed}[g.Intn(3)])
		h.after()
	case 4:
		h := z.b.region(here)
		h.r.OnTimer(machine.Timer{Kind: uint16(g.Intn(6)), Gen: uint32(g.Intn(3)), Arg: uint64(g.Intn(3))})
		h.after()
	default:
		z.b.deliver(here, z.peer(), z.message())
	}
}

func (z *fuzzer) peer() machine.Peer {
	switch z.g.Intn(8) {
	case 0:
		return Lobby
	case 1:
		return PeerOf(z.pos())
	case 2:
		return z.stranger()
	}
	return z.client().peer
}

func (z *fuzzer) client() *client { return z.clients[z.g.Intn(len(z.clients))] }

func (z *fuzzer) pos() world.RegionPos {
	return world.RegionPos{X: int32(z.g.Intn(4)) - 1, Z: int32(z.g.Intn(4)) - 1}
}

// number is often extreme.
func (z *fuzzer) number() int64 {
	switch z.g.Intn(6) {
	case 0:
		return math.MaxInt64
	case 1:
		return math.MinInt64
	case 2:
		return int64(z.g.Uint64())
	case 3:
		return int64(z.g.Intn(1 << 20))
	}
	return int64(z.g.Intn(140))
}

func (z *fuzzer) vec() world.Vec {
	if z.g.OneIn(3) {
		return metres(float64(z.g.Intn(300)-80), float64(flatTop+1), float64(z.g.Intn(300)-80))
	}
	return world.Vec{X: fixed.Num(z.number()), Y: fixed.Num(z.number()), Z: fixed.Num(z.number())}
}

func (z *fuzzer) block() world.Pos {
	return world.Pos{X: int32(z.number()), Y: int32(z.number()), Z: int32(z.number())}
}

func (z *fuzzer) remote() *world.Remote {
	if z.g.OneIn(10) {
		return nil
	}
	return &world.Remote{
		Kind: world.RemoteKind(z.g.Intn(4)), From: z.pos(), Player: z.client().player, Seq: uint32(z.number()), At: z.block(),
		Face: world.Face(z.number()), Block: world.Block(z.number()), Body: z.vec(), Mode: world.Mode(z.number()),
		Code: world.Refusal([]string{"", "protected"}[z.g.Intn(2)]), Got: world.Block(z.number()), Op: uint64(z.g.Intn(9)),
	}
}

// epoch is one near those with which players came into the world, an hour after
// it began.
func (z *fuzzer) epoch() uint32 { return uint32(time.Hour/time.Second) + uint32(z.g.Intn(8)) }

func (z *fuzzer) state() []byte {
	p := world.NewPlayer(z.client().player, "x", world.Mode(z.g.Intn(3)), z.vec())
	p.Epoch = uint64(z.epoch())
	b := p.AppendBinary(nil)
	if z.g.OneIn(5) {
		b[z.g.Intn(len(b))] ^= byte(z.number())
	}
	return b
}

func (z *fuzzer) message() machine.Message {
	g, c := z.g, z.client()
	switch g.Intn(20) {
	case 0, 1:
		return &Enter{Player: c.player, Entity: uint32(z.number()), Name: "x", Mode: uint8(g.Intn(4)), New: g.OneIn(2)}
	case 2:
		return &Leave{c.player}
	case 3:
		w := &Watch{BlocksOnly: g.OneIn(2)}
		for i := range w.Rates {
			w.Rates[i] = uint8(z.number())
			if g.OneIn(2) {
				w.Rates[i] = []uint8{0, 1, 2, 4}[g.Intn(4)]
			}
		}
		return w
	case 4:
		w := &Watch{BlocksOnly: g.OneIn(2)}
		for i := range w.Rates {
			w.Rates[i] = []uint8{0, 1, 2, 4}[g.Intn(4)]
		}
		return w
	case 5, 6:
		steps := make([]Step, g.Intn(70))
		for i := range steps {
			steps[i] = Step{Buttons: uint16(z.number()), Yaw: uint16(z.number()), Pitch: int16(z.number())}
		}
		return &Inputs{Player: c.player, First: uint32(z.number()), Steps: steps, Pos: z.vec(), NoPos: g.OneIn(2)}
	case 7, 8:
		return &Act{Player: c.player, Seq: uint32(z.g.Uint64()), Kind: uint8(g.Intn(14)), Pos: z.block(), Face: uint8(z.number()),
			A: uint64(z.number()), B: uint32(z.number())}
	case 9:
		return &Columns{Columns: []Column{{flatColumn(world.ColumnPos{X: int32(z.number()), Z: int32(z.number())}), 1}, {}}}
	case 10:
		return &Blocks{Changes: []BlockChange{{z.block(), world.Block(z.number())}, {world.Pos{X: -1, Y: 5}, world.Block(z.number())}}}
	case 11:
		return &Handover{Player: c.player, Epoch: z.epoch(), State: z.state(), Session: c.peer, Asks: g.OneIn(4)}
	case 12:
		return &HandoverOK{c.player, z.epoch()}
	case 13:
		return &HandoverRefused{c.player, z.epoch(), "x"}
	case 14:
		return &RemoteEdit{Remote: z.remote(), Oldest: uint64(g.Intn(4)), Epoch: z.epoch()}
	case 15:
		return &RemoteEditDone{z.remote()}
	case 16:
		return &Forward{c.player, c.peer, z.message()}
	case 17:
		return z.order(c)
	case 18:
		return &MobOver{State: (&world.Mob{Entity: 1<<47 | uint64(g.Intn(9)), Kind: world.Sheep, Health: 5}).AppendBinary(nil), Op: uint64(g.Intn(9)), Oldest: uint64(g.Intn(5))}
	}
	return []machine.Message{&Decided{}, &Locate{Player: c.player}, &SaveAll{}, &NearChat{At: z.vec()}, nil, 7}[g.Intn(6)]
}
