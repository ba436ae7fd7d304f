package region

import (
	"bytes"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// lands lets the rules know which land players own. The log of decisions has all of it,
// but anybody can sign today that land was theirs last year: what this region has let
// somebody own stays theirs, whoever says later that it was theirs before. So the region
// keeps what it has accepted on its disk.
type lands struct {
	component
	area  *regionlog.Area
	store *store
}

// refresh takes what has changed in the log of decisions.
func (l *lands) refresh() {
	if l.cfg.Lands == nil {
		return
	}
	stored, said := l.store.small[keyLands], l.cfg.Lands(l.cfg.Pos)
	old, _ := regionlog.DecodeLands(stored)
	list := l.keep(old, said)
	for _, s := range said {
		if len(list) < world.MaxLands && free(list, s.Land) {
			list = append(list, s)
		}
	}
	b := regionlog.AppendLands(nil, list)
	if bytes.Equal(b, stored) && len(l.area.Lands()) == len(list) || len(list)+len(old) == 0 {
		return
	}
	if l.area.SetLands(l.cfg.World, list) == nil {
		l.store.put(keyLands, b)
	}
}

// keep returns what is still owned of what was, as its owner says now in the node's log.
// What that does not know (yet) stays.
func (l *lands) keep(old, said []decision.SignedLand) (list []decision.SignedLand) {
	now := map[string]decision.SignedLand{}
	for _, s := range said {
		now[s.Land.Key()] = s
	}
	for i, s := range old {
		last := l.cfg.Land(s.Land.Subject, s.Land.Name)
		if last != nil && !last.On {
			continue
		}
		if n, ok := now[s.Land.Key()]; ok && free(append(slices.Clone(list), old[i+1:]...), n.Land) {
			s = n
		}
		list = append(list, s)
	}
	return list
}

// free reports whether land meets none of others, and is not in the list already.
func free(list []decision.SignedLand, s *decision.Statement) bool {
	z, _, ok := s.Box()
	return ok && !slices.ContainsFunc(list, func(o decision.SignedLand) bool {
		other, _, _ := o.Land.Box()
		return o.Land.Key() == s.Key() || o.Land.Subject != s.Subject && other.Meets(z)
	})
}

// greetAll tells players who come onto land whose it is.
func (l *lands) greetAll(s *playerSessions) {
	for _, p := range l.area.Players() {
		if h := s.at(p.ID); h != nil && h.peer != (machine.Peer{}) {
			l.greet(h)
		}
	}
}

// greet tells a player who comes onto land whose it is, and one who leaves it.
func (l *lands) greet(h *playerSession) {
	text := ""
	if at := l.area.LandAt(h.p.Body.Pos.Block()); at != nil {
		text = at.Name + ", land of " + at.OwnerName + "."
	}
	if text == h.land {
		return
	}
	if h.land = text; text == "" {
		text = "Nobody's land."
	}
	l.env.Send(h.peer, &Notice{Region: l.cfg.Pos, Code: "land", Text: text})
}
