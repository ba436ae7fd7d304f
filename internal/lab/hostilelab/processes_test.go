package hostilelab

import (
	"context"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/hostile"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// honestProcess is a node in a process of its own.
type honestProcess struct {
	*lab.Process
	nodelab.NodeReport
}

func startHonest(t *testing.T, ctx context.Context, o nodelab.NodeOrder) *honestProcess {
	t.Helper()
	c, err := lab.Start(ctx, nodelab.ChildHost, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Kill() })
	p := &honestProcess{Process: c}
	p.look(t, o)
	return p
}

// look asks the process for what it knows; it fails if the process does not answer.
func (p *honestProcess) look(t *testing.T, o nodelab.NodeOrder) {
	t.Helper()
	p.NodeReport = nodelab.NodeReport{}
	if err := p.Do(o, &p.NodeReport, nodelab.SettleTime); err != nil || p.Error != "" {
		t.Fatal(err, p.Error)
	}
}

// TestHostileRowsOfThreeProcesses is TestHostileRows with two honest nodes in processes
// of their own, which host the world together, and two hostile ones in this that attack
// them in the name of a region of which they say that they are hosts. The operator is at
// the founder's node, the player who is attacked at the other. In the verified world all
// of them have certificates.
func TestHostileRowsOfThreeProcesses(t *testing.T) {
	slowtest.Skip(t, "starts two processes with players")
	for name, verified := range map[string]bool{"open": false, "verified": true} {
		t.Run(name, func(t *testing.T) { hostileRowsOfThreeProcesses(t, verified) })
	}
}

func hostileRowsOfThreeProcesses(t *testing.T, verified bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	w, err := foundHostile(t.TempDir(), 3, verified)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.close() }()
	folder, err := worldfs.OpenFolder(w.config.Data)
	if err != nil {
		t.Fatal(err)
	}
	founder := startHonest(t, ctx, nodelab.NodeOrder{Data: w.config.Data, Certificate: w.config.Certificate, Revocations: w.config.Revocations})
	joins := nodelab.NodeOrder{Data: t.TempDir(), Join: []string{founder.Nodes}}
	if joins.Certificate, joins.Revocations, err = w.certify(joins.Data); err != nil {
		t.Fatal(err)
	}
	guest := startHonest(t, ctx, joins)
	info, err := folder.Info(nodelab.LabWorld)
	if err != nil {
		t.Fatal(err)
	}
	editor, bystand, err := nodelab.HonestPair(ctx, guest.URL, founder.URL)
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
		rs, in := joinRowsAt(t, info.Meta, w, victim, bystand)
		rs.own = shards.Shard{Region: world.RegionPos{X: 100, Z: 100}}
		attacks = append(attacks, attack{rs, in})
	}
	watching, stop := context.WithCancel(ctx)
	watched := make(chan error, 1)
	go func() { watched <- bystand.Watch(watching) }()
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
	if err := bystand.Until(ctx, "Bo to get what an operator gives", func() bool { return bystand.State().Slots != bystand.Was.Slots }); err != nil {
		t.Error(err)
	}
	honest := []machine.Peer{founder.Self, guest.Self}
	for _, p := range []*honestProcess{founder, guest} {
		for _, o := range []nodelab.NodeOrder{{Lobby: true}, {Region: &attacks[0].home.Region}} {
			if p.look(t, o); p.Leader.ID != honest[0].ID && p.Leader.ID != honest[1].ID {
				t.Errorf("%+v is led by %v", o, p.Leader)
			}
		}
	}
}
