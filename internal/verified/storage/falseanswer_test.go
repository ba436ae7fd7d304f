package storage_test

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// claimer answers questions that come by on their way to others as if it were alone
// in the world, and as if nothing were in it.
type claimer struct {
	spy
	bed *bed
}

func (c *claimer) Intercept(n *storage.Node, _ machine.Peer, m machine.Message) bool {
	cast, ok := m.(*overlay.Areacast)
	if !ok || cast.Root != nil {
		return false
	}
	q, ok := cast.Body.(*messages.Retrieve)
	if !ok || q.Kind != messages.ForUpdate {
		return false
	}
	empty := &state.Snapshot{Of: q.Of, Cover: q.Area, Whole: true}
	out := &messages.Result{Query: q.Query, Area: q.Area, Around: messages.NewAround(n.Self(), nil, c.bed.space.Bounds()), Seen: empty, Brief: true}
	n.Overlay().Reply(cast.Origin, out.Seal(n.World()))
	return true
}

// Somebody on the way to a zone of which a node knows nobody can answer as if it were
// alone there (thesis 5.5.1). The node asks its neighbours whom they know before it
// believes so: otherwise it would ask nobody else the next time, and the time after.
// That a neighbour knows better is likely and not certain: of the thousand zones in four
// networks some may remain (without asking there are ten).
func TestNobodyIsTakenForAWholeZone(t *testing.T) {
	all := 0
	for seed := range uint64(4) {
		b := newBed(t, 20+seed, 4, 80, 2*time.Minute)
		b.protocol = storage.ProtocolHardened
		claims := map[*overlay.Contact]bool{}
		b.behave = func(n int) storage.Behaviour {
			if n%7 != 3 {
				return nil
			}
			claims[b.nodes[n].self] = true
			return &claimer{bed: b}
		}
		b.until(b.update(1).Add(3*storage.DefaultLMax + time.Second))
		alone, blind := 0, 0
		for _, m := range b.live() {
			if claims[m.self] {
				continue
			}
			for zone := range b.space.Zones() {
				keys := m.node().UpdateKeys(zone)
				owners, pinned := 0, m.node().Pinned(zone)
				for _, o := range b.live() {
					if b.space.Zone(o.self.Pos) == zone && !claims[o.self] && keys.Overlaps(o.node().Overlay().Cell(nil)) {
						owners++
					}
				}
				if owners > 0 && !slices.ContainsFunc(pinned, func(c *overlay.Contact) bool { return !claims[c] }) {
					blind++
					if len(pinned) > 0 {
						alone++
					}
				}
			}
		}
		t.Logf("seed %d: %d zones of which only claimers are known, %d unknown", 20+seed, alone, blind-alone)
		all += alone
		b.replay(1)
		if n := b.agree(1); n > 0 {
			t.Errorf("seed %d: %d nodes have a wrong state", 20+seed, n)
		}
	}
	if all > 5 {
		t.Errorf("%d zones of which only claimers are known", all)
	}
}

// denier answers about t_0 as if nothing had been in the world then.
type denier struct{ spy }

func (d *denier) Answer(n *storage.Node, _ *overlay.Contact, q *messages.Retrieve, honest *messages.Result) *messages.Result {
	if q.Kind == messages.ForUpdate && q.Of == 0 {
		honest.Seen = &state.Snapshot{Of: 0, Cover: q.Area, Whole: true}
		return honest.Seal(n.World())
	}
	return honest
}

// Everybody can make the world of t_0 (thesis 5.3.6): who says otherwise is not
// believed, not even if it is more than half of the zones.
func TestNobodyIsBelievedAboutTheBeginning(t *testing.T) {
	b := newBed(t, 5, 4, 60, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	b.behave = func(n int) storage.Behaviour {
		if b.space.Zone(b.nodes[n].self.Pos) == 0 {
			return nil
		}
		return &denier{}
	}
	b.settle(1)
	if n := b.agree(1); n > 0 {
		t.Errorf("%d nodes have a wrong state", n)
	}
}
