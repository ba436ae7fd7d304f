package storage

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

func (n *Node) storers() bool { return n.cfg.Protocol.Receipts && n.cfg.Protocol.Storers }

// homesOf is how many places a player's actions are stored at in each zone. With
// four zones, of which three have to agree, one more than with nine or sixteen.
func (n *Node) homesOf() int {
	switch {
	case !n.storers():
		return 1
	case n.space.Zones() < 9:
		return 3
	}
	return 2
}

// homes are these places in the world: the player's own, and others as far from
// each other as can be, so that neither storers nor paths are the same.
func (n *Node) homes(p *Player) []geom.Point {
	out := [3]geom.Point{p.Home}
	count := n.homesOf()
	for k := 1; k < count; k++ {
		far := int64(n.world.Side) * int64(k) / int64(count)
		out[k] = geom.Point{
			X: int32((int64(p.Home.X) + far) % int64(n.world.Side)),
			Y: int32((int64(p.Home.Y) + far) % int64(n.world.Side)),
		}
	}
	return out[:count]
}

// stores reports whether a player's actions are any business of the node.
func (n *Node) stores(p *Player) bool {
	for _, h := range n.homes(p) {
		if n.responsible(h) {
			return true
		}
	}
	return false
}

// firstStorerTimeout is how long the first storer that is asked for actions has to answer,
// and how long storers have to send their receipts.
const firstStorerTimeout = 500 * time.Millisecond

// resendDeposit sends the batch whole to the zones in which not all storers have given a
// receipt: actions may be missing there.
func (n *Node) resendDeposit(of int64) {
	p := &n.pending
	if p.batch == nil || p.batch.Of != of || !n.storers() {
		return
	}
	signature := n.signBatch(p.batch)
	for z := range n.space.Zones() {
		if n.storersWithReceipt(z) >= n.homesOf() {
			continue
		}
		m := &Deposit{Batch: p.batch, Whole: true, Knows: n.knownStorersIn(z), Signature: signature}
		for _, home := range n.homes(n.cfg.Player) {
			n.overlay.Unicast(n.places.key(home, z), m)
		}
	}
}

// storersWithReceipt is how many storers of a zone have given a receipt for the last batch.
func (n *Node) storersWithReceipt(zone int) (count int) {
	for _, by := range n.pending.holders {
		count += bit(n.space.Zone(by.Pos) == zone)
	}
	return count
}

// firstStorerPatience is how long the first storer has to answer where asking more than
// necessary is what costs (Protocol.Quorum): who has to open a link before it
// answers needs six latencies. The next ones have as long as otherwise.
const firstStorerPatience = time.Second

// firstStorerWait is how long the first storer that was asked for actions has to answer
// before more are asked.
func (n *Node) firstStorerWait() time.Duration {
	if n.cfg.Protocol.Quorum {
		return firstStorerPatience
	}
	return firstStorerTimeout
}

// waveOf is when a storer is asked for actions: the first one in the own zone at
// once, for a certified batch is enough; all others if that has none or is
// silent. With Protocol.Quorum that is done in two waves: first those who may
// know as much as a majority does, the others of the own zone and the first in as
// many zones as it takes.
func (n *Node) waveOf(home, zone int) int {
	zones := n.space.Zones()
	switch {
	case home == 0 && zone == n.zone:
		return 0
	case !n.cfg.Protocol.Quorum, zone == n.zone, home == 0 && (zone-n.zone+zones)%zones < n.majorityOfAll():
		return 1
	}
	return 2
}

// askWave asks the next storers for actions.
func (n *Node) askWave(q *actionQuery) {
	m := q.ask
	if m == nil || q.done {
		return
	}
	more := false
	for k, home := range n.homes(m.Player) {
		ask := *m
		ask.Query += uint64(k)
		for z := range n.space.Zones() {
			switch wave := n.waveOf(k, z); {
			case wave == q.wave:
				q.sent++
				n.overlay.Unicast(n.places.key(home, z), &ask)
			case wave > q.wave:
				more = true
			}
		}
	}
	q.wave++
	if !more {
		q.ask = nil
	}
}

// askMoreStorers asks more storers for what is not certified yet.
func (n *Node) askMoreStorers(of int64) {
	c := &n.cycle
	if !c.asking || c.to != of {
		return
	}
	more := false
	for i := range c.asked {
		q := &c.asked[i]
		n.askWave(q)
		more = more || !q.done && q.ask != nil
	}
	if more {
		n.env.SetTimer(n.env.Now().Add(firstStorerTimeout), machine.Timer{Kind: timerHurry, Arg: uint64(of)})
	}
}

// batchOf is a zone's vote for what a player has done, which is what any of its
// storers has: a batch is signed by its player, so that who has one knows more than who
// has none. Who has no receipt for it may miss some of it. Nil: nobody has answered.
func (n *Node) batchOf(q *actionQuery, zone int) (said *Batch) {
	signed := false
	for slot := zone * n.homesOf(); slot < (zone+1)*n.homesOf(); slot++ {
		b := q.got[slot]
		if b == nil {
			continue
		}
		with := q.signed != nil && q.signed[slot] && len(b.Actions) > 0
		if said == nil || len(said.Actions) == 0 || with && !signed {
			said, signed = b, with
		}
	}
	return said
}

// countBatches lets the zones vote for what a player has done.
func (n *Node) countBatches(q *actionQuery) (best *Batch, votes int) {
	zones := make([]*Batch, 0, 16)
	for zone := range n.space.Zones() {
		if b := n.batchOf(q, zone); b != nil {
			zones = append(zones, b)
		}
	}
	for _, b := range zones {
		if count := votesFor(zones, b); count > votes {
			best, votes = b, count
		}
	}
	return best, votes
}

func votesFor(zones []*Batch, b *Batch) (count int) {
	for _, c := range zones {
		count += bit(sameBatch(b, c))
	}
	return count
}

// mayCount reports whether some batch has a majority together with the zones of which
// nobody has answered: who has heard from them, or knows that they are deserted, takes
// it for what the player has done.
func (n *Node) mayCount(q *actionQuery) bool {
	zones, silent := make([]*Batch, 0, 16), 0
	for zone := range n.space.Zones() {
		switch b := n.batchOf(q, zone); {
		case b == nil:
			silent += bit(!n.deserted[zone])
		case len(b.Actions) > 0:
			zones = append(zones, b)
		}
	}
	return slices.ContainsFunc(zones, func(b *Batch) bool { return votesFor(zones, b)+silent >= n.votesNeeded() })
}

// waitsForAll reports whether a majority is no reason to stop asking: that nothing was
// done can be said by everybody, and with Protocol.Storers one certified batch
// says otherwise.
func (n *Node) waitsForAll(b *Batch) bool { return n.storers() && len(b.Actions) == 0 }

// StorePlaces are the keys in a zone at which a player's actions are stored.
func (n *Node) StorePlaces(p *Player, zone int) (keys []geom.Point) {
	for _, h := range n.homes(p) {
		keys = append(keys, n.places.key(h, zone))
	}
	return keys
}
