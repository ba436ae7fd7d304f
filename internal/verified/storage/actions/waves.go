package actions

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
)

// firstStorerTimeout is how long the first storer that is asked for actions has to answer,
// and how long storers have to send their receipts.
const firstStorerTimeout = 500 * time.Millisecond

// firstStorerPatience is how long the first storer that was asked for actions has to answer
// before more are asked: who has to open a link before it answers needs six latencies.
// The next ones have firstStorerTimeout.
const firstStorerPatience = time.Second

// waveOf is when a storer is asked for actions: the first one in the own zone at
// once, for a certified batch is enough; all others if that has none or is
// silent. That is done in two waves: first those who may know as much as a majority
// does, the others of the own zone and the first in as many zones as it takes.
func (ar *Retrieval) waveOf(home, zone int) int {
	zones := ar.Space.Zones()
	switch {
	case home == 0 && zone == ar.Zone:
		return 0
	case zone == ar.Zone, home == 0 && (zone-ar.Zone+zones)%zones < ar.zones.MajorityOfAll():
		return 1
	}
	return 2
}

// askWave asks the next storers for actions.
func (ar *Retrieval) askWave(q *Query) {
	m := q.ask
	if m == nil || q.done {
		return
	}
	more := false
	for k, home := range ar.area.Homes(m.Player) {
		for z := range ar.Space.Zones() {
			switch wave := ar.waveOf(k, z); {
			case wave == q.wave:
				ask := *m
				ask.Query = ar.number(int(m.Query&(1<<slotBits-1))/ar.area.HomesOf(), k, z)
				q.sent++
				ar.Overlay.Unicast(ar.Places.Key(home, z), &ask)
			case wave > q.wave:
				more = true
			}
		}
	}
	q.wave++
	if !more {
		q.ask = nil
	}
}

// AskMoreStorers asks more storers for what is not certified yet.
func (ar *Retrieval) AskMoreStorers(of int64) {
	if !ar.Asking || ar.of != of {
		return
	}
	more := false
	for i := range ar.asked {
		q := &ar.asked[i]
		ar.askWave(q)
		more = more || !q.done && q.ask != nil
	}
	if more {
		ar.Env.SetTimer(ar.Env.Now().Add(firstStorerTimeout), machine.Timer{Kind: part.TimerHurry, Arg: uint64(of)})
	}
}
