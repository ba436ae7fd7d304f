package lobby

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// names are who has which name. Names that were hardly used are freed for others.
type names struct {
	*store
	log *decision.Log
}

// holder is the player that has a name; nil: nobody has it.
func (n *names) holder(name string) *player {
	who, ok := n.register.Owner(name)
	if !ok {
		return nil
	}
	return n.players[who]
}

// check says why a player may not have a name. Its owner keeps it.
func (n *names) check(who id.ID, name string) *Refused {
	owner := n.holder(name)
	if owner != nil && owner.id == who {
		return nil
	}
	n.expireUnused(name)
	owner = n.holder(name)
	switch err := wire.CheckNewName(name); {
	case errors.Is(err, wire.ErrReserved):
		return refusal(wire.BadName, "This name is reserved. Choose another name.")
	case err != nil:
		return refusal(wire.BadName, "A name is written in the letters of one script. Choose another name.")
	case n.operatorNamed(name, who):
		return refusal(wire.NameTaken, fmt.Sprintf("An operator is called %s here. Choose another name.", name))
	case owner != nil:
		return refusal(wire.NameTaken, fmt.Sprintf("Somebody else is called %s here. Choose another name.", owner.rec.Name))
	}
	if n.register.Looks(name, who) > 0 {
		return refusal(wire.NameTaken, "Somebody else here has a name that looks like this one. Choose another name.")
	}
	return nil
}

// unused reports a player who was hardly here and is away. Records of older
// versions do not say when: those players keep their names.
func (p *player) unused() bool {
	return !p.here && !p.claiming && p.rec.Seen != 0 && p.rec.Played < regionlog.PlayedEnough && p.rec.Name != ""
}

// expireUnused frees what stands in the way of a name and was not used.
func (n *names) expireUnused(name string) {
	look := wire.Skeleton(name)
	if n.register.Looks(name, id.ID{}) == 0 {
		return
	}
	for _, p := range n.unused() {
		if n.unix()-p.rec.Seen >= regionlog.UnusedFor && wire.Skeleton(p.rec.Name) == look {
			n.free(p)
		}
	}
}

// expire makes room for the name of a player who comes, if that is a new one.
func (n *names) expire(who *player) {
	if who.rec.Name != "" {
		return
	}
	list := n.unused()
	for _, p := range list {
		if n.unix()-p.rec.Seen >= regionlog.UnusedFor || len(list) >= regionlog.MaxUnused {
			n.free(p)
			list = list[1:]
		}
	}
}

// unused are those whose names were not used, the longest ago first.
func (n *names) unused() (list []*player) {
	for _, p := range n.players {
		if p.unused() {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b *player) int {
		return cmp.Or(cmp.Compare(a.rec.Seen, b.rec.Seen), cmp.Compare(a.rec.Entity, b.rec.Entity))
	})
	return list
}

// free takes the name from a player who was hardly here. Operators and listed
// players keep theirs. Where the player is at home stays known, for what the
// player carries is there.
func (n *names) free(p *player) {
	if n.log.IsOperator(p.id) || n.log.IsListed(p.id) {
		return
	}
	if !n.register.Free(n.unix(), p.id, p.rec.Epoch != 0) {
		return
	}
	if p.rec.Epoch != 0 {
		p.rec.Name = ""
		n.writePlayer(p, nil)
		return
	}
	delete(n.players, p.id)
	n.write(nil, []string{playerKey(p.id)}, nil)
}

// played notes how long a player was here.
func (n *names) played(p *player) {
	if p.rec.Played < regionlog.PlayedEnough {
		p.rec.Played += max(0, n.unix()-p.since)
		p.rec.Seen = n.unix()
		n.writePlayer(p, nil)
	}
}

// operatorNamed reports an operator, other than a player, who was named so.
func (n *names) operatorNamed(name string, but id.ID) bool {
	who := n.log.Holder(name)
	return !who.IsZero() && who != but
}

// of is the name of a player who has been here, or of a console.
func (n *names) of(who id.ID) string {
	switch p := n.players[who]; {
	case p != nil:
		return p.rec.Name
	case slices.Contains(n.log.Consoles(), who):
		return decision.Console
	}
	return who.Short()
}
