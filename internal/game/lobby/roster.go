package lobby

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

const (
	newsEvery = 250 * time.Millisecond // how often the others are told who came, moved and went
	newsNames = 4                      // so many names in a notice; more are counted
)

// home returns the region to enter the world in.
func (p *player) home(cfg Config) world.RegionPos {
	if p.rec.Epoch == 0 {
		return cfg.spawn().Region()
	}
	return p.rec.Home
}

const (
	deathEvery = 5 * time.Second // one death of a player is told in the long run,
	deathBurst = 3               // so many at once
)

// onDied tells everybody how a player has died. Only its home may say so, and not
// too often: whoever leads a region could say anything.
func (h *Lobby) onDied(m *Died) {
	p := h.players[m.Player]
	if p == nil || !p.here || p.region != m.Region || !m.Cause.Known() || !p.deaths.allow(h.env.Now(), deathEvery, deathBurst) {
		return
	}
	h.toPlayers(&Chat{Kind: wire.ChatSystem, Text: m.Cause.News(p.rec.Name)})
	h.toConsoles(&Chat{Kind: wire.ChatSystem, From: p.rec.Name, Text: m.Cause.News(p.rec.Name)})
}

// removePresent takes a player off the list of those who are here.
func (h *Lobby) removePresent(p *player) {
	if p.claiming || p.here && !p.console {
		h.register.Gone(h.unix(), p.id)
	}
	p.claiming = false
	if !p.here {
		return
	}
	p.here = false
	if p.console {
		h.consoles = slices.DeleteFunc(h.consoles, func(q *player) bool { return q == p })
		return
	}
	h.names.played(p)
	h.here = slices.DeleteFunc(h.here, func(q *player) bool { return q == p })
	h.queueNews(p)
}

// queueNews puts a player into the next news.
func (h *Lobby) queueNews(p *player) {
	if !p.changed {
		p.changed = true
		h.changed = append(h.changed, p)
	}
	if !h.armed {
		h.armed = true
		h.env.SetTimer(h.env.Now().Add(newsEvery), machine.Timer{Kind: timerNews})
	}
}

// list is everybody who is here.
func (h *Lobby) list() *Players {
	m := &Players{Full: true, List: make([]PlayerInfo, 0, len(h.here))}
	for _, p := range h.here {
		m.List = append(m.List, p.info())
	}
	return m
}

func (p *player) info() PlayerInfo {
	return PlayerInfo{Player: p.id, Entity: p.rec.Entity, Name: p.rec.Name, Present: p.here, Region: p.region, Skin: p.shown}
}

// sendNews sends what has changed to everybody, in one message for all of it,
// so that a crowd that comes at once costs no more than one player.
func (h *Lobby) sendNews() {
	m := &Players{}
	var came, went []string
	for _, p := range h.changed {
		p.changed = false
		m.List = append(m.List, p.info())
		switch {
		case p.here && !p.told:
			came = append(came, p.rec.Name)
		case !p.here && p.told:
			went = append(went, p.rec.Name)
		}
		p.told = p.here
	}
	h.changed = h.changed[:0]
	h.toAll(m)
	h.announce(came, "has come", "have come")
	h.announce(went, "has left", "have left")
}

func (h *Lobby) announce(names []string, one, many string) {
	if len(names) == 0 {
		return
	}
	text := phrase(names) + " " + many + "."
	if len(names) == 1 {
		text = names[0] + " " + one + "."
	}
	h.toPlayers(&Chat{Kind: wire.ChatSystem, Text: text}) // consoles read the list
}

// phrase lists names for a person; of many only the number.
func phrase(names []string) string {
	n := len(names)
	switch {
	case n > newsNames:
		return plural(n, "player")
	case n < 2:
		return strings.Join(names, "")
	}
	return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
}

// sortedKeys returns a map's keys in order: nothing may depend on the order of
// a map.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	out := make([]K, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
