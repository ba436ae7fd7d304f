package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// These tests speak for a region that is led by a node that lies.

var far = world.RegionPos{X: 40, Z: -7}

// rich is a player as a liar would like it: with a state that it has not got.
func rich(who id.ID, at world.Vec, epoch uint64) *world.Player {
	p := world.NewPlayer(who, "ada", world.Creative, at)
	p.Epoch, p.Operator, p.Health = epoch, true, 1
	p.Items[3] = world.Stack{Block: world.GoldOre, Count: 64}
	return p
}

func offer(p *world.Player, session machine.Peer, asks bool) *Handover {
	m := &Handover{Player: p.ID, Epoch: uint32(p.Epoch), State: p.AppendBinary(nil), Session: session, Asks: asks}
	if !asks {
		m.Acts = (&actRecord{}).encode(1)
	}
	return m
}

// TestNoOrdersOfRegions: no other region commands a player, whatever it wraps its
// order in.
func TestNoOrdersOfRegions(t *testing.T) {
	b := newBed(t)
	c := b.client("ada").enter()
	b.run(time.Second)
	r, h := b.homeOf(c.player)
	was, mode := h.p.Body.Pos, h.p.Mode
	for _, liar := range []world.RegionPos{there, far} {
		for _, o := range []*Order{
			b.ordered(c.player, decision.Order{Kind: decision.SetMode, Text: "creative"}),
			b.ordered(c.player, decision.Order{Kind: decision.Give, Text: "gold_ore", Count: 999}),
			b.ordered(c.player, decision.Order{Kind: decision.Teleport, At: metres(20, 90, 20)}),
			b.ordered(c.player, decision.Order{Kind: decision.Kick}),
			{Player: c.player, Near: "I am an idiot"},
		} {
			refused := r.stats.Refused
			for _, m := range []machine.Message{
				o, &Forward{c.player, machine.Peer{}, o}, &Forward{c.player, c.peer, o},
				&Forward{c.player, c.peer, &Forward{c.player, c.peer, o}},
				&Forward{c.player, c.peer, &Leave{c.player}},
				&Forward{c.player, c.peer, &Act{Player: c.player, Seq: 1, Kind: uint8(world.ActPick), A: 5}},
			} {
				b.deliver(here, PeerOf(liar), m)
				b.run(100 * time.Millisecond)
			}
			if got := r.stats.Refused - refused; got != 6 {
				t.Errorf("%v: %d of 6 messages were refused", liar, got)
			}
		}
	}
	if _, now := b.homeOf(c.player); now != h || h.p.Mode != mode || h.p.Operator || h.p.Body.Pos != was || h.p.Items.Count(world.GoldOre) != 0 {
		t.Errorf("a region commands a player: %+v", h.p)
	}
}

// TestNoHandoverOfOthers: a region that is not a player's home cannot give it to
// another, whether the player is there, was there, or has never been there.
func TestNoHandoverOfOthers(t *testing.T) {
	for _, how := range []string{"is there", "has left the world there", "has gone on", "was never there"} {
		t.Run(how, func(t *testing.T) {
			b := newBed(t)
			c := atBorder(b, "ada")
			at, home := here, here
			switch how {
			case "has left the world there":
				c.send(here, &Leave{c.player})
				b.run(time.Second)
			case "has gone on":
				b.teleport(c, metres(132, flatTop+1, 64.5))
				b.until("crossed", func() bool { r, _ := b.homeOf(c.player); return r != nil && r.Pos() == there })
				home = there
				c.walkFor(20*2*int(departedLifetime/time.Second), 0, 0)
			case "was never there":
				at = world.RegionPos{X: 5}
				b.region(at)
				b.run(time.Second)
			}
			b.denies = true
			eve := b.client("eve")
			for _, liar := range []world.RegionPos{{X: at.X, Z: 1}, far} {
				edge := metres(float64(at.X)*128+60, flatTop+1, 128.5)
				for _, epoch := range []uint64{1 << 31, secondEpoch + 3} {
					for _, asks := range []bool{true, false} {
						b.deliver(at, PeerOf(liar), offer(rich(c.player, edge, epoch), eve.peer, asks))
						if b.run(2 * time.Second); c.online {
							c.walkFor(20, 0, 0)
						}
					}
				}
			}
			r := b.region(at).r
			if h := r.sessions.players[c.player]; h != nil && (h.p.Operator || h.p.Health == 1 || h.peer == eve.peer) {
				t.Errorf("the liar's state is in the world: %+v", h.p)
			}
			b.denies = false
			c.home = home
			if how == "has left the world there" {
				c.enter()
			}
			// What the liar has said must not hinder the player either.
			b.teleport(c, metres(float64(at.X)*128+30, flatTop+1, 64.5))
			b.until("it can go there", func() bool {
				r, h := b.homeOf(c.player)
				return r != nil && r.Pos() == at && h.handover == nil && distanceTo(at, h.p.Body.Pos) < -20*fixed.One
			})
			if _, h := b.homeOf(c.player); h.p.Operator || h.p.Items.Count(world.GoldOre) > 0 {
				t.Errorf("it has what the liar gave it: %+v", h.p)
			}
		})
	}
}

// TestLobbySilent: while the lobby's host is away players still cross borders, but
// nobody is brought into the middle of a region, or by one that is far away.
func TestLobbySilent(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "ada")
	b.mute = true
	c.walkFor(40, world.ButtonForward, east)
	b.until("crossed", func() bool { r, _ := b.homeOf(c.player); return r != nil && r.Pos() == there })
	for _, x := range []struct {
		liar world.RegionPos
		at   world.Vec
	}{{world.RegionPos{X: -1}, metres(64, flatTop+1, 64)}, {far, metres(0.5, flatTop+1, 64)}} {
		who := id.Of([]byte("somebody"))
		b.deliver(here, PeerOf(x.liar), offer(rich(who, x.at, 9), machine.Peer{}, false))
		b.run(2 * claimTime)
		if b.region(here).r.sessions.players[who] != nil {
			t.Errorf("%v has brought a player to %v", x.liar, x.at)
		}
	}
}

// TestOperatorsOfTheLog: who is an operator the log of decisions says alone: neither
// the lobby, nor a handover, nor an edit across a border brings the right along.
func TestOperatorsOfTheLog(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "ada")
	b.protect(there, world.Zone{Min: world.Pos{X: 128}, Max: world.Pos{X: 255, Y: 255, Z: 127}})
	_, h := b.homeOf(c.player)
	h.p.Operator = true // its home lies
	ask := func(body world.Vec, at world.Pos) *RemoteEdit {
		b.lastTag++
		op := TickAt(b.now, 0)<<8 | b.lastTag
		return &RemoteEdit{Remote: &world.Remote{
			Kind: world.RemoteBreak, From: here, Player: c.player, Seq: 1, At: at, Block: world.Grass,
			Body: body, Operator: true, Op: op,
		}, Oldest: op, Epoch: uint32(h.p.Epoch)}
	}
	near, deep := world.Pos{X: 129, Y: flatTop, Z: 64}, world.Pos{X: 192, Y: flatTop, Z: 64}
	try := func(m *RemoteEdit, from world.RegionPos) {
		m.Remote.From = from
		b.deliver(there, PeerOf(from), m)
		b.run(500 * time.Millisecond)
	}
	try(ask(h.p.Body.Pos, near), here)
	if b.block(near) != world.Grass {
		t.Error("an edit with a neighbour's word broke a protected block")
	}
	b.protect(there)
	try(ask(h.p.Body.Pos, deep), here)
	try(ask(metres(192, flatTop+2, 64), deep), here)
	try(ask(h.p.Body.Pos, near), world.RegionPos{X: 9})
	if b.block(deep) != world.Grass || b.block(near) != world.Grass {
		t.Error("an edit out of reach, or of a region that is no neighbour, was done")
	}
	b.teleport(c, metres(132, flatTop+1, 64.5))
	b.until("crossed", func() bool { r, _ := b.homeOf(c.player); return r != nil && r.Pos() == there })
	if _, h := b.homeOf(c.player); h.p.Operator {
		t.Error("a handover made an operator")
	}
	grant := &Decided{}
	b.deliver(there, Lobby, grant)
	b.run(200 * time.Millisecond)
	if _, h := b.homeOf(c.player); h.p.Operator {
		t.Error("a change of the log makes an operator")
	}
	b.operators[c.player] = true
	b.deliver(there, Lobby, grant)
	b.run(200 * time.Millisecond)
	if _, h := b.homeOf(c.player); !h.p.Operator {
		t.Error("the log counts for nothing")
	}
	delete(b.operators, c.player)
	b.deliver(there, Lobby, grant)
	b.run(200 * time.Millisecond)
	if _, h := b.homeOf(c.player); h.p.Operator {
		t.Error("who is no operator any more still is")
	}
}

// TestFarRegions: regions that are no neighbours are not heard about borders, and
// nothing is kept of them.
func TestFarRegions(t *testing.T) {
	b := newBed(t)
	c := b.client("ada").enter()
	b.run(time.Second)
	r, h := b.homeOf(c.player)
	mob := &world.Mob{}
	for i := range int32(300) {
		liar := PeerOf(world.RegionPos{X: 2 + i, Z: 3})
		op := TickAt(b.now, 0) << 8
		for _, m := range []machine.Message{
			&MobOver{State: mob.AppendBinary(nil), Op: op}, &NearChat{Player: c.player, Name: "Operator", At: h.p.Body.Pos, Line: "/near x"},
			&Columns{Number: 1}, &Blocks{Number: 1}, &Watch{BlocksOnly: true, Rates: [16]uint8{1, 1}},
			&RemoteEdit{Remote: &world.Remote{Kind: world.RemoteBreak, From: world.RegionPos{X: 2 + i, Z: 3}, At: world.Pos{X: 5, Y: flatTop, Z: 5}, Op: op}, Oldest: op},
		} {
			b.deliver(here, liar, m)
		}
	}
	b.run(time.Second)
	if n := len(r.edits.neighbours) + len(r.mobs.answered) + len(r.border.heard) + len(r.border.list); n > 8 {
		t.Errorf("%d things are kept of regions far away", n)
	}
}
