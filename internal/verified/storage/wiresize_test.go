package storage_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// Simulated nodes refer to cells, and are charged for what a real node would send of
// them. Here each message that a simulated network of the hardened protocol sends is
// also made what a real node sends.
func TestSimulationsAreChargedForWhatTravels(t *testing.T) {
	const nodes, lost, last = 24, 2, 4
	b := newBed(t, 5, 4, nodes, 2*time.Minute)
	b.protocol = storage.ProtocolHardened
	b.behave = func(int) storage.Behaviour { return &mute{of: lost} } // later answers have unsure cells
	type total struct{ messages, bytes int }
	totals := map[string]*total{}
	leftOut, unsure := 0, 0 // answers that leave out rows, that have unsure cells
	b.sent = func(n *storage.Node, m machine.Message) {
		switch u := m.(type) {
		case *overlay.Unicast:
			m = u.Body
		case *overlay.Areacast:
			m = u.Body
		default:
			return
		}
		if n == nil || m == nil {
			return
		}
		name := reflect.TypeOf(m).Elem().Name()
		s := totals[name]
		if s == nil {
			s = &total{}
			totals[name] = s
		}
		size := func(m machine.Message) int { return m.(interface{ Size() int }).Size() }
		sent := n.WireForm(m)
		s.messages, s.bytes = s.messages+1, s.bytes+size(m)
		if size(m) != size(sent) {
			t.Errorf("a %s takes %d bytes, and is charged for %d", name, size(sent), size(m))
		}
		if r, ok := sent.(*messages.Result); ok && r.Sent != nil {
			leftOut += Indicator(slices.Contains(r.Sent.Same, true))
			unsure += Indicator(len(r.Sent.Unsure) > 0)
		}
	}
	next := nodes
	for of := int64(0); of <= last; of++ {
		b.playAll(of)
		if of == 1 || of == 2 {
			b.sim.At(b.update(of).Add(b.after(interval)), func() { b.start(next); next++ })
			b.sim.At(b.update(of).Add(b.after(interval)), func() { b.any().Stop() })
			b.sim.At(b.update(of).Add(b.after(interval)), func() { b.any().Crash() })
		}
		b.settle(of)
	}
	for name, s := range totals {
		t.Logf("%-16s %6d messages, %8d bytes", name, s.messages, s.bytes)
	}
	for _, name := range []string{
		"Retrieve", "Result", "Fetch", "Blocks", "Push", "Activate", "Deposit", "Receipt", "Certified", "Exchange",
		"RetrieveActions", "ActionsResult", "PeerQuery", "PeerReply",
	} {
		if totals[name] == nil {
			t.Errorf("nobody has sent a %s", name)
		}
	}
	if totals["Store"] != nil {
		t.Error("a single action was sent: it does not count")
	}
	t.Logf("%d answers leave rows out, %d have unsure cells", leftOut, unsure)
	if leftOut == 0 || unsure == 0 {
		t.Error("one of both was not tested")
	}
}

func Indicator(on bool) int {
	if on {
		return 1
	}
	return 0
}
