package node

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// fakeShard is a lobby or a region that writes down what happens to it. What it
// does then is in script, by what it wrote down.
type fakeShard struct {
	w      *fakeWorld
	name   string
	env    machine.Env
	asleep bool
}

// fakeWorld is what the shards of one node share.
type fakeWorld struct {
	log    []string
	script map[string]func(*fakeShard)
}

func (p *fakeShard) note(format string, a ...any) {
	line := p.name + " " + fmt.Sprintf(format, a...)
	p.w.log = append(p.w.log, line)
	if do := p.w.script[line]; do != nil {
		do(p)
	}
}

// said is a message as the log shows it.
func said(m machine.Message) string {
	switch m := m.(type) {
	case string:
		return m
	case *region.SaveAll:
		return "SaveAll"
	default:
		return fmt.Sprintf("%T", m)
	}
}

func (p *fakeShard) Start() { p.note("start") }
func (p *fakeShard) OnMessage(from machine.Peer, m machine.Message) {
	p.note("%s: %s", who(from), said(m))
}
func (p *fakeShard) OnTimer(t machine.Timer) { p.note("timer %d %d %d", t.Kind, t.Gen, t.Arg) }
func (p *fakeShard) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	p.note("link %s %d", who(peer), ev)
}
func (p *fakeShard) OnDone(tag uint64, _ any, err error) { p.note("done %d %v", tag, err) }
func (p *fakeShard) Asleep() bool                        { return p.asleep }

var ada = machine.Peer{ID: id.Of([]byte("ada"))}

func who(p machine.Peer) string {
	if pos, ok := region.RegionOf(p); ok {
		return regionName(pos)
	}
	switch p {
	case region.Lobby:
		return "lobby"
	case ada:
		return "ada"
	}
	return p.ID.Short()
}

func regionName(pos world.RegionPos) string { return fmt.Sprintf("r%d,%d", pos.X, pos.Z) }

// guest is a session's machine: it opens its link and writes down.
type guest struct {
	env  machine.Env
	node machine.Peer
	log  []string
}

func (g *guest) Start()                                      { g.env.Open(g.node) }
func (g *guest) OnMessage(_ machine.Peer, m machine.Message) { g.log = append(g.log, said(m)) }
func (g *guest) OnTimer(machine.Timer)                       {}
func (g *guest) OnLink(_ machine.Peer, ev machine.LinkEvent) {
	g.log = append(g.log, fmt.Sprint("link ", ev))
}
func (g *guest) OnDone(uint64, any, error) {}

type bed struct {
	*testing.T
	s *sim.Sim
	w *fakeWorld
	n *sim.Node
	a *sim.Node
}

func newBed(t *testing.T, cfg Config) *bed {
	b := &bed{T: t, s: sim.New(1), w: &fakeWorld{script: map[string]func(*fakeShard){}}}
	b.n = b.s.Add(func(env machine.Env) machine.Machine {
		return newNode(cfg, env, makers{
			lobby: func(env machine.Env, _ lobby.Config) machine.Machine {
				return &fakeShard{w: b.w, name: "lobby", env: env}
			},
			region: func(c region.Config, env machine.Env) Region {
				return &fakeShard{w: b.w, name: regionName(c.Pos), env: env}
			},
		})
	})
	b.a = b.s.AddAs(ada, func(env machine.Env) machine.Machine { return &guest{env: env, node: b.n.Peer()} })
	b.s.Run(time.Second)
	b.want("lobby start", "lobby link ada 1")
	return b
}

func (b *bed) node() *Node { return b.n.Machine().(*Node) }

func (b *bed) say(m machine.Message) {
	b.a.Call(func() { b.a.Machine().(*guest).env.Send(b.n.Peer(), m) })
	b.s.Run(time.Second)
}

func (b *bed) to(x, z int32, m machine.Message) {
	b.say(&region.To{Region: world.RegionPos{X: x, Z: z}, Msg: m})
}

// want compares the log since the last time.
func (b *bed) want(lines ...string) {
	b.Helper()
	if !slices.Equal(b.w.log, lines) {
		b.Fatalf("log\n%q, want\n%q", b.w.log, lines)
	}
	b.w.log = nil
}

func TestRouting(t *testing.T) {
	b := newBed(t, Config{})
	b.w.script["lobby ada: hi"] = func(p *fakeShard) { p.env.Send(ada, "welcome") }
	b.w.script["r1,2 ada: go"] = func(p *fakeShard) {
		p.env.Send(region.PeerOf(world.RegionPos{X: 2, Z: 2}), "neighbour")
		p.env.Send(region.Lobby, &region.Arrived{Region: world.RegionPos{X: 1, Z: 2}})
		p.env.Send(region.Lobby, &region.Arrived{Region: world.RegionPos{X: 2, Z: 2}}) // in the name of another
		p.env.Send(region.Lobby, "not for a lobby")
		p.note("end of handler")
	}
	b.say("hi")
	b.to(1, 2, "go")
	b.want("lobby ada: hi", "r1,2 start", "r1,2 ada: go", "r1,2 end of handler",
		"r2,2 start", "r2,2 r1,2: neighbour", "lobby r1,2: *lobby.Arrived")
	if got := fmt.Sprint(b.a.Machine().(*guest).log); got != "[link 1 welcome]" {
		t.Fatalf("the session heard %s", got)
	}
	b.to(world.Limit, 0, "beyond the end of the world")
	b.want()
}

func TestLobbySendsToRegions(t *testing.T) {
	b := newBed(t, Config{})
	b.to(0, 0, "wake")
	b.w.log = nil
	b.w.script["lobby ada: go"] = func(p *fakeShard) {
		for _, x := range []int32{0, 5} {
			pos := world.RegionPos{X: x}
			p.env.Send(machine.Peer{}, &lobby.Order{Region: pos})
			p.env.Send(machine.Peer{}, &lobby.Locate{Region: pos})
			p.env.Send(machine.Peer{}, &lobby.SaveAll{Region: pos})
		}
	}
	b.say("go")
	// A region that sleeps may know where a player went, which the lobby may not.
	b.want("lobby ada: go", "r0,0 lobby: *region.Order",
		"r0,0 lobby: *region.Locate", "r0,0 lobby: SaveAll", "r5,0 start", "r5,0 lobby: *region.Order", "r5,0 lobby: *region.Locate", "r5,0 lobby: SaveAll")
}

func TestHibernation(t *testing.T) {
	b := newBed(t, Config{})
	b.w.script["r0,0 ada: sleep"] = func(p *fakeShard) {
		p.env.SetTimer(p.env.Now().Add(time.Millisecond), machine.Timer{Kind: 9})
		p.env.Do("r.0.0", 7, machine.DiskRead{Space: "r.0.0"})
		p.env.Send(region.PeerOf(world.RegionPos{X: 1}), "good night")
		p.asleep = true
	}
	b.to(0, 0, "sleep")
	b.want("r0,0 start", "r0,0 ada: sleep", "r1,0 start", "r1,0 r0,0: good night")
	b.to(0, 0, &region.Watch{})
	b.want()
	b.to(0, 0, "wake")
	b.want("r0,0 start", "r0,0 ada: wake")
	if s := b.node().Stats(); s.Timers != 0 || s.Woken != 3 || s.Slept != 1 || len(s.Regions) != 2 {
		t.Fatalf("stats %+v", s)
	}
}

func TestTimersAndJobsComeBack(t *testing.T) {
	b := newBed(t, Config{})
	b.w.script["r0,0 start"] = func(p *fakeShard) {
		p.env.SetTimer(p.env.Now().Add(20*time.Millisecond), machine.Timer{Kind: 1, Gen: 2, Arg: 3})
		p.env.SetTimer(p.env.Now().Add(10*time.Millisecond), machine.Timer{Kind: 4, Gen: 5, Arg: 6})
		p.env.Do("q", 7, machine.DiskWrite{Space: "s"})
		p.env.Do("q", 8, machine.DiskRead{Space: "s"})
	}
	b.to(0, 0, "x")
	b.want("r0,0 start", "r0,0 ada: x", "r0,0 done 7 <nil>", "r0,0 done 8 <nil>", "r0,0 timer 4 5 6", "r0,0 timer 1 2 3")
}

func TestLinksEnd(t *testing.T) {
	b := newBed(t, Config{})
	b.to(0, 0, "x")
	b.to(1, 0, "x")
	b.w.log = nil
	b.w.script["lobby ada: out"] = func(p *fakeShard) { p.env.Close(ada) }
	b.say("out")
	b.want("lobby ada: out", "r0,0 link ada 2", "r1,0 link ada 2")
	b.a.Restart()
	b.s.Run(time.Second)
	b.want("lobby link ada 1")
	b.a.Crash()
	b.s.Run(time.Second)
	b.want("r0,0 link ada 3", "r1,0 link ada 3", "lobby link ada 3")
}

func TestPeersThatLookLikeShardsAreRefused(t *testing.T) {
	b := newBed(t, Config{})
	for _, peer := range []machine.Peer{region.Lobby, region.PeerOf(world.RegionPos{X: 3}), {}} {
		g := b.s.AddAs(peer, func(env machine.Env) machine.Machine { return &guest{env: env, node: b.n.Peer()} })
		b.s.Run(time.Second)
		b.want()
		if got := fmt.Sprint(g.Machine().(*guest).log); got != "[link 1 link 2]" {
			t.Fatalf("%x heard %s", peer.ID, got)
		}
	}
}

func TestMaxRegions(t *testing.T) {
	b := newBed(t, Config{MaxRegions: 2})
	for x := range int32(3) {
		b.to(x, 0, "x")
	}
	b.want("r0,0 start", "r0,0 ada: x", "r1,0 start", "r1,0 ada: x")
	if got := b.a.Machine().(*guest).log; got[len(got)-1] != "*region.Notice" {
		t.Fatalf("the session heard %q", got)
	}
}

func TestShutdown(t *testing.T) {
	b := newBed(t, Config{})
	b.to(0, 0, "x")
	b.to(1, 0, "x")
	b.w.log = nil
	save := func(p *fakeShard) { p.env.Do("r", 1, machine.DiskWrite{Space: "r"}) }
	answer := func(text string, pos world.RegionPos) func(p *fakeShard) {
		return func(p *fakeShard) {
			p.env.Send(region.Lobby, &region.Saved{Region: pos, Tag: closingTag, Err: text})
			p.asleep = text == ""
		}
	}
	b.w.script["r0,0 lobby: SaveAll"] = save
	b.w.script["r1,0 lobby: SaveAll"] = save
	b.w.script["r0,0 done 1 <nil>"] = answer("", world.RegionPos{})
	b.w.script["r1,0 done 1 <nil>"] = answer("no room", world.RegionPos{X: 1})
	var ended []error
	b.n.Call(func() { b.node().Shutdown(func(err error) { ended = append(ended, err) }) })
	b.s.Run(time.Millisecond)
	if ended != nil {
		t.Fatal("the shutdown ended before the disk")
	}
	b.s.Run(time.Second)
	if len(ended) != 1 || ended[0] == nil || ended[0].Error() != "region 1,0: no room" {
		t.Fatalf("ended %v", ended)
	}
	if b.n.Disk.Writes != 2 {
		t.Fatalf("%d writes", b.n.Disk.Writes)
	}
	if got := fmt.Sprint(b.a.Machine().(*guest).log); got != "[link 1 *lobby.Refused link 2]" {
		t.Fatalf("the session heard %s", got)
	}
}
