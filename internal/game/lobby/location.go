package lobby

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Where players are at home. A region may be led by a node that lies, so none is
// believed that it has a player: the lobby follows the player from the home that it
// knows. Each home says itself whom it has given the player to, and what a home
// says of its own players must be believed anyway. So a liar can send astray only
// players who are at home with it.

const (
	// maxHops is how many homes an request may pass: a player who runs is ahead of it
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

// locate asks a region where a player is.
func (p *player) locate(at world.RegionPos, tag uint64) machine.Message {
	return &Locate{Region: at, Player: p.id, Tag: tag}
}

// sendRequest begins an request.
func (h *Lobby) sendRequest(e *playerRequest) {
	tag := h.tag()
	if len(h.requests) < maxRequests {
		h.requests[tag] = e
		h.env.SetTimer(h.env.Now().Add(locateTimeout), machine.Timer{Kind: timerLocate, Arg: tag})
	}
	h.toRegion(e.ask(e.at, tag))
}

// onNotHere goes on where a region says that it has given the player to.
func (h *Lobby) onNotHere(m *NotHere) {
	e := h.requests[m.Tag]
	if e == nil || e.at != m.Region || e.player.id != m.Player || m.To == e.at || e.hops >= maxHops {
		return
	}
	e.at = m.To
	e.hops++
	if e == e.player.search {
		h.onSearchReached(e.player, m.To)
	}
	h.toRegion(e.ask(e.at, m.Tag))
}

func (h *Lobby) onLocated(m *Located) {
	e := h.requests[m.Tag]
	if e == nil || e.then == nil || e.at != m.Region || e.player.id != m.Player {
		return
	}
	delete(h.requests, m.Tag)
	e.then(m)
}

// expireRequest ends an request that has had its time.
func (h *Lobby) expireRequest(tag uint64) {
	if e := h.requests[tag]; e != nil {
		delete(h.requests, tag)
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
func (h *Lobby) plausible(epoch uint32) bool {
	return uint64(epoch) <= uint64(max(h.tick(), 0))+epochAhead+1
}

// onArrived notes a player's home, or finds out from the home before whether it is true.
func (h *Lobby) onArrived(m *Arrived) {
	p := h.players[m.Player]
	if p == nil || !h.plausible(m.Epoch) {
		return
	}
	switch home := p.home(h.cfg); {
	case m.Region == home:
		if m.Epoch >= p.rec.Epoch {
			p.silent = 0
			h.setHome(p, home, m.Epoch)
		}
	case m.Epoch <= p.rec.Epoch:
	case len(p.heard) < maxClaimed && h.searchPlayer(p):
		p.heard = append(p.heard, m)
	}
}

// setHome notes where a player is at home now.
func (h *Lobby) setHome(p *player, home world.RegionPos, epoch uint32) {
	if p.rec.Home != home || p.rec.Epoch != epoch {
		p.rec.Home, p.rec.Epoch = home, epoch
		h.writePlayer(p, nil) // the region itself knows too: nobody waits for this
	}
	if p.here && p.region != home {
		p.region = home
		h.queueNews(p)
	}
}

// onClaim answers whether a player is at home where somebody hands it over from. That
// is no sign that it does: who asks may never have been offered the player. So the answer
// changes nothing here.
func (h *Lobby) onClaim(m *Claim) {
	p := h.players[m.Player]
	if p == nil || !h.plausible(m.Epoch) {
		h.answerClaim(m, false)
		return
	}
	switch home := p.home(h.cfg); {
	case home == m.From:
		h.answerClaim(m, m.Epoch > p.rec.Epoch)
		return
	case p.search != nil && p.search.at == m.From:
		h.answerClaim(m, true)
		return
	}
	if len(p.claims) < maxClaimed && h.searchPlayer(p) {
		p.claims = append(p.claims, m)
	}
}

func (h *Lobby) answerClaim(m *Claim, ok bool) {
	p := h.players[m.Player]
	h.toRegion(&Claimed{Region: m.Region, Player: m.Player, From: m.From, Epoch: m.Epoch, OK: ok, Visitor: p != nil && p.invited})
}

// searchPlayer asks the home that is known where the player is; it reports whether it
// does.
func (h *Lobby) searchPlayer(p *player) bool {
	if p.search != nil {
		return true
	}
	if h.env.Now() < p.doubted || len(h.requests) >= maxRequests {
		return false
	}
	p.search = &playerRequest{
		player: p, at: p.home(h.cfg), ask: p.locate,
		then: func(m *Located) { h.onSearchEnded(p, m) },
	}
	h.sendRequest(p.search)
	return true
}

// onSearchReached is when the trail of a player leads to a region.
func (h *Lobby) onSearchReached(p *player, at world.RegionPos) {
	kept := p.claims[:0]
	for _, m := range p.claims {
		if m.From == at {
			h.answerClaim(m, true)
		} else {
			kept = append(kept, m)
		}
	}
	p.claims = kept
}

// onSearchEnded is the end of a trail: the home, or nil if somebody on the way did not
// answer.
func (h *Lobby) onSearchEnded(p *player, m *Located) {
	claims, heard, at := p.claims, p.heard, p.search.at
	p.search, p.claims, p.heard = nil, nil, nil
	if m == nil {
		h.onHomeSilent(p, heard, at)
		return // regions that have claimed decide by themselves
	}
	p.silent = 0
	before := p.home(h.cfg)
	switch {
	case m.Found || m.Stored:
		if h.plausible(m.Epoch) && m.Epoch >= p.rec.Epoch {
			h.setHome(p, at, m.Epoch)
		}
	default: // nobody has the player: it begins anew where all begin
		for _, a := range heard {
			if a.Region == h.cfg.spawn().Region() {
				h.setHome(p, a.Region, a.Epoch)
			}
		}
	}
	home := p.home(h.cfg)
	if home == before {
		p.doubted = h.env.Now().Add(doubtFor)
	}
	for _, c := range claims {
		h.answerClaim(c, c.From == home)
	}
}

// onHomeSilent is when a home does not answer. If that lasts who says that it has the
// player is believed.
func (h *Lobby) onHomeSilent(p *player, heard []*Arrived, at world.RegionPos) {
	now := h.env.Now()
	switch {
	case p.silent == 0:
		p.silent = now
	case now.Sub(p.silent) >= lostAfter && at == p.home(h.cfg) && len(heard) > 0:
		p.silent = 0
		h.setHome(p, heard[0].Region, heard[0].Epoch)
	}
}
