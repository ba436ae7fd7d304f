package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// The retrieval of what the players of the update area have done (thesis 5.5.2), from
// t^a until t^s: who is asked, what answers count, and when enough have come. How
// batches are counted stands in storers.go.

// actionQuery is a running retrieval of a player's actions (thesis 5.5.2).
type actionQuery struct {
	player *Player
	at     geom.Point // of its character
	began  machine.Time
	got    []*Batch // by zone and home
	signed []bool   // the same, with a receipt at least; nil: none
	count  int      // of these
	heard  int      // answers
	result *Batch
	votes  int
	done   bool
	ask    *RetrieveActions // of further storers; nil: all have been asked
	wave   int              // that is asked next (see waveOf)
	sent   int              // questions
}

// askActions retrieves the actions of all players in the update area, from where
// each player's are stored.
func (n *Node) askActions(of int64) {
	c := &n.cycle
	if c.query != nil {
		n.conclude(c.query)
	}
	if c.from == nil || c.to != of {
		n.failed(of)
		return
	}
	players := c.from.withTentative().players(&c.from.Cover, &n.world, nil)
	n.keepStorers(players)
	c.asked = n.actionQueries(players)
	c.open, c.asking, c.missing = len(players), true, false
	for i := range c.asked {
		n.askForActions(i)
	}
	if n.cfg.Protocol.Receipts {
		n.exchange(of)
		n.env.SetTimer(n.env.Now().Add(n.firstStorerWait()), machine.Timer{Kind: timerHurry, Arg: uint64(of)})
	}
	if c.open == 0 {
		n.update()
	}
}

// keepStorers forgets who stores the actions of those who are gone.
func (n *Node) keepStorers(players []*Object) {
	before := n.storing
	n.storing = make(map[id.ID]storers, len(players))
	for _, o := range players {
		if known := before[o.Player.ID]; len(known) > 0 && len(known) <= n.space.Zones()*n.homesOf() {
			n.storing[o.Player.ID] = known
		}
	}
}

// actionQueries are the retrievals of what these players have done.
func (n *Node) actionQueries(players []*Object) []actionQuery {
	slots := n.space.Zones() * n.homesOf()
	out, got := make([]actionQuery, len(players)), make([]*Batch, slots*len(players))
	for i, o := range players {
		out[i] = actionQuery{player: o.Player, at: o.Pos, began: n.env.Now(), got: got[i*slots : (i+1)*slots : (i+1)*slots]}
	}
	return out
}

// askForActions asks for one player's actions: some of the storers first (askWave), or, in
// the thesis, one in each zone.
func (n *Node) askForActions(i int) {
	c := &n.cycle
	p := &c.asked[i]
	q := &RetrieveActions{Query: uint64(c.to)<<20 | uint64(i*n.homesOf()), Player: p.player, Of: c.to, Known: n.storing[p.player.ID].shortNames()}
	if n.cfg.Protocol.Receipts {
		p.ask = q
		n.askWave(p)
		return
	}
	for z := range n.space.Zones() {
		n.overlay.Unicast(n.places.key(p.player.Home, z), q)
	}
}

// onActionsResult takes the answer of one zone.
func (n *Node) onActionsResult(from *overlay.Contact, m *ActionsResult) {
	c := &n.cycle
	homes := n.homesOf()
	i, home := int(m.Query&(1<<20-1))/homes, int(m.Query&(1<<20-1))%homes
	if !c.asking || int64(m.Query>>20) != c.to || i >= len(c.asked) {
		return
	}
	q := &c.asked[i]
	slot := n.space.Zone(from.Pos)*homes + home
	if q.done || m.Batch == nil || m.Batch.Player.ID != q.player.ID || m.Batch.Of != c.to {
		return
	}
	known := n.storing[q.player.ID]
	good := n.goodOf(known.expandCertificate(m.Certificate), m.Batch)
	if n.cfg.Protocol.Receipts && len(good) >= n.quorum() {
		q.heard++
		q.result, q.votes = m.Batch, len(good)
		if n.cfg.Protocol.Terse {
			n.storing[q.player.ID] = known.withAll(good)
		}
		n.endActionQueryOnce(q)
		return
	}
	defer n.askIfIdle(q)
	switch {
	case q.got[slot] == nil:
		q.count++
	case !n.storers() || len(q.got[slot].Actions) > 0:
		return // somebody has answered already
	}
	q.heard++
	q.got[slot] = m.Batch
	if len(good) > 0 {
		if q.signed == nil {
			q.signed = make([]bool, len(q.got))
		}
		q.signed[slot] = true
	}
	if b, votes := n.countBatches(q); votes > q.votes || n.storers() {
		q.result, q.votes = b, votes
	}
	if q.votes >= n.votesNeeded() && !n.waitsForAll(q.result) || q.count == len(q.got) {
		n.endActionQueryOnce(q)
	}
}

// askIfIdle asks more storers once all who were asked have answered.
func (n *Node) askIfIdle(q *actionQuery) {
	if q.count >= q.sent || !n.cfg.Protocol.Quorum {
		n.askWave(q)
	}
}

// endActionQueryOnce ends one retrieval; the update follows the last one.
func (n *Node) endActionQueryOnce(q *actionQuery) {
	n.endActionQuery(q)
	if n.cycle.open == 0 {
		n.update()
	}
}

// endActionQuery takes what a retrieval has brought.
func (n *Node) endActionQuery(q *actionQuery) {
	q.done = true
	n.cycle.open--
	if n.cfg.Protocol.Majority && q.votes < n.votesNeeded() {
		q.result = nil
		if q.count >= n.votesNeeded()*n.homesOf() && !n.mayCount(q) {
			// Enough zones have answered, and no batch has a majority: only what has
			// one is included. All who ask see it alike.
			q.result = n.cache.batch(&Batch{Player: q.player, Of: n.cycle.to})
		}
	}
	if q.result == nil {
		n.cycle.missing = true
	}
	if p := n.cfg.Probe; p != nil {
		r := Report{
			Kind: ForActions, By: n, Of: n.cycle.to, Player: q.player, Took: n.env.Now().Sub(q.began),
			Answers: q.heard, Votes: q.votes, Zones: n.space.Zones(),
		}
		if q.result != nil {
			r.Batches = []*Batch{q.result}
		}
		p.Retrieved(r)
	}
}

// finishActions is the timeout of the retrievals of actions: what has most votes
// counts (thesis 5.2.2).
func (n *Node) finishActions() {
	c := &n.cycle
	if !c.asking {
		return
	}
	for i := range c.asked {
		if q := &c.asked[i]; !q.done {
			n.endActionQuery(q)
		}
	}
	n.update()
}
