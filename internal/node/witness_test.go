package node

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/truth"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
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
	*archive
	guests []*sim.Node
}

func newPlayed(t testing.TB, seed uint64, nodes int) *played {
	a := &archive{
		realm: emptyRealm(t, seed), begin: machine.Time(townStart).Add(time.Minute),
		rules: truth.New(truth.Config{Regions: 4, Mode: world.Creative, Terrain: flatTerrain{}}),
	}
	a.shape = a.rules.World()
	a.realm.truth = func(i int) *Truth {
		return &Truth{
			Rules: a.rules, Protocol: storage.Protocol{Objects: true, Majority: true, Receipts: true}, Begin: a.begin,
			Sign: func(m *Answer) error { signAnswer(m, i); return nil }, Signed: a.signedAnswer,
			Played: a.rules, SignAction: func(*storage.Action) {},
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
	return &played{archive: a}
}

// guest lets somebody play at a node.
func (p *played) guest(at int) {
	i := len(p.guests)
	peer := machine.Peer{ID: id.Of(fmt.Append(nil, "session ", i))}
	p.guests = append(p.guests, p.s.AddAs(peer, func(env machine.Env) machine.Machine {
		return newWanderer(env, p.peer(at), i, 3)
	}))
}

func (p *played) wanderer(i int) *wanderer { return p.guests[i].Machine().(*wanderer) }

// intervals lets some pass.
func (p *played) intervals(n int) { p.s.Run(time.Duration(n) * truthInterval) }

// voted is a block as the zones have it.
func (p *played) voted(at world.Pos) (world.Block, bool) {
	for i := range p.nodes {
		s := p.node(i).net.layer.keeper.node.State()
		if s == nil || !s.Knows(p.rules.ColumnPlace(at.Column()), p.shape) {
			continue
		}
		v := truth.NewView(s.Objects(&s.Cover, p.shape, nil))
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

func (p *played) figures(i int) *TruthStats { return p.node(i).Stats().Truth }

// TestPlayedIsVoted: what players dig and build in regions is in the voted state
// some intervals later, and nobody is accused.
func TestPlayedIsVoted(t *testing.T) {
	p := newPlayed(t, 3, 10)
	p.s.Run(p.begin.Add(time.Second).Sub(p.s.Now()))
	for _, at := range []int{0, 3, 6} {
		p.guest(at)
	}
	p.intervals(6)
	for i := range p.guests {
		p.wanderer(i).quiet = true
	}
	p.intervals(6)
	if n := p.agree(); n < 30 {
		t.Errorf("only %d places were built", n)
	}
	for _, at := range []int{0, 3, 6} {
		s := p.figures(at)
		t.Logf("node %d: %+v", at, *s.Witness)
		if s.Witness.Waiting > 0 || s.Witness.Refused > 0 || s.Witness.Taken == 0 || s.Witness.Differing > 0 || len(s.Charges) > 0 || s.Witness.Compared == 0 {
			t.Errorf("node %d: %+v, charges %+v", at, *s.Witness, s.Charges)
		}
	}
}
