package hostilelab

import (
	"context"
	"crypto/ed25519"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/hostile"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// rows are what the audit gained as a node that leads a region of its own, over real
// sockets: commands to players at home elsewhere, handovers from afar, edits from
// afar, the lead of the lobby.
type rows struct {
	home, own shards.Shard // the player's, and the one that the hostile node leads
	world     id.ID
	player    id.ID
	at        world.Vec
	session   machine.Peer
}

// routed brings a message in the name of the hostile node's region.
func (r *rows) routed(to shards.Shard, m machine.Message) machine.Message {
	return &routing.Routed{To: to, From: r.own, Msg: m}
}

func (r *rows) attacks() (out []machine.Message) {
	theLobby := shards.Shard{Lobby: true}
	evil := ed25519.NewKeyFromSeed([]byte("the key of whoever is evil, 32 B"))
	for i, o := range []decision.Order{
		{Kind: decision.SetMode, Text: "creative"}, {Kind: decision.Give, Text: "gold_ore", Count: 999}, {Kind: decision.Kick},
		{Kind: decision.Teleport, At: world.Vec{X: r.at.X + 40<<12, Y: r.at.Y, Z: r.at.Z}},
	} {
		o.World, o.Subject, o.Seq = r.world, r.player, uint64(time.Now().UnixMilli())+uint64(i)
		o.Sign(evil)
		m := &region.Order{Player: r.player, Signed: o.Append(nil)}
		out = append(out, r.routed(r.home, m), r.routed(r.home, &region.Forward{Player: r.player, Session: r.session, Msg: m}),
			r.routed(theLobby, m), &routing.Routed{To: r.home, From: theLobby, Msg: m}) // in the lobby's name
	}
	p := world.Player{ID: r.player, Name: "Bo", Operator: true, Health: 3, Mode: world.Creative, Epoch: 1 << 31}
	p.Body.Pos = r.at
	state := p.AppendBinary(nil)
	out = append(out,
		r.routed(r.home, &region.Handover{Player: r.player, Epoch: 1 << 31, State: state}),
		r.routed(r.home, &region.Handover{Player: r.player, Epoch: 1 << 31, State: state, Session: r.session}),
		r.routed(theLobby, &lobby.Arrived{Region: r.own.Region, Player: r.player, Epoch: 1 << 31}),
		r.routed(theLobby, &lobby.Arrived{Region: r.home.Region, Player: r.player, Epoch: 1 << 31}),
	)
	under := r.at.Block()
	for dy := range int32(3) {
		under.Y--
		out = append(out, r.routed(r.home, &region.RemoteEdit{Epoch: 1, Remote: &world.Remote{
			Kind: world.RemoteBreak, From: r.own.Region, Player: r.player, Seq: uint32(dy), At: under, Body: r.at, Mode: world.Creative, Operator: true, Op: uint64(dy) + 1,
		}}))
	}
	for _, space := range []string{"hall", region.Space(r.home.Region)} {
		for n := range uint64(4) {
			out = append(out, &group.Message{Space: space, Gen: group.Gen{Number: 1}, From: n, To: n%2 + 1, Term: 9, Fresh: true, Transferee: n},
				&group.Message{Space: space, Kind: group.KindRemoved, Gen: group.Gen{Number: 9, Fork: 9}, From: n, To: n%2 + 1})
		}
	}
	return append(out,
		&shardgroup.GroupStatus{Shard: theLobby, Reply: true, Member: true, Led: true, Gen: group.Gen{Number: 9, Fork: 9}},
		&shardgroup.GroupStatus{Shard: r.home, Reply: true, Member: true, Led: true, Gen: group.Gen{Number: 9, Fork: 9}})
}

// TestHostileRows repeats the audit's attacks of a hostile node against a real one,
// which the hostile one has made believe that it leads a region; in a verified world
// both have certificates. Nothing is gained: a player who stands there stays as it is,
// the ground under it too, and an operator goes on to command.
func TestHostileRows(t *testing.T) {
	slowtest.Skip(t, "starts a node with players")
	for name, verified := range map[string]bool{"open": false, "verified": true} {
		t.Run(name, func(t *testing.T) { hostileRows(t, verified) })
	}
}

func hostileRows(t *testing.T, verified bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	w, err := foundHostile(t.TempDir(), 3, verified)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.close() }()
	h, err := host.Start(w.config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Close(context.Background()) }()
	editor, bystand, err := nodelab.HonestPair(ctx, h.URL(), h.LocalURL())
	if err != nil {
		t.Fatal(err)
	}
	defer editor.Close()
	defer bystand.Close()
	rs, in := joinRows(t, ctx, h, w, bystand)
	watching, stop := context.WithCancel(ctx)
	watched := make(chan error, 1)
	go func() { watched <- bystand.Watch(watching) }()
	ground, _ := bystand.Blocks().Block(groundOf(rs.at))
	for range 3 {
		for _, m := range rs.attacks() {
			if err := in.Look(ctx, func(n *hostile.Node) { n.Say(m) }); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second) // what is doubted is decided in this time
	}
	if err := editor.Say("/time set noon"); err != nil {
		t.Error(err)
	}
	stop()
	if err := <-watched; err != nil {
		t.Error(err)
	}
	if is, _ := bystand.Blocks().Block(groundOf(rs.at)); is != ground || ground == world.Air {
		t.Errorf("the ground was %v and is %v", ground, is)
	}
	stats, err := h.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if stats.Counts.Dropped == 0 {
		t.Error("nothing was dropped")
	}
}

func groundOf(at world.Vec) world.Pos {
	p := at.Block()
	p.Y--
	return p
}

// joinRows joins a hostile node, and waits until the other believes that it leads a
// region.
func joinRows(t *testing.T, ctx context.Context, h *host.Host, w *hostileWorld, b *nodelab.Bystander) (*rows, *hostile.Intruder) {
	stats, err := h.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	rs, in := joinRowsAt(t, h.World(), w, hostile.PeerAt(stats.Self.ID, h.NodeAddr()), b)
	rs.lead(t, ctx, in)
	return rs, in
}

// joinRowsAt joins a hostile node, in a verified world with a certificate, that attacks
// one that may be in another process.
func joinRowsAt(t *testing.T, m worldfs.Meta, w *hostileWorld, victim machine.Peer, b *nodelab.Bystander) (*rows, *hostile.Intruder) {
	record, err := genesis.DecodeText(m.Record)
	if err != nil {
		t.Fatal(err)
	}
	rs := &rows{world: m.ID, home: shards.Shard{Region: m.Spawn.Region()}, player: b.Who.Player(), at: b.Body().Pos, session: machine.Peer{ID: id.ID{1}}}
	theirs := []shards.Shard{{Lobby: true}, rs.home}
	key, err := hostile.KeyFarther(record, victim.ID, theirs)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := w.admit(key)
	if err != nil {
		t.Fatal(err)
	}
	in, err := hostile.Join(record, key, proof, hostile.Config{
		Seed: 3, Victim: victim,
		Spares: func(p shards.Shard) bool { return p.Lobby || p == rs.home },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Leave() })
	return rs, in
}

// lead waits until the attacked node believes that the hostile one leads a region.
func (rs *rows) lead(t *testing.T, ctx context.Context, in *hostile.Intruder) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for i := int32(0); ; i++ {
		// In the name of one region after the other it says something: the victim
		// asks the node nearest to the region's key to find hosts.
		part := shards.Shard{Region: world.RegionPos{X: 100 + i, Z: 100}}
		if err := in.Look(ctx, func(n *hostile.Node) {
			n.Say(&routing.Routed{To: shards.Shard{Lobby: true}, From: part, Msg: &region.Awake{Region: part.Region}})
			for p := range n.Leads {
				rs.own = p
			}
		}); err != nil {
			t.Fatal(err)
		}
		if rs.own != (shards.Shard{}) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the hostile node is not asked to find hosts (%d messages came)", in.Came.Load())
		}
		time.Sleep(100 * time.Millisecond)
	}
}
