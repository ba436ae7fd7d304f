package node

import (
	"cmp"
	"crypto/ed25519"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/audit"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// flatTerrain is the flat land as the storage has it.
type flatTerrain struct{}

func (flatTerrain) Column(p world.ColumnPos) *world.Column {
	c := flatChunks.Clone()
	c.Pos = p
	return c
}

func (flatTerrain) Surface(_, _ int32) int { return ground }

// played is a world with a storage in which people play as in any other: what
// they do in regions is signed by their nodes and voted on.
type played struct {
	*storedWorld
	guests []*sim.Node
}

func newPlayed(t testing.TB, seed uint64, nodes int, mode world.Mode) *played {
	rules := voxelrules.New(voxelrules.Config{Regions: 4, Mode: mode, Terrain: flatTerrain{}})
	a := &storedWorld{verifiedWorld: emptyVerifiedWorld(t, seed, rules), begin: machine.Time(singleNodeStart).Add(time.Minute), rules: rules}
	a.shape, a.mode = a.rules.World(), mode
	a.verifiedWorld.truth = func(i int) *verifiedworld.StorageConfig {
		return &verifiedworld.StorageConfig{
			Rules: a.rules, Protocol: storage.ProtocolHardened, Begin: a.begin,
			Sign: func(m *verifiedworld.Answer) error { signAnswer(m, i); return nil }, Signed: a.signedAnswer,
			Played: a.rules, SignAction: func(*state.Action) {},
		}
	}
	space := overlay.SpaceFor(4)
	eighth := space.SubSide() / 8
	for i := range nodes {
		low, at := space.SubArea(i%4).Min, [][2]int32{{2, 2}, {6, 3}, {3, 6}}[i/4]
		a.certify(geom.Point{X: low.X + at[0]*eighth + int32(i), Y: low.Y + at[1]*eighth})
	}
	for i := range nodes {
		a.add(i)
	}
	return &played{storedWorld: a}
}

// guest lets somebody play at a node.
func (p *played) guest(at int) { p.guestAs(at, wandererName(len(p.guests))) }

// guestAs is guest with a name, from which the player's id follows.
func (p *played) guestAs(at int, name string) {
	i := len(p.guests)
	peer := machine.Peer{ID: id.Of(fmt.Append(nil, "session ", i))}
	p.guests = append(p.guests, p.s.AddAs(peer, func(env machine.Env) machine.Machine {
		w := newWanderer(env, p.peer(at), i, 3)
		w.name = name
		if p.mode == world.Survival {
			w.brick, w.slot = world.OakPlanks, 1 // of what newcomers are given
		}
		return w
	}))
}

func (p *played) wanderer(i int) *wanderer { return p.guests[i].Machine().(*wanderer) }

// intervals lets some pass.
func (p *played) intervals(n int) { p.s.Run(time.Duration(n) * truthInterval) }

// voted is a block as the zones have it.
func (p *played) voted(at world.Pos) (world.Block, bool) {
	for i := range p.nodes {
		s := p.node(i).net.verified.StorageNode().State()
		if s == nil || !s.Knows(p.rules.ColumnPlace(at.Column()), p.shape) {
			continue
		}
		v := voxelrules.NewView(s.Objects(&s.Cover, p.shape, nil))
		return p.rules.Column(v, at.Column()).At(int(at.X&31), int(at.Y), int(at.Z&31)), true
	}
	return world.Air, false
}

// agree compares what was acknowledged to the players with what is voted.
func (p *played) agree() (built int) {
	p.Helper()
	for i := range p.guests {
		for at, e := range p.wanderer(i).edits {
			b, ok := p.voted(at)
			switch {
			case !e.sure:
			case !ok:
				p.Errorf("nobody knows what is at %v", at)
			case b != e.block:
				p.Errorf("player %d has %v at %v, voted is %v", i, e.block, at, b)
			default:
				built++
			}
		}
	}
	return built
}

func (p *played) figures(i int) *verifiedworld.StorageStats { return p.node(i).Stats().Storage }

// shown checks what people are shown of a node's storage: that the regions around
// its players are voted, by whom, and who keeps what of its zone.
func (p *played) shown(i int, s *verifiedworld.StorageStats) {
	p.Helper()
	if s.ObservedAt < 0 || len(s.Observed) == 0 {
		p.Errorf("node %d has not looked at anything", i)
	}
	for _, l := range s.Observed {
		zones := map[int]bool{}
		for _, by := range l.Storers {
			zones[by.Zone] = true
		}
		if !l.Agreed || len(zones) < 3 {
			p.Errorf("node %d: %+v, want it voted by three zones of four", i, l)
		}
	}
	if len(s.Cells) < 4 || s.Cells[0].Peer != p.peer(i) || s.Cells[0].Zone != s.Zone {
		p.Fatalf("node %d knows who keeps %+v", i, s.Cells)
	}
	for _, shard := range s.Cells {
		var area int64 // twice, in square metres
		for k, a := range shard.Cell {
			b := shard.Cell[(k+1)%len(shard.Cell)]
			area += int64(a.X)*int64(b.Z) - int64(a.Z)*int64(b.X)
			if max(a.X, -a.X, a.Z, -a.Z) > 2*world.RegionSize {
				p.Errorf("node %d: %v is said to keep what is not of the world: %v", i, shard.Peer.ID.Short(), shard.Cell)
			}
		}
		if area <= 0 {
			p.Errorf("node %d: the part of %v is %v", i, shard.Peer.ID.Short(), shard.Cell)
		}
	}
}

// TestLongPlayedIsVoted: what players dig and build in regions is in the voted state
// some intervals later, in creative mode and in survival, and nobody is accused,
// though players cross borders and build beside each other. Other seeds: SEED=n.
func TestLongPlayedIsVoted(t *testing.T) {
	simtest.Long(t)
	for _, mode := range []world.Mode{world.Creative, world.Survival} {
		for _, seed := range seeds(t, 1) {
			t.Run(fmt.Sprint("mode ", mode, " seed ", seed), func(t *testing.T) {
				p := newPlayed(t, seed, 10, mode)
				p.s.Run(p.begin.Add(time.Second).Sub(p.s.Now()))
				at := []int{0, 3, 6}
				for _, i := range at {
					p.guest(i)
				}
				p.intervals(8)
				p.rest(8)
				if n := p.agree(); n < 20 {
					t.Errorf("only %d places were built", n)
				}
				for _, i := range at {
					s := p.figures(i)
					p.shown(i, s)
					t.Logf("node %d: %+v", i, *s.Witness)
					if s.Witness.Waiting > 0 || s.Witness.Refused > 0 || s.Witness.Taken == 0 || s.Witness.Differing > 0 || len(s.LeaderAccusations) > 0 || s.Witness.Compared == 0 {
						t.Errorf("node %d: %+v, charges %+v", i, *s.Witness, s.LeaderAccusations)
					}
				}
			})
		}
	}
}

// rest lets players do nothing for some intervals.
func (p *played) rest(intervals int) {
	for i := range p.guests {
		p.wanderer(i).quiet = true
	}
	p.intervals(intervals)
}

// lie lets the node that leads a region do something in it that nobody has asked
// for: it makes up what a neighbour or the lobby says.
func (p *played) lie(in world.RegionPos, from machine.Peer, m machine.Message) (liar machine.Peer) {
	p.Helper()
	for i := range p.nodes {
		n := p.node(i)
		h := n.net.hosting.replica(shards.Shard{Region: in})
		if h == nil || !h.group.Leading || n.regions[in] == nil {
			continue
		}
		p.nodes[i].Call(func() {
			n.Push(part.Call{To: region.PeerOf(in), From: from, Msg: m})
			n.drain()
		})
		return n.net.cfg.Self
	}
	p.Fatalf("nobody leads %v", in)
	return
}

// forge lets the nodes' logs of decisions say that somebody is an operator, as a
// liar's does, and returns an order of that operator about a player.
func (p *played) forge(w *wanderer) []byte {
	o := &decision.Order{Subject: w.player(), Kind: decision.Give, Text: "gold_ore", Count: 3, Seq: uint64(p.s.Now()) / 1e6}
	for i := range p.nodes {
		log := p.node(i).decisions.log
		o.World = log.World()
		forged := decision.New(log.World(), founderPublic)
		s := &decision.Statement{World: log.World(), Seq: o.Seq, Topic: decision.Operator, On: true, Subject: id.Of(evilKey.Public().(ed25519.PublicKey))}
		s.Sign(founderKey)
		if _, err := forged.Merge([]*decision.Statement{s}, time.Unix(0, int64(p.s.Now()))); err != nil {
			p.Fatal(err)
		}
		*log = *forged
	}
	o.Sign(evilKey)
	return o.Append(nil)
}

// nearestBorder is the neighbour that a place is nearest to, and how far it is.
func nearestBorder(at world.Pos) (n world.RegionPos, away int32) {
	home := at.Region()
	o := home.Column(0).Origin()
	x, z := at.X-o.X, at.Z-o.Z
	n, away = home, world.RegionSize
	for _, side := range []struct {
		to   world.RegionPos
		away int32
	}{
		{world.RegionPos{X: home.X - 1, Z: home.Z}, x}, {world.RegionPos{X: home.X + 1, Z: home.Z}, world.RegionSize - 1 - x},
		{world.RegionPos{X: home.X, Z: home.Z - 1}, z}, {world.RegionPos{X: home.X, Z: home.Z + 1}, world.RegionSize - 1 - z},
	} {
		if side.away < away {
			n, away = side.to, side.away
		}
	}
	return n, away
}

// edit makes up that somebody in a neighbouring region changes a block.
func (p *played) edit(kind world.RemoteKind, at world.Pos, b world.Block) machine.Peer {
	remote, away := nearestBorder(at)
	if away > 15 {
		p.Fatalf("%v is %d blocks from the next region: nobody there could reach it", at, away)
	}
	return p.lie(at.Region(), region.PeerOf(remote), &region.RemoteEdit{Remote: &world.Remote{
		Kind: kind, From: remote, Player: id.Of([]byte("nobody")), Seq: 1, At: at, Block: b, Mode: world.Creative, Body: at.Centre(),
		Op: region.TickAt(p.s.Now(), singleNodeStart) << 8,
	}})
}

// charge waits until a node accuses somebody, and returns of what.
func (p *played) charge(i, within int) verifiedworld.LeaderAccusation {
	p.Helper()
	for range within {
		if c := p.figures(i).LeaderAccusations; len(c) > 0 {
			return c[0]
		}
		p.intervals(1)
	}
	p.Fatalf("node %d accuses nobody within %d intervals: %+v", i, within, p.figures(i).Witness)
	return verifiedworld.LeaderAccusation{}
}

// noticed is after how many intervals a lie is found out at the latest: it has to
// be seen in one look more than the witness is patient, and one may be under way.
const noticed = audit.DefaultAccuseAfter + 3

// watchAll lets a player watch each region that it has been in. A wanderer watches
// only the one that it has entered; a client watches what is around it. Nobody is
// accused of what nobody is shown.
func (p *played) watchAll(guest int) {
	w := p.wanderer(guest)
	p.guests[guest].Call(func() {
		for in := range w.crossed {
			w.watch(in, region.RateEvery)
		}
	})
}

// TestLongLiesAreNoticed: a leader that takes back what it has acknowledged, one that
// makes up a block, and one that gives a player what nobody has dug is accused by
// the node of a player who is there, and what it has done is not in the vote. Where
// the player goes, and so who leads the region, depends on its id.
func TestLongLiesAreNoticed(t *testing.T) {
	simtest.Long(t)
	lies := []struct {
		name string
		mode world.Mode
		tell func(p *played) (machine.Peer, audit.Accusation)
	}{
		{"an acknowledged edit is dropped", world.Creative, func(p *played) (machine.Peer, audit.Accusation) {
			w := p.wanderer(0)
			for _, at := range sortedPlaces(w.edits) {
				if _, away := nearestBorder(at); away > 15 {
					continue
				}
				if e := w.edits[at]; e.sure && e.block == w.brick {
					return p.edit(world.RemoteBreak, at, w.brick), audit.Accusation{Kind: audit.Differs, At: at, Shown: world.Air, Voted: w.brick}
				}
			}
			p.Fatal("nothing was built near a border")
			return machine.Peer{}, audit.Accusation{}
		}},
		{"a block is made up", world.Creative, func(p *played) (machine.Peer, audit.Accusation) {
			at := p.wanderer(0).home.Column(4).Origin().Add(7, ground+1, 9)
			return p.edit(world.RemotePlace, at, world.GoldOre), audit.Accusation{Kind: audit.Differs, At: at, Shown: world.GoldOre, Voted: world.Air}
		}},
		{"a player is given what nobody has dug", world.Survival, func(p *played) (machine.Peer, audit.Accusation) {
			w := p.wanderer(0)
			return p.lie(w.home, region.Lobby, &region.Order{Player: w.player(), Signed: p.forge(w)}),
				audit.Accusation{Kind: audit.NotEarned, Shown: world.GoldOre, Player: w.player()}
		}},
	}
	for _, lie := range lies {
		for number := range 3 {
			t.Run(fmt.Sprint(lie.name, " player ", number), func(t *testing.T) {
				p := newPlayed(t, 5, 10, lie.mode)
				p.s.Run(p.begin.Add(time.Second).Sub(p.s.Now()))
				p.guestAs(2, wandererName(number))
				p.intervals(4)
				p.watchAll(0)
				p.rest(5)
				if c := p.figures(2).LeaderAccusations; len(c) > 0 {
					t.Fatalf("%+v before anybody has lied", c)
				}
				liar, want := lie.tell(p)
				p.s.Run(time.Second)
				p.accused(liar, want)
			})
		}
	}
}

// accused waits until node 2 accuses a liar of a lie, which is not in the vote.
func (p *played) accused(liar machine.Peer, want audit.Accusation) {
	p.Helper()
	got := p.charge(2, noticed)
	if want.Region = got.Region; got.Leader.ID != liar.ID {
		p.Errorf("%s is accused, %s has lied", got.Leader.ID.Short(), liar.ID.Short())
	}
	want.Of = got.Of
	if got.Accusation != want {
		p.Errorf("the charge is %+v, want %+v", got.Accusation, want)
	}
	if want.Kind != audit.Differs {
		return
	}
	if b, ok := p.voted(want.At); !ok || b != want.Voted {
		p.Errorf("voted is %v (%v)", b, ok)
	}
}

func sortedPlaces(m map[world.Pos]*edit) []world.Pos {
	return slices.SortedFunc(maps.Keys(m), func(a, b world.Pos) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Z, b.Z)) })
}
