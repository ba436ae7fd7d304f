package sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// finder hears what a directory node has found.
type finder struct{ found []machine.Peer }

func (f *finder) Found(_ uint64, r kademlia.Result)         { f.found = r.Closest }
func (f *finder) Stored(uint64, int, map[kademlia.Code]int) {}
func (f *finder) Renew(*kademlia.Record)                    {}

// TestDirectory runs internal/cluster/kademlia: its messages are datagrams, of which one
// in fifty is lost.
func TestDirectory(t *testing.T) {
	in := sim.ThesisInternet()
	in.Loss, in.Max = 0.02, 400*time.Millisecond
	s := sim.NewWith(1, sim.Config{Internet: in})
	var all []*sim.Node
	var ids []id.ID
	ears := map[*sim.Node]*finder{}
	for i := range 60 {
		self := id.Of([]byte{byte(i)})
		f := &finder{}
		n := s.AddAs(machine.Peer{ID: self}, func(env machine.Env) machine.Machine {
			return kademlia.New(kademlia.Config{Self: self, Events: f}, env)
		})
		all, ids, ears[n] = append(all, n), append(ids, self), f
		if i > 0 {
			n.Call(func() { n.Machine().(*kademlia.Node).Join([]machine.Peer{all[0].Peer()}) })
		}
		s.Run(2 * time.Second)
	}
	s.Run(time.Minute)
	for k := range 20 {
		target, n := id.Of([]byte{1, byte(k)}), all[s.Rand().Intn(len(all))]
		n.Call(func() { n.Machine().(*kademlia.Node).Lookup(1, target) })
		s.Run(30 * time.Second)
		best := slices.MinFunc(ids, func(a, b id.ID) int {
			if kademlia.Closer(target, a, b) {
				return -1
			}
			return 1
		})
		if got := ears[n].found; len(got) == 0 || got[0].ID != best && n.Peer().ID != best {
			t.Fatalf("lookup %d did not find the nearest node", k)
		}
	}
}
