package lobby

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// The night ends when enough of those who are here sleep: regions say who does, and one
// of them is asked to sign that it is day (decision.Dawn).

const (
	sleepsFor  = 3 * time.Second // a region that says nothing for so long: nobody sleeps there
	nightsRest = 4 * time.Second // how long all must sleep, and until the next one is asked
	newsOfRest = 2 * time.Second // how often all are told who sleeps, in the long run,
	restBurst  = 5               // so many at once
)

// rest is how far those who are here have come with a night.
type rest struct {
	told  int          // how many all were told that sleep
	since machine.Time // that enough sleep; 0: they do not
	asked int          // how many were asked to sign
	until machine.Time // nobody sleeps: it has just become day
	news  rateLimit
}

// onSleeping notes who sleeps in a region. Only the home of a player says so.
func (h *Lobby) onSleeping(m *Sleeping) {
	now := h.env.Now()
	if now < h.rest.until {
		return // the region does not know yet that it is day
	}
	for _, p := range h.here {
		if p.region != m.Region {
			continue
		}
		if p.slept = 0; slices.Contains(m.Players, p.id) {
			p.slept = now
		}
	}
	h.countSleepers(now)
}

func (h *Lobby) countSleepers(now machine.Time) {
	var asleep []*player
	for _, p := range h.here {
		if p.slept != 0 && now.Sub(p.slept) < sleepsFor {
			asleep = append(asleep, p)
		}
	}
	n, all := len(asleep), len(h.here)
	need := (all*h.cfg.Decisions.Number(decision.SetSleep) + 99) / 100
	if n != h.rest.told && h.rest.news.allow(now, newsOfRest, restBurst) {
		h.rest.told = n
		h.tellSleepers(n, all, need)
	}
	switch r := &h.rest; {
	case n == 0 || need == 0 || n < need:
		r.since, r.asked = 0, 0
	case r.since == 0:
		r.since = now
	case now.Sub(r.since) >= nightsRest:
		r.since = now
		r.asked++
		h.askForDawn(asleep[r.asked%n])
	}
}

func (h *Lobby) tellSleepers(n, all, need int) {
	text := ""
	switch {
	case n == 0:
		return // they got up, or it is day
	case need == 0:
		text = " In this world nights are not slept through."
	case need < all && n < need:
		text = " It takes " + plural(need, "sleeper") + "."
	}
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	h.toPlayers(&Chat{Kind: wire.ChatSystem, Text: fmt.Sprintf("%d of %s %s sleeping.%s", n, plural(all, "player"), verb, text)})
}

// askForDawn asks a player to sign that the night is over.
func (h *Lobby) askForDawn(p *player) {
	log := h.cfg.Decisions
	want := decision.Statement{Topic: decision.Time, On: true, Text: decision.Dawn, World: log.World(), Seq: log.Next(p.id, h.time())}
	h.ask(p, want.Append(nil), func(signed []byte) {
		s, err := decision.Decode(signed)
		if err != nil || s.By() != p.id || p.slept == 0 || h.cfg.Decide(s) != nil {
			return // the next one is asked
		}
		for _, q := range h.here {
			q.slept = 0
		}
		h.rest.told, h.rest.since, h.rest.until = 0, 0, h.env.Now().Add(sleepsFor)
		h.keepDecisions(nil)
		h.toPlayers(&Chat{Kind: wire.ChatSystem, Text: "The night is over. Good morning."})
	})
}
