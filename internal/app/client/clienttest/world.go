// Package clienttest runs a whole world in memory, on the real driver, for the
// tests of packages that players come through.
package clienttest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// World is a running world.
type World struct {
	Node    *client.Node
	Loop    *transport.Loop
	Machine *node.Node
	Spawn   world.Pos
}

// Start runs a world until the test ends. mode is how newcomers play.
func Start(t testing.TB, mode world.Mode) *World {
	t.Helper()
	const seed = 4
	terrain := terrain.New(seed)
	spawn := terrain.Spawn()
	epoch := machine.Time(time.Now().Add(-time.Hour).UnixNano())
	w := &World{Spawn: spawn}
	founder, err := client.NewIdentity("founder's node")
	if err != nil {
		t.Fatal(err)
	}
	w.Loop = transport.Start(transport.Config{
		Disk: NewDisk(),
		Machine: func(env machine.Env) machine.Machine {
			w.Machine = node.New(node.Config{
				Decisions: decision.New(id.Of([]byte("test")), [32]byte(founder.Public())), Sign: func(s *decision.Statement) { s.Sign(founder.Key) },
				Lobby:  lobby.Config{Name: "test", Seed: "4", Epoch: epoch, Spawn: spawn, Mode: uint8(mode)},
				Region: region.Config{Epoch: epoch, Rules: world.AreaConfig{Seed: seed, Spawn: spawn}, Terrain: terrain},
			}, env)
			return w.Machine
		},
	})
	t.Cleanup(func() {
		if err := w.Loop.Stop(); err != nil {
			t.Errorf("the loop: %v", err)
		}
	})
	w.Node = client.NewNode(client.Config{
		Node: w.Loop, World: id.Of([]byte("test")), Terrain: terrain, Spawn: spawn, Epoch: epoch,
		Info:  wire.WorldInfo{Name: "test", Seed: "4", Mode: uint8(mode), Day: 24000},
		Hosts: func() *wire.Hosts { return &wire.Hosts{Nodes: []wire.HostNode{{Leads: 7}}} },
	})
	return w
}

// Players counts who is in the world.
func (w *World) Players() (n, regions int) {
	if err := w.Loop.Call(context.Background(), func() {
		for _, r := range w.Machine.Stats().Regions {
			regions++
			n += r.Figures.Players
		}
	}); err != nil {
		return 0, 0
	}
	return n, regions
}

// Disk is a disk in memory that is always in time.
type Disk struct {
	mu     sync.Mutex
	spaces map[string]map[string][]byte
}

// NewDisk returns an empty disk.
func NewDisk() *Disk { return &Disk{spaces: map[string]map[string][]byte{}} }

// Read implements transport.Disk.
func (d *Disk) Read(r machine.DiskRead) ([]machine.KV, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	sp := d.spaces[r.Space]
	var out []machine.KV
	for _, k := range slices.Sorted(maps.Keys(sp)) {
		if strings.HasPrefix(k, string(r.Prefix)) {
			out = append(out, machine.KV{Key: []byte(k), Value: slices.Clone(sp[k])})
		}
	}
	return out, nil
}

// Write implements transport.Disk.
func (d *Disk) Write(w machine.DiskWrite, done func(error)) {
	d.mu.Lock()
	d.apply(w)
	d.mu.Unlock()
	go done(nil)
}

func (d *Disk) apply(w machine.DiskWrite) {
	sp := d.spaces[w.Space]
	if sp == nil {
		sp = map[string][]byte{}
		d.spaces[w.Space] = sp
	}
	maps.DeleteFunc(sp, func(k string, _ []byte) bool {
		return slices.ContainsFunc(w.DeletePrefix, func(p []byte) bool { return strings.HasPrefix(k, string(p)) })
	})
	for _, k := range w.Delete {
		delete(sp, string(k))
	}
	for _, kv := range w.Put {
		sp[string(kv.Key)] = slices.Clone(kv.Value)
	}
	for _, t := range w.Then {
		d.apply(t)
	}
}
