package node

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
)

// actor plays a script, each step of it after the one before was acknowledged:
// what it does to the world does not depend on how long things take. It needs
// no timers, so anything that carries messages can drive it.
type actor struct {
	session
	script []func(*actor)
	ready  func() bool // the step that runs is over
	next   int
	done   func(*actor) // called once, at the end
}

func newActor(env machine.Env, node machine.Peer, name string, script []func(*actor), done func(*actor)) *actor {
	return &actor{session: newSession(env, node, name), script: script, done: done}
}

func (a *actor) Start()                  { a.env.Open(a.node) }
func (a *actor) OnTimer(_ machine.Timer) {}

func (a *actor) OnMessage(_ machine.Peer, m machine.Message) {
	a.receive(m)
	if e, ok := m.(*region.Entered); ok {
		a.session.watch(e.Region, region.RateEvery)
	}
	for a.entries > 0 && (a.ready == nil || a.ready()) {
		a.ready = nil
		if a.next == len(a.script) {
			if a.done != nil {
				a.done(a)
				a.done = nil
			}
			return
		}
		a.next++
		a.script[a.next-1](a)
	}
}

func walk(in world.Input) func(*actor) {
	return func(a *actor) {
		a.step(in)
		a.ready = func() bool { return a.ack == a.seq }
	}
}

// try does an act until it is answered with anything but "too soon".
func try(act func(*actor) uint32) func(*actor) {
	return func(a *actor) {
		seq := act(a)
		a.ready = func() bool {
			r := a.results[seq]
			if r != nil && r.Reason == string(world.Cooldown) {
				seq = act(a)
				return false
			}
			return r != nil
		}
	}
}

// near is a place beside the actor, on the ground.
func near(a *actor, dx, dz int32) world.Pos {
	at := a.pos.Block().Add(dx, 0, dz)
	at.Y = ground + 1
	return at
}

// actorScript walks about, builds and breaks, by a seed. Each actor goes its
// own way first and stays there: who comes first where two meet is a matter of
// time.
func actorScript(seed uint64, index, steps int) []func(*actor) {
	r := rng.New(seed, uint64(index))
	s := []func(*actor){try(func(a *actor) uint32 { return a.act(world.ActPick, world.Pos{}, 0, int(world.Bricks), 0) })}
	const still, apart = 3, 40 // steps
	var in world.Input
	for i := range apart + steps {
		if i == still || i >= apart && i%15 == 0 {
			in = world.Input{
				Buttons: world.ButtonForward | world.ButtonSprint | world.ButtonJump,
				Yaw:     uint16(index*21845 + r.Intn(10000)),
			}
		}
		s = append(s, walk(in))
		if i < apart {
			continue
		}
		dx, dz := int32(r.Intn(5)-2), int32(r.Intn(5)-2)
		switch r.Intn(6) {
		case 0, 1:
			s = append(s, try(func(a *actor) uint32 { return a.act(world.ActPlace, near(a, dx, dz).Add(0, -1, 0), 1, 0, 0) }))
		case 2:
			s = append(s, try(func(a *actor) uint32 { return a.act(world.ActDig, near(a, dx, dz).Add(0, -1, 0), 1, 0, 0) }))
		}
	}
	return append(s, leave)
}

func leave(a *actor) {
	a.tell(a.home, &region.Leave{Player: a.player()})
	a.ready = func() bool { return a.left }
}

// readerScript reads the land around the spawn.
func readerScript() []func(*actor) {
	return []func(*actor){func(a *actor) {
		for x := int32(-1); x <= 2; x++ {
			for z := int32(-1); z <= 2; z++ {
				a.watch(world.RegionPos{X: x, Z: z}, region.RateEvery)
			}
		}
		a.ready = func() bool { return len(a.columns) == 16*world.Columns }
	}, leave}
}

// digestOf is a hash of all blocks that a reader has read.
func digestOf(a *actor) string {
	h := sha256.New()
	for _, pos := range slices.SortedFunc(maps.Keys(a.columns), func(p, q world.ColumnPos) int {
		return cmp.Or(cmp.Compare(p.X, q.X), cmp.Compare(p.Z, q.Z))
	}) {
		c := a.columns[pos].Clone()
		c.Compact()
		mask, b := c.AppendPayload(nil)
		fmt.Fprint(h, pos, mask)
		h.Write(b)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// report is how a player ends: where, with what, and what it was told.
func report(a *actor) string {
	ok := 0
	for _, r := range a.results {
		if r.OK {
			ok++
		}
	}
	return fmt.Sprintf("%s at %v in %v, %v in hand, %d acts done", a.name, a.pos, a.home, a.items[0].Block, ok)
}

// stage is a node under some driver.
type stage interface {
	// act lets actors play and returns them when all are done.
	act(scripts map[string][]func(*actor)) []*actor
}

// three are the scripts of three players.
func three(seed uint64) map[string][]func(*actor) {
	players := map[string][]func(*actor){}
	for i := range 3 {
		players[string(rune('a'+i))+"-actor"] = actorScript(seed, i, 120)
	}
	return players
}

// mason is the script of a player who stands still and builds.
func mason(seed uint64) map[string][]func(*actor) {
	var s []func(*actor)
	r := rng.New(seed)
	blocks := []world.Block{world.Bricks, world.Glass, world.OakLog, world.Lamp}
	for range 40 {
		b, dx, dz := int(blocks[r.Intn(len(blocks))]), int32(r.Intn(7)-3), int32(r.Intn(7)-3)
		s = append(s, try(func(a *actor) uint32 { return a.act(world.ActPick, world.Pos{}, 0, b, 0) }),
			try(func(a *actor) uint32 { return a.act(world.ActPlace, near(a, dx, dz).Add(0, -1, 0), 1, 0, 0) }))
	}
	return map[string][]func(*actor){"mason": append(s, leave)}
}

// perform plays some players and then a reader, and says how it ends.
func perform(s stage, players map[string][]func(*actor)) string {
	var out []string
	for _, a := range s.act(players) {
		out = append(out, report(a))
	}
	slices.Sort(out)
	reader := s.act(map[string][]func(*actor){"reader": readerScript()})
	return strings.Join(append(out, "world "+digestOf(reader[0])), "\n")
}

const parityEpoch = machine.Time(1000 * time.Hour)

// simStage is a node in the simulator.
type simStage struct {
	t    testing.TB
	s    *sim.Sim
	node *sim.Node
}

func newSimStage(t testing.TB, c sim.Config) *simStage {
	c.Start = parityEpoch
	x := &simStage{t: t, s: sim.NewWith(1, c)}
	x.node = x.s.Add(func(env machine.Env) machine.Machine { return New(testConfig(parityEpoch), flatEnv{env}) })
	return x
}

func (x *simStage) act(scripts map[string][]func(*actor)) (out []*actor) {
	x.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(scripts)) {
		x.s.AddAs(machine.Peer{ID: id.Of([]byte("session " + name))}, func(env machine.Env) machine.Machine {
			return newActor(env, x.node.Peer(), name, scripts[name], func(a *actor) { out = append(out, a) })
		})
	}
	if !x.s.RunUntil(func() bool { return len(out) == len(scripts) }, 10*time.Minute) {
		x.t.Fatal("the play does not end")
	}
	return out
}

// realStage is a node under the transport.
type realStage struct {
	t    testing.TB
	loop *transport.Loop
	node *Node // the loop's own: only for Call
}

func newRealStage(t testing.TB, d transport.Disk) *realStage {
	epoch := machine.Time(time.Now().UnixNano())
	x := &realStage{t: t}
	x.loop = transport.Start(transport.Config{
		Machine: func(env machine.Env) machine.Machine {
			x.node = New(testConfig(epoch), flatEnv{env})
			return x.node
		},
		Disk: d, Seed: 1,
	})
	return x
}

func (x *realStage) act(scripts map[string][]func(*actor)) (out []*actor) {
	x.t.Helper()
	done := make(chan *actor, len(scripts))
	for name, script := range scripts {
		k, err := x.loop.Dial(id.Of([]byte("session " + name)))
		if err != nil {
			x.t.Fatal(err)
		}
		a := newActor(linkEnv{k: k}, machine.Peer{}, name, script, func(a *actor) { done <- a })
		go drive(a, k)
	}
	for range scripts {
		out = append(out, <-done)
	}
	return out
}

// linkEnv lets an actor speak through a link.
type linkEnv struct {
	machine.Env
	k *transport.Link
}

func (e linkEnv) Send(_ machine.Peer, m machine.Message) { e.k.Send(m) }

// drive is a session's goroutine.
func drive(a *actor, k *transport.Link) {
	defer k.Close()
	a.OnLink(k.Peer(), machine.LinkUp)
	var buf []machine.Message
	for range k.Ready() {
		got, err := k.Take(buf)
		if err != nil {
			return
		}
		for _, m := range got {
			a.OnMessage(k.Peer(), m)
		}
		buf = got
		if a.done == nil {
			return
		}
	}
}

// memDisk is a transport.Disk in memory.
type memDisk struct {
	mu  sync.Mutex
	kvs map[string][]byte
}

func (d *memDisk) Read(r machine.DiskRead) (out []machine.KV, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(d.kvs)) {
		if key, ok := strings.CutPrefix(k, r.Space+"\x00"); ok && strings.HasPrefix(key, string(r.Prefix)) {
			out = append(out, machine.KV{Key: []byte(key), Value: d.kvs[k]})
		}
	}
	return out, nil
}

func (d *memDisk) Write(w machine.DiskWrite, done func(error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range w.DeletePrefix {
		maps.DeleteFunc(d.kvs, func(k string, _ []byte) bool { return strings.HasPrefix(k, w.Space+"\x00"+string(p)) })
	}
	for _, k := range w.Delete {
		delete(d.kvs, w.Space+"\x00"+string(k))
	}
	for _, kv := range w.Put {
		d.kvs[w.Space+"\x00"+string(kv.Key)] = kv.Value
	}
	go func() {
		time.Sleep(time.Millisecond)
		done(nil)
	}()
}

// TestParity: the same script gives the same world in the simulator, whatever
// its delays, and under the transport.
func TestParity(t *testing.T) {
	for seed := range uint64(3) {
		want := perform(newSimStage(t, sim.Config{}), three(seed))
		t.Logf("seed %d\n%s", seed, want)
		// Not slower: a body whose player says nothing for a second moves by itself.
		slow := sim.Config{Delay: 20 * time.Millisecond, Jitter: 30 * time.Millisecond, Sync: 10 * time.Millisecond, Compute: 20 * time.Millisecond}
		if got := perform(newSimStage(t, slow), three(seed)); got != want {
			t.Fatalf("seed %d: a slow network gives\n%s\nwant\n%s", seed, got, want)
		}
		synctest.Test(t, func(t *testing.T) {
			x := newRealStage(t, &memDisk{kvs: map[string][]byte{}})
			if got := perform(x, three(seed)); got != want {
				t.Errorf("seed %d: the transport gives\n%s\nwant\n%s", seed, got, want)
			}
			x.shutdown()
		})
	}
}

// TestParityOnDisk is the same in real time with a real disk, with a player
// whose steps cannot be disturbed by a machine that is busy elsewhere; then the
// node is shut down, started again and read.
func TestParityOnDisk(t *testing.T) {
	slowtest.Skip(t, "takes seconds of real time")
	want := perform(newSimStage(t, sim.Config{}), mason(7))
	dir := filepath.Join(t.TempDir(), "db")
	for run := range 2 {
		store, err := disk.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		x := newRealStage(t, store)
		var got string
		if run == 0 {
			got = perform(x, mason(7))
		} else {
			_, last, _ := strings.Cut(want, "\nworld ")
			want = last
			got = digestOf(x.act(map[string][]func(*actor){"reader": readerScript()})[0])
		}
		if got != want {
			t.Errorf("run %d gives\n%s\nwant\n%s", run, got, want)
		}
		x.shutdown()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// shutdown ends the node as a host does.
func (x *realStage) shutdown() {
	x.t.Helper()
	done := make(chan error, 1)
	err := x.loop.Call(context.Background(), func() { x.node.Shutdown(func(err error) { done <- err }) })
	if err != nil {
		x.t.Fatal(err)
	}
	if err := <-done; err != nil {
		x.t.Error(err)
	}
	if err := x.loop.Stop(); err != nil {
		x.t.Error(err)
	}
}
