package actions

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// A batch is certified by receipts of more than half of the zones, one each, for
// this batch and no other, and signed by their storers.
func TestCertificates(t *testing.T) {
	space := overlay.SpaceFor(4)
	p := &state.Player{ID: id.ID{7}}
	batch := func(seq uint64) *state.Batch {
		return &state.Batch{Player: p, Of: 3, Actions: []*state.Action{{Player: p, Seq: seq}}}
	}
	by := func(zone int, b *state.Batch) *messages.Receipt {
		return &messages.Receipt{By: &overlay.Contact{ID: id.ID{byte(zone)}, Pos: space.SubArea(zone).Min}, Batch: b, First: true}
	}
	b, other := batch(1), batch(2)
	forged := by(2, b)
	forged.Signature = []byte("forged")
	second := by(2, b)
	second.First = false
	neighbour := by(1, b)
	neighbour.By.ID = id.ID{66}
	n := newBare(inTheMiddle(space, false), part.Settings{CheckReceipt: func(r *messages.Receipt) bool { return len(r.Signature) == 0 }}, Surroundings{})
	for _, c := range []struct {
		name string
		of   []*messages.Receipt
		want bool
	}{
		{"three of four", []*messages.Receipt{by(0, b), by(1, b), by(2, b)}, true},
		{"an equal batch", []*messages.Receipt{by(0, b), by(1, batch(1)), by(2, b)}, true},
		{"two of four", []*messages.Receipt{by(0, b), by(1, b)}, false},
		{"one twice", []*messages.Receipt{by(0, b), by(1, b), by(1, b)}, false},
		{"two of one zone", []*messages.Receipt{by(0, b), by(1, b), neighbour}, false},
		{"one for another batch", []*messages.Receipt{by(0, b), by(1, b), by(2, other)}, false},
		{"one forged", []*messages.Receipt{by(0, b), by(1, b), forged}, false},
		{"one of another home", []*messages.Receipt{by(0, b), by(1, b), second}, false},
		{"one is nothing", []*messages.Receipt{by(0, b), by(1, b), nil}, false},
		{"none", nil, false},
	} {
		if got := n.receipts.certifies(&messages.Certificate{Batch: b, Receipts: c.of}, b) != nil; got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if n.receipts.certifies(nil, b) != nil {
		t.Error("no certificate certifies")
	}
}
