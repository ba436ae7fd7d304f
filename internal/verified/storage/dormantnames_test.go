package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// giver counts what static data a node gets, and in how many portions; its farewells
// do not arrive. A mean one does not send what it has named, a false one sends
// something else.
type giver struct {
	leaver
	mean, false    bool
	bed            *bed
	asked          int
	portions, most int
	whole          int // answers that are more than names
}

func (g *giver) Intercept(n *storage.Node, _ machine.Peer, m machine.Message) bool {
	u, ok := m.(*overlay.Unicast)
	if !ok {
		return false
	}
	switch body := u.Body.(type) {
	case *messages.Result:
		if !body.Brief {
			g.whole += len(body.Static)
		}
	case *messages.Blocks:
		if len(body.Characters) > 0 && len(body.Cells) == 0 {
			g.portions, g.most = g.portions+1, max(g.most, len(body.Characters))
		}
	case *messages.Fetch:
		if body.Kind != messages.ForFailure || !g.mean && !g.false {
			return false
		}
		if g.asked++; g.false {
			made := g.bed.toy.object(body.Characters[0], n.Home(), g.bed.nodes[400].player, true, being{n.Home(), 1})
			n.Overlay().Reply(u.Origin, &messages.Blocks{Query: body.Query, Characters: []*state.Object{made}})
		}
		return true
	}
	return false
}

// Who follows somebody is told by name who sleeps there, and fetches them in portions;
// from others, if those who are asked send nothing, or what was not agreed on.
func TestSleepersAreFetchedByName(t *testing.T) {
	const last = 8
	b := newBed(t, 4, 4, 60, 2*time.Minute)
	unheard := false
	givers := map[int]*giver{}
	b.protocol, b.behave = storage.ProtocolHardened, func(i int) storage.Behaviour {
		givers[i] = &giver{leaver: leaver{unheard: &unheard}, mean: i%4 == 1, false: i%4 == 2, bed: b}
		return givers[i]
	}
	b.until(b.update(0).Add(-50 * time.Second))
	left := [4]int{3, 3, 2, 3}
	var gone *member
	var heir *giver
	for i, m := range b.nodes[:60] {
		switch zone := b.space.Zone(m.self.Pos); {
		case left[zone] > 0:
			if left[zone]--; zone == 2 && heir == nil {
				heir = givers[i]
			} else if zone == 2 {
				gone = m
			}
		default:
			m.Stop()
			b.until(b.sim.Now().Add(time.Second))
		}
	}
	b.until(b.update(1).Add(time.Second))
	*heir = giver{leaver: heir.leaver, bed: b}
	unheard = true
	gone.Stop()
	for of := int64(1); of <= last; of++ {
		b.replay(of)
	}
	b.until(b.update(last).Add(5 * time.Second))
	asked := 0
	for _, g := range givers {
		asked += g.asked
	}
	t.Logf("%d portions of up to %d; %d were asked for in vain", heir.portions, heir.most, asked)
	if heir.portions < 3 || heir.most > 64 || heir.whole > 0 || asked == 0 {
		t.Errorf("%d portions of up to %d, %d objects in answers, %d portions were asked for in vain", heir.portions, heir.most, heir.whole, asked)
	}
	if n := b.zonesHold(last); n > 0 {
		t.Errorf("%d objects are missing in some zone", n)
	}
	if n := b.agree(last); n > 0 {
		t.Errorf("%d of %d nodes have a wrong state", n, len(b.live()))
	}
}
