package lab

import (
	"context"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/hostile"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// honestProcess is a node in a process of its own.
type honestProcess struct {
	*child
	nodeReport
}

func startHonest(t *testing.T, ctx context.Context, o nodeOrder) *honestProcess {
	t.Helper()
	c, err := startChild(ctx, childHost, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.kill() })
	p := &honestProcess{child: c}
	p.look(t, o)
	return p
}

// look asks the process for what it knows; it fails if the process does not answer.
func (p *honestProcess) look(t *testing.T, o nodeOrder) {
	t.Helper()
	p.nodeReport = nodeReport{}
	if err := p.do(o, &p.nodeReport, settleTime); err != nil || p.Error != "" {
		t.Fatal(err, p.Error)
	}
}

// TestHostileRowsOfThreeProcesses is TestHostileRows with two honest nodes in processes
// of their own, which host the world together, and a hostile one in this that attacks
// both in the name of a region of which it says that it is a host. The operator is at the
// founder's node, the player who is attacked at the other.
func TestHostileRowsOfThreeProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("starts two processes with players")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir := t.TempDir()
	if err := foundLab(dir, 3); err != nil {
		t.Fatal(err)
	}
	folder, err := worldfs.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	founder := startHonest(t, ctx, nodeOrder{Data: dir})
	guest := startHonest(t, ctx, nodeOrder{Data: t.TempDir(), Join: []string{founder.Nodes}})
	info, err := folder.Info(labWorld)
	if err != nil {
		t.Fatal(err)
	}
	editor, bystand, err := honestPair(ctx, guest.URL, founder.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer editor.Close()
	defer bystand.Close()
	type attack struct {
		*rows
		*hostile.Intruder
	}
	var attacks []attack
	for _, p := range []*honestProcess{founder, guest} {
		victim := hostile.PeerAt(p.Self.ID, netip.MustParseAddrPort(p.Nodes))
		rs, in := joinRowsAt(t, info.Meta, victim, bystand)
		rs.own = node.Shard{Region: world.RegionPos{X: 100, Z: 100}}
		attacks = append(attacks, attack{rs, in})
	}
	watching, stop := context.WithCancel(ctx)
	watched := make(chan error, 1)
	go func() { watched <- bystand.watch(watching) }()
	under := groundOf(attacks[0].at)
	ground, _ := bystand.Blocks().Block(under)
	for range 3 {
		for _, a := range attacks {
			for _, m := range a.attacks() {
				if err := a.Look(ctx, func(n *hostile.Node) { n.Say(m) }); err != nil {
					t.Fatal(err)
				}
			}
		}
		time.Sleep(time.Second) // what is doubted is decided in this time
	}
	stop()
	if err := <-watched; err != nil {
		t.Error(err)
	}
	if is, _ := bystand.Blocks().Block(under); is != ground || ground == world.Air {
		t.Errorf("the ground was %v and is %v", ground, is)
	}
	// An operator still commands, across the nodes, and nobody else leads.
	if err := editor.Say("/give Bo gold_ore 1"); err != nil {
		t.Error(err)
	}
	if err := bystand.until(ctx, "Bo to get what an operator gives", func() bool { return bystand.state().slots != bystand.was.slots }); err != nil {
		t.Error(err)
	}
	honest := []machine.Peer{founder.Self, guest.Self}
	for _, p := range []*honestProcess{founder, guest} {
		for _, o := range []nodeOrder{{Lobby: true}, {Region: &attacks[0].home.Region}} {
			if p.look(t, o); p.Leader.ID != honest[0].ID && p.Leader.ID != honest[1].ID {
				t.Errorf("%+v is led by %v", o, p.Leader)
			}
		}
	}
}
