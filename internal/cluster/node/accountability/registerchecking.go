package accountability

import (
	"fmt"
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

	shown map[id.ID]shownName // of players who are listed, until they were compared
	wrong machine.Time        // since when the leader's clock is wrong; 0: it is not

	before *regionlog.Register // to which the log led that has ended,
	ended  machine.Time        // then
}

// shownName is what a player was called in the lobby's name.
type shownName struct {
	name  string
	since machine.Time
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
func (k *registerChecking) reset() { k.shown, k.before, k.wrong = nil, nil, 0 }

// onPlayers takes what sessions here are shown.
func (k *registerChecking) onPlayers(m *lobby.Players) {
	old := k.shown
	if k.shown == nil || m.Full {
		k.shown = map[id.ID]shownName{}
	}
	for i := range m.List {
		p := &m.List[i]
		x, ok := old[p.Player]
		switch {
		case !p.Present:
			delete(k.shown, p.Player)
		case ok && x.name == p.Name:
			k.shown[p.Player] = x
		case len(k.shown) < maxShownNames:
			k.shown[p.Player] = shownName{p.Name, k.Env.Now()}
		}
	}
}

// beat compares.
func (k *registerChecking) beat(now machine.Time, g *regionlog.Register) {
	if g == nil {
		k.wrong = 0
		return
	}
	for _, player := range id.Sorted(k.shown) {
		x := k.shown[player]
		if now.Sub(x.since) < namesSettle {
			continue
		}
		owner, owned := g.Owner(x.name)
		switch {
		case owned && owner == player:
			delete(k.shown, player)
		case now.Sub(x.since) >= nameStandsFor:
			k.shown = nil
			k.suspect(fmt.Sprintf("shows player %s as %q, whom its log gives another name", player.Short(), x.name))
			return
		}
	}
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

// end is when the log has ended, or cannot be followed.
func (k *registerChecking) end(now machine.Time, g *regionlog.Register) { k.before, k.ended = g, now }

// begin compares the register with which the log goes on with the one before.
func (k *registerChecking) begin(now machine.Time, g *regionlog.Register) {
	before := k.before
	k.before = nil
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
