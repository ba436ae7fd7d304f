package accountability

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
)

// heeding sees to it that a leader does what players have signed (decision 185). What it
// is handed by players' nodes it passes on to the leader, and looks in the leader's log for
// it. An honest leader does it or, if it cannot, takes the player out. One that does
// neither, while its log goes on, is suspected.
type heeding struct {
	part.Part
	links   *peers.Links
	suspect func(what string)

	began uint64 // tick with which the replay began
	list  map[id.ID]*unheeded
}

// unheeded is what a leader has not done for a player.
type unheeded struct {
	m      *Unheeded
	of     inputlog.Session
	signed *inputlog.Segment
	came   uint64       // the player, when that was handed over
	since  machine.Time // when it was, or the player could act again
	entry  uint64       // of the log, at that time
	passed machine.Time // on to the leader, last
}

const (
	// heedWithin and heedEntries are how long, and for how many entries of its log, a leader
	// may do something else: what is overloaded, frozen or cut off logs less. The leader itself
	// takes the player out before (region.HeedTicks).
	heedWithin  = 10 * time.Second
	heedEntries = 200
	// heedAge is how long ago something was signed at most, in ticks: the leader must be able
	// to do it when it comes (inputlog.Window).
	heedAge     = 600
	passOnEvery = 3 * time.Second
	maxUnheeded = 64
)

// reset forgets everything, when a log begins at a tick.
func (k *heeding) reset(tick uint64) { k.began, k.list = tick, nil }

// take takes what a player's node says that the leader does not do. Its signature was
// verified.
func (k *heeding) take(m *Unheeded, of *inputlog.Session, signed *inputlog.Segment, r *regionlog.Replayer) {
	player, now := id.Of(of.Key[:]), r.Area().Now()
	p := r.Area().Player(player)
	if p == nil || k.list[player] != nil || len(k.list) >= maxUnheeded || r.Heeds(of, signed, m.Act) ||
		!k.judgeable(of, signed, m.Act, r) || signed.Tick+heedAge < now || signed.Tick > now+inputlog.Ahead {
		return
	}
	if k.list == nil {
		k.list = map[id.ID]*unheeded{}
	}
	k.list[player] = &unheeded{m: m, of: *of, signed: signed, came: r.Came(player), since: k.Env.Now(), entry: r.Number()}
}

// judgeable reports whether it is known that something was not done before the log began: it
// was signed later; or it is steps, of which the state tells the last; or an earlier act was
// done later.
func (k *heeding) judgeable(of *inputlog.Session, signed *inputlog.Segment, act uint32, r *regionlog.Replayer) bool {
	return signed.Tick > k.began+inputlog.Ahead || act == 0 || r.RanBelow(of, act)
}

// beat looks what the leader has done meanwhile.
func (k *heeding) beat(now machine.Time, leader machine.Peer, r *regionlog.Replayer) {
	if r == nil {
		return
	}
	for _, player := range id.Sorted(k.list) {
		x, p := k.list[player], r.Area().Player(player)
		switch {
		case p == nil || r.Came(player) != x.came || r.Heeds(&x.of, x.signed, x.m.Act):
			delete(k.list, player)
		case p.Frozen: // it is on its way to another region
			x.since, x.entry = now, r.Number()
		case now.Sub(x.since) >= heedWithin && r.Number()-x.entry >= heedEntries:
			k.reset(k.began)
			k.suspect(fmt.Sprintf("does not do what player %s has signed, and goes on for others", player.Short()))
			return
		case x.passed == 0 || now.Sub(x.passed) >= passOnEvery:
			x.passed = now
			k.links.Send(leader, x.m)
		}
	}
}
