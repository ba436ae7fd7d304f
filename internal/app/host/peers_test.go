package host_test

import (
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// shared is the configuration of a node of a world that several host, over the
// loopback; ids need solve hardly any puzzle.
func shared(t *testing.T, join ...string) host.Config {
	t.Helper()
	c := config(t)
	c.Nodes, c.Join = "127.0.0.1:0", join
	if len(join) > 0 {
		return c
	}
	folder := folderOf(t, c)
	if _, err := host.CreateWorld(folder, host.NewWorld{
		Name: host.DefaultWorld, Seed: c.Seed, Mode: c.Mode, Genesis: worldfs.OpenGenesis(1), Hosting: "open",
	}); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestThreeNodes: two nodes join the world of a first one, over real sockets.
// Players of all three see each other and each other's blocks; the founder's
// player is the operator, others are not. The first node goes; the others keep
// the world, with everything in it.
func TestThreeNodes(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	one := start(t, shared(t))
	ann := join(t, one, identity(t, "Ann"), "")
	if !ann.Welcome().Operator {
		t.Error("the founder's player is no operator")
	}
	addr := one.NodeAddr().String()
	two := start(t, shared(t, addr))
	three := start(t, shared(t, addr, two.NodeAddr().String()))
	if a, b := one.World(), three.World(); a.ID != b.ID || a.Seed != b.Seed || a.Spawn != b.Spawn || !a.Epoch.Equal(b.Epoch) || a.Genesis != b.Genesis {
		t.Fatalf("the nodes' worlds differ: %+v, %+v", a, b)
	}
	bo := join(t, two, identity(t, "Bo"), "")
	cy := join(t, three, identity(t, "Cy"), "")
	if bo.Welcome().Operator || cy.Welcome().Operator {
		t.Error("a joiner's player became an operator")
	}
	if err := ann.Say("hello"); err != nil {
		t.Fatal(err)
	}
	until(t, "all to read hello", func() bool { return bo.heard("Ann: hello") && cy.heard("Ann: hello") })
	place := put(t, bo)
	for _, p := range []*player{ann, bo, cy} {
		until(t, "all to see the block", func() bool { got, ok := p.Blocks().Block(place); return ok && got == world.Bricks })
	}
	until(t, "three players on the list", func() bool { return len(cy.Players()) == 3 })
	until(t, "the spawn's region to have three hosts, as far as every node knows", func() bool {
		for _, h := range []*host.Host{one, two, three} {
			if !hostedBy(t, h, h.World().Spawn.Region(), 3) {
				return false
			}
		}
		return true
	})

	stop(t, one)
	if err := <-ann.end; refused(err) != wire.Restart {
		t.Errorf("at the end Ann heard %v", err)
	}
	until(t, "Ann to have left", func() bool { return len(cy.Players()) == 2 && len(bo.Players()) == 2 })
	var said time.Time
	until(t, "Bo to be heard", func() bool {
		if time.Since(said) >= time.Second { // whoever writes faster for long is thrown out
			said = time.Now()
			if err := bo.Say("still here"); err != nil {
				t.Fatal(err)
			}
		}
		return cy.heard("Bo: still here")
	})
	until(t, "the block to be there", func() bool { got, ok := cy.Blocks().Block(place); return ok && got == world.Bricks })
}

// TestJoinNobody: nobody answers, or it is no node.
func TestJoinNobody(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := config(t)
	c.Nodes, c.Join = "127.0.0.1:0", []string{"127.0.0.1:1"}
	_, err := host.Start(c)
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") || host.ExitCode(err) != host.ExitNoNode {
		t.Errorf("%v, exit code %d", err, host.ExitCode(err))
	}
	c.Nodes = ""
	if _, err := host.Start(c); host.ExitCode(err) != host.ExitUsage {
		t.Errorf("without a port: %v", err)
	}
}

// hostedBy reports whether a node knows so many hosts of a region.
func hostedBy(t *testing.T, h *host.Host, at world.RegionPos, n int) bool {
	t.Helper()
	s, err := h.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Shards {
		if !p.Shard.Lobby && p.Shard.Region == at {
			return len(p.Members) == n
		}
	}
	return false
}
