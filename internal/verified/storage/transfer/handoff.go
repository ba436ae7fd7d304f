package transfer

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Hand-offs. In the thesis a node that leaves takes what it
// stores with it, and its neighbours ask the other zones (5.4.2). If the nodes of
// several zones that keep the same place leave within the time that this takes, no
// majority is left to tell. So in the hardened protocol who leaves hands what it has to its neighbours, each
// of which keeps what is its own from then on as a claim: what enough other zones
// do not know is dropped when they have answered. What would be too much to arrive is
// only named: that is as good for the vote, and the other zones have it.

// farewellBytes is how much static data a node hands to each neighbour when it leaves,
// if there is somebody else who has it. Whoever goes has no time to send more: a link
// over which something still comes is cut before it is through.
const farewellBytes = 1 << 20

// HandOff hands static data and actions to those who keep them from now on.
func (tr *Transfer) HandOff() {
	if !tr.Hardened || !tr.Ready || !tr.Begun {
		return
	}
	for _, to := range tr.Area.Now.Neighbours {
		m := &messages.Push{Static: tr.Dormant.HandOffTo(to)}
		if tr.Zones.Voters() > 1 {
			m.Static, m.Names = limitHandOff(m.Static)
		}
		m.Batches = tr.Actions.BatchesAt(func(h geom.Point) bool { return tr.Area.Responsible(h) && tr.Area.Successor(h) == to })
		if len(m.Static)+len(m.Batches) == 0 {
			continue
		}
		m.Seal(tr.World)
		tr.sendPush(to, m)
	}
}

// limitHandOff leaves of static objects what a farewell has room for, and names the rest.
func limitHandOff(objects []*state.Object) (some []*state.Object, rest []messages.DormantName) {
	bytes := 0
	for i, o := range objects {
		if bytes += o.Size; bytes > farewellBytes {
			return objects[:i], messages.NameAll(objects[i:])
		}
	}
	return objects, nil
}
