package accountability

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
)

// registerChecking compares the register to which the log of the lobby's leader leads with
// what that one shows sessions of this node, with the register to which its log has led
// before, and with the time. A difference is no proof: nothing of that is signed.
type registerChecking struct {
	part.Part
	suspect func(what string)

	shown map[shownName]machine.Time // since when, until it was compared
	had   map[shownName]machine.Time // who had a name until then, and has another or none now
	wrong machine.Time               // since when the leader's clock is wrong; 0: it is not

	before *regionlog.Register // to which the log led that has ended,
	ended  machine.Time        // then
}

// shownName is what a player is called in the lobby's name.
type shownName struct {
	player id.ID
	name   string
}

func (a shownName) compare(b shownName) int {
	return cmp.Or(slices.Compare(a.player[:], b.player[:]), cmp.Compare(a.name, b.name))
}

const (
	// namesSettle is how long a name that is shown may be missing in the log, which comes
	// each second: nameStandsFor, until the leader is suspected.
	namesSettle   = 3 * time.Second
	nameStandsFor = 10 * time.Second
	maxShownNames = 1 << 14
	// A clock that is wrong by more than clockWrongBy for clockStandsFor takes names from
	// their players too early.
	clockWrongBy   = 30 * time.Minute
	clockStandsFor = time.Minute
)

// reset forgets what another leader has shown.
func (k *registerChecking) reset() { k.shown, k.had, k.before, k.wrong = nil, nil, nil, 0 }

// onPlayers takes what sessions here are shown. A right name that follows does not make a
// false one good.
func (k *registerChecking) onPlayers(m *lobby.Players) {
	if k.shown == nil {
		k.shown = map[shownName]machine.Time{}
	}
	for i := range m.List {
		p := &m.List[i]
		x := shownName{p.Player, p.Name}
		if _, ok := k.shown[x]; p.Present && !ok && len(k.shown) < maxShownNames {
			k.shown[x] = k.Env.Now()
		}
	}
}

// beat compares.
func (k *registerChecking) beat(now machine.Time, g *regionlog.Register) {
	if g == nil {
		k.wrong = 0
		return
	}
	for _, x := range slices.SortedFunc(maps.Keys(k.shown), shownName.compare) {
		since := k.shown[x]
		if now.Sub(since) < namesSettle {
			continue
		}
		owner, owned := g.Owner(x.name)
		_, had := k.had[x]
		switch {
		case owned && owner == x.player || had:
			delete(k.shown, x)
		case now.Sub(since) >= nameStandsFor:
			k.shown = nil
			k.suspect(fmt.Sprintf("shows player %s as %q, whom its log gives another name", x.player.Short(), x.name))
			return
		}
	}
	maps.DeleteFunc(k.had, func(_ shownName, until machine.Time) bool { return now.Sub(until) >= nameStandsFor })
	off := now.Sub(machine.Time(g.Time()) * machine.Time(time.Second))
	switch {
	case max(off, -off) < clockWrongBy:
		k.wrong = 0
	case k.wrong == 0:
		k.wrong = now
	case now.Sub(k.wrong) >= clockStandsFor:
		k.wrong = 0
		k.suspect("says that it is another time")
	}
}

// onLost is when a player has a name no more, which may have been shown a moment ago, or is
// on its way.
func (k *registerChecking) onLost(player id.ID, name string) {
	if k.had == nil {
		k.had = map[shownName]machine.Time{}
	}
	if len(k.had) < maxShownNames {
		k.had[shownName{player, name}] = k.Env.Now()
	}
}

// end is when the log has ended, or cannot be followed.
func (k *registerChecking) end(now machine.Time, g *regionlog.Register) { k.before, k.ended = g, now }

// begin compares the register with which the log goes on with the one before. What was shown
// in between, or just before, is not compared: nobody knows what happened then.
func (k *registerChecking) begin(now machine.Time, g *regionlog.Register) {
	g.OnLost(k.onLost)
	before := k.before
	k.before = nil
	maps.DeleteFunc(k.shown, func(_ shownName, since machine.Time) bool { return since.Sub(k.ended) > -namesSettle })
	if before == nil || now.Sub(k.ended) > beginsAtOnce*time.Second {
		return // names may have changed hands
	}
	for _, x := range before.Present() {
		if owner, owned := g.Owner(x.Name); owned && owner != x.Player {
			k.suspect(fmt.Sprintf("begins its log anew and has given the name %q of player %s to player %s", x.Name, x.Player.Short(), owner.Short()))
			return
		}
	}
}
