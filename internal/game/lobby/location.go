package lobby

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Where players are at home. A region may be led by a node that lies, so none is
// believed that it has a player: the lobby follows the player from the home that it
// knows. Each home says itself whom it has given the player to, and what a home
// says of its own players must be believed anyway. So a liar can send astray only
// players who are at home with it.

const (
	// maxHops is how many homes a request may pass: a player who runs is ahead of it
	// by one or two.
	maxHops = 8
	// maxRequests bounds what is on its way to players.
	maxRequests = 4096
	// maxClaimed bounds the regions that wait for word of one player.
	maxClaimed = 8
	// doubtFor is how long the lobby asks nobody about a player that it was told a lie
	// about.
	doubtFor = 3 * time.Second
	// lostAfter is how long a home must have been silent, while another region says
	// that it has the player, until that one is believed: all its hosts may be gone.
	lostAfter = 30 * time.Second
	// epochAhead is by how many ticks the clock of a region may be ahead.
	epochAhead = uint64(time.Hour / tickLength)
)

// playerRequest is something that the lobby wants of a player, wherever that is.
type playerRequest struct {
	player *player
	at     world.RegionPos // the region that was asked last: only that one may answer
	hops   int
	ask    func(at world.RegionPos, tag uint64) machine.Message
	then   func(*Located)     // nil: there is no answer; with nil if none has come
	took   func([]world.Owed) // of an order that takes something; nil: it is none
}

// whereabouts finds out where players are at home, and brings there what is wanted of them.
type whereabouts struct {
	env      machine.Env
	cfg      *Config
	hall     lister
	players  map[id.ID]*player
	requests map[uint64]*playerRequest // on their way to players, by tag
}

// lister is what keeps the list of players (Lobby).
type lister interface {
	tag() uint64
	tick() int64
	toRegion(machine.Message)
	writePlayer(p *player, then func(error))
	queueNews(*player)
}

// locate asks a region where a player is.
func (p *player) locate(at world.RegionPos, tag uint64) machine.Message {
	return &Locate{Region: at, Player: p.id, Tag: tag}
}

// send begins a request.
func (w *whereabouts) send(e *playerRequest) {
	tag := w.hall.tag()
	if len(w.requests) < maxRequests {
		w.requests[tag] = e
		w.env.SetTimer(w.env.Now().Add(locateTimeout), machine.Timer{Kind: timerLocate, Arg: tag})
	}
	w.hall.toRegion(e.ask(e.at, tag))
}

// onNotHere goes on where a region says that it has given the player to.
func (w *whereabouts) onNotHere(m *NotHere) {
	e := w.requests[m.Tag]
	if e == nil || e.at != m.Region || e.player.id != m.Player || m.To == e.at || e.hops >= maxHops {
		return
	}
	e.at = m.To
	e.hops++
	if e == e.player.search {
		w.onReached(e.player, m.To)
	}
	w.hall.toRegion(e.ask(e.at, m.Tag))
}

func (w *whereabouts) onLocated(m *Located) {
	e := w.requests[m.Tag]
	if e == nil || e.then == nil || e.at != m.Region || e.player.id != m.Player {
		return
	}
	delete(w.requests, m.Tag)
	e.then(m)
}

// took ends a request that takes something of a player, if this is its answer.
func (w *whereabouts) took(m *Undone) bool {
	e := w.requests[m.Tag]
	if e == nil || e.took == nil || e.at != m.Region {
		return false
	}
	delete(w.requests, m.Tag)
	e.took(m.Owed)
	return true
}

// expire ends a request that has had its time.
func (w *whereabouts) expire(tag uint64) {
	if e := w.requests[tag]; e != nil {
		delete(w.requests, tag)
		if e.then != nil {
			e.then(nil)
		}
		if e.took != nil {
			e.took(nil)
		}
	}
}

// location is what the lobby does to find out where a player is at home.
type location struct {
	search  *playerRequest // follows the player; nil: it is not doubted
	claims  []*Claim       // wait for what it finds
	doubted machine.Time
	silent  machine.Time // since when the home that is known does not answer; 0: it did
	heard   []*Arrived   // what made the lobby follow
}

// plausible reports whether a player can have an epoch by now.
func (w *whereabouts) plausible(epoch uint32) bool {
	return uint64(epoch) <= uint64(max(w.hall.tick(), 0))+epochAhead+1
}

// onArrived notes a player's home, or finds out from the home before whether it is true.
func (w *whereabouts) onArrived(m *Arrived) {
	p := w.players[m.Player]
	if p == nil || !w.plausible(m.Epoch) {
		return
	}
	switch home := p.home(*w.cfg); {
	case m.Region == home:
		if m.Epoch >= p.rec.Epoch {
			p.silent = 0
			w.setHome(p, home, m.Epoch)
		}
	case m.Epoch <= p.rec.Epoch:
	case len(p.heard) < maxClaimed && w.follow(p):
		p.heard = append(p.heard, m)
	}
}

// setHome notes where a player is at home now.
func (w *whereabouts) setHome(p *player, home world.RegionPos, epoch uint32) {
	if p.rec.Home != home || p.rec.Epoch != epoch {
		p.rec.Home, p.rec.Epoch = home, epoch
		w.hall.writePlayer(p, nil) // the region itself knows too: nobody waits for this
	}
	if p.here && p.region != home {
		p.region = home
		w.hall.queueNews(p)
	}
}

// onClaim answers whether a player is at home where somebody hands it over from. That
// is no sign that it does: who asks may never have been offered the player. So the answer
// changes nothing here.
func (w *whereabouts) onClaim(m *Claim) {
	p := w.players[m.Player]
	if p == nil || !w.plausible(m.Epoch) {
		w.answerClaim(m, false)
		return
	}
	switch home := p.home(*w.cfg); {
	case home == m.From:
		w.answerClaim(m, m.Epoch > p.rec.Epoch)
		return
	case p.search != nil && p.search.at == m.From:
		w.answerClaim(m, true)
		return
	}
	if len(p.claims) < maxClaimed && w.follow(p) {
		p.claims = append(p.claims, m)
	}
}

func (w *whereabouts) answerClaim(m *Claim, ok bool) {
	p := w.players[m.Player]
	w.hall.toRegion(&Claimed{Region: m.Region, Player: m.Player, From: m.From, Epoch: m.Epoch, OK: ok, Visitor: p != nil && p.invited})
}

// follow asks the home that is known where the player is; it reports whether it
// does.
func (w *whereabouts) follow(p *player) bool {
	if p.search != nil {
		return true
	}
	if w.env.Now() < p.doubted || len(w.requests) >= maxRequests {
		return false
	}
	p.search = &playerRequest{
		player: p, at: p.home(*w.cfg), ask: p.locate,
		then: func(m *Located) { w.onEnded(p, m) },
	}
	w.send(p.search)
	return true
}

// onReached is when the trail of a player leads to a region.
func (w *whereabouts) onReached(p *player, at world.RegionPos) {
	kept := p.claims[:0]
	for _, m := range p.claims {
		if m.From == at {
			w.answerClaim(m, true)
		} else {
			kept = append(kept, m)
		}
	}
	p.claims = kept
}

// onEnded is the end of a trail: the home, or nil if somebody on the way did not
// answer.
func (w *whereabouts) onEnded(p *player, m *Located) {
	claims, heard, at := p.claims, p.heard, p.search.at
	p.search, p.claims, p.heard = nil, nil, nil
	if m == nil {
		w.onSilent(p, heard, at)
		return // regions that have claimed decide by themselves
	}
	p.silent = 0
	before := p.home(*w.cfg)
	switch {
	case m.Found || m.Stored:
		if w.plausible(m.Epoch) && m.Epoch >= p.rec.Epoch {
			w.setHome(p, at, m.Epoch)
		}
	default: // nobody has the player: it begins anew where all begin
		for _, a := range heard {
			if a.Region == w.cfg.spawn().Region() {
				w.setHome(p, a.Region, a.Epoch)
			}
		}
	}
	home := p.home(*w.cfg)
	if home == before {
		p.doubted = w.env.Now().Add(doubtFor)
	}
	for _, c := range claims {
		w.answerClaim(c, c.From == home)
	}
}

// onSilent is when a home does not answer. If that lasts who says that it has the
// player is believed.
func (w *whereabouts) onSilent(p *player, heard []*Arrived, at world.RegionPos) {
	now := w.env.Now()
	switch {
	case p.silent == 0:
		p.silent = now
	case now.Sub(p.silent) >= lostAfter && at == p.home(*w.cfg) && len(heard) > 0:
		p.silent = 0
		w.setHome(p, heard[0].Region, heard[0].Epoch)
	}
}
