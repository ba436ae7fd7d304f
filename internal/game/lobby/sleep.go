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

// nights is how far those who are here have come with a night.
type nights struct {
	env   machine.Env
	cfg   *Config
	hall  sleepers
	told  int          // how many all were told that sleep
	since machine.Time // that enough sleep; 0: they do not
	asked int          // how many were asked to sign
	until machine.Time // nobody sleeps: it has just become day
	news  rateLimit
}

// sleepers are those who can sleep (Lobby).
type sleepers interface {
	present() []*player
	toPlayers(machine.Message)
	// ask asks a player to sign something.
	ask(p *player, want []byte, take func(signed []byte))
	keepDecisions(then func(error))
}

// sleep notes who sleeps in a region. Only the home of a player says so.
func (r *nights) sleep(m *Sleeping) {
	now := r.env.Now()
	if now < r.until {
		return // the region does not know yet that it is day
	}
	for _, p := range r.hall.present() {
		if p.region != m.Region {
			continue
		}
		if p.slept = 0; slices.Contains(m.Players, p.id) {
			p.slept = now
		}
	}
	r.count(now)
}

func (r *nights) count(now machine.Time) {
	var asleep []*player
	for _, p := range r.hall.present() {
		if p.slept != 0 && now.Sub(p.slept) < sleepsFor {
			asleep = append(asleep, p)
		}
	}
	n, all := len(asleep), len(r.hall.present())
	need := (all*r.cfg.Decisions.Number(decision.SetSleep) + 99) / 100
	if n != r.told && r.news.allow(now, newsOfRest, restBurst) {
		r.told = n
		r.tell(n, all, need)
	}
	switch {
	case n == 0 || need == 0 || n < need:
		r.since, r.asked = 0, 0
	case r.since == 0:
		r.since = now
	case now.Sub(r.since) >= nightsRest:
		r.since = now
		r.asked++
		r.askForDawn(asleep[r.asked%n])
	}
}

func (r *nights) tell(n, all, need int) {
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
	r.hall.toPlayers(&Chat{Kind: wire.ChatSystem, Text: fmt.Sprintf("%d of %s %s sleeping.%s", n, plural(all, "player"), verb, text)})
}

// askForDawn asks a player to sign that the night is over.
func (r *nights) askForDawn(p *player) {
	log, now := r.cfg.Decisions, time.Unix(0, int64(r.env.Now()))
	want := decision.Statement{Topic: decision.Time, On: true, Text: decision.Dawn, World: log.World(), Seq: log.Next(p.id, now)}
	r.hall.ask(p, want.Append(nil), func(signed []byte) {
		s, err := decision.Decode(signed)
		if err != nil || s.By() != p.id || p.slept == 0 || r.cfg.Decide(s) != nil {
			return // the next one is asked
		}
		for _, q := range r.hall.present() {
			q.slept = 0
		}
		r.told, r.since, r.until = 0, 0, r.env.Now().Add(sleepsFor)
		r.hall.keepDecisions(nil)
		r.hall.toPlayers(&Chat{Kind: wire.ChatSystem, Text: "The night is over. Good morning."})
	})
}
