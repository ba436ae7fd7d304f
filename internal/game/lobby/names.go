package lobby

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// holder is the player that has a name; nil: nobody has it.
func (h *Lobby) holder(name string) *player {
	who, ok := h.register.Owner(name)
	if !ok {
		return nil
	}
	return h.players[who]
}

// checkName says why a player may not have a name. Its owner keeps it.
func (h *Lobby) checkName(who id.ID, name string) *Refused {
	owner := h.holder(name)
	if owner != nil && owner.id == who {
		return nil
	}
	h.expireUnused(name)
	owner = h.holder(name)
	switch err := wire.CheckNewName(name); {
	case errors.Is(err, wire.ErrReserved):
		return refusal(wire.BadName, "This name is reserved. Choose another name.")
	case err != nil:
		return refusal(wire.BadName, "A name is written in the letters of one script. Choose another name.")
	case h.operatorNamed(name, who):
		return refusal(wire.NameTaken, fmt.Sprintf("An operator is called %s here. Choose another name.", name))
	case owner != nil:
		return refusal(wire.NameTaken, fmt.Sprintf("Somebody else is called %s here. Choose another name.", owner.rec.Name))
	}
	if h.register.Looks(name, who) > 0 {
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
func (h *Lobby) expireUnused(name string) {
	look := wire.Skeleton(name)
	if h.register.Looks(name, id.ID{}) == 0 {
		return
	}
	for _, p := range h.unusedPlayers() {
		if h.unix()-p.rec.Seen >= regionlog.UnusedFor && wire.Skeleton(p.rec.Name) == look {
			h.free(p)
		}
	}
}

// expire makes room for the name of a player who comes, if that is a new one.
func (h *Lobby) expire(who *player) {
	if who.rec.Name != "" {
		return
	}
	list := h.unusedPlayers()
	for _, p := range list {
		if h.unix()-p.rec.Seen >= regionlog.UnusedFor || len(list) >= regionlog.MaxUnused {
			h.free(p)
			list = list[1:]
		}
	}
}

// unusedPlayers are those whose names were not used, the longest ago first.
func (h *Lobby) unusedPlayers() (list []*player) {
	for _, p := range h.players {
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
func (h *Lobby) free(p *player) {
	if h.cfg.Decisions.IsOperator(p.id) || h.cfg.Decisions.IsListed(p.id) {
		return
	}
	if !h.register.Free(h.unix(), p.id, p.rec.Epoch != 0) {
		return
	}
	if p.rec.Epoch != 0 {
		p.rec.Name = ""
		h.writePlayer(p, nil)
		return
	}
	delete(h.players, p.id)
	h.write(nil, []string{playerKey(p.id)}, nil)
}

// played notes how long a player was here.
func (h *Lobby) played(p *player) {
	if p.rec.Played < regionlog.PlayedEnough {
		p.rec.Played += max(0, h.unix()-p.since)
		p.rec.Seen = h.unix()
		h.writePlayer(p, nil)
	}
}
