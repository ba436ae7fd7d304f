package region

import (
	"errors"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Handing a player over (docs/protocols/region.md, "Handover"). The old home
// writes down the intent before it sends anything, so that after a crash it
// asks the other region before it lets the player in again.

const (
	askAgain    = 5 * time.Second // when a Handover is not answered
	afterRefuse = time.Second     // until a player whose handover was refused is handed over again
	forgetMoved = 10 * time.Second
	slack       = 2 * fixed.One // a player may be so far outside of the region that takes it over
	deepInside  = 8 * fixed.One // from the border: an intent is dropped
)

// outgoing is a handover that waits for its answer.
type outgoing struct {
	player   id.ID
	home     *home // nil: the player is not in the world (askWhether)
	to       world.RegionPos
	m        *Handover // nil: waits for the disk
	kept     []machine.Message
	entering *letter // an Enter to be answered afterwards
	leaving  bool
}

// gone is where a player went, while messages for it may still come here.
type gone struct {
	pointer
	session machine.Peer
	at      machine.Time
	came    arrival // how it had come here before
}

// outside returns how far a place is outside of the region; negative: inside.
func (r *Region) outside(p world.Vec) fixed.Num {
	x, z := p.X-r.entities.x0, p.Z-r.entities.z0
	size := fixed.Int(world.RegionSize)
	return max(-x, x-size, -z, z-size)
}

// noteIntent writes down that a player who has crossed the border may soon be
// handed over, so that this need not wait for the disk then.
func (r *Region) noteIntent(h *home) {
	far := r.outside(h.p.Body.Pos)
	switch to := h.p.Home(); {
	case far >= 0 && to != r.cfg.Pos && !r.store.readOnly:
		r.intend(h, pointer{to, h.p.Epoch + 1})
	case far < -deepInside && h.intent.epoch != 0:
		h.intent, h.sure = pointer{}, false
		r.store.del(playerKey(keyIntent, h.p.ID))
	}
}

func (r *Region) intend(h *home, p pointer) {
	if h.intent == p {
		return
	}
	h.intent, h.sure = p, false
	r.store.put(playerKey(keyIntent, h.p.ID), p.encode())
	r.store.then(func(ok bool) {
		if h.intent == p {
			h.sure = ok
			if !ok {
				h.intent = pointer{}
			}
		}
	})
}

// handOver begins to give a player to another region, once the intent is
// durable.
func (r *Region) handOver(h *home, to world.RegionPos) {
	switch {
	case h.out != nil || r.env.Now() < h.staysUntil:
		return
	case !inWorld(to) || to == r.cfg.Pos || r.store.readOnly:
		r.pushBack(h)
		return
	}
	r.intend(h, pointer{to, h.p.Epoch + 1})
	if h.leaves = r.asks.ofPlayer(h.p.ID); h.leaves || !h.sure {
		return // its edits at neighbours end here: tried again with the next tick
	}
	r.area.Freeze(h.p.ID, true)
	o := &outgoing{player: h.p.ID, home: h, to: to}
	h.out, r.outs[h.p.ID] = o, o
	r.store.then(func(ok bool) { // what the player did last is on the disk first
		if !ok {
			r.refused(o)
			return
		}
		p := *h.p
		p.Epoch++
		l := r.ledgerOf(p.ID)
		r.offer(o, &Handover{
			Player: p.ID, Epoch: uint32(p.Epoch), State: p.AppendBinary(nil),
			Acts: l.encode(h.inbox.nextAct(l.next)), Session: h.peer,
		})
	})
}

// nextAct is the act that is begun next, for who takes what waits.
func (q *inbox) nextAct(next uint32) uint32 {
	for i := range q.list {
		if t := &q.list[i]; t.isAct {
			next = min(next, t.seq)
		}
	}
	return next
}

// askWhether offers a stored player, for whom there is an intent, to the other
// region: that one has taken it over already, or refuses.
func (r *Region) askWhether(p *world.Player, ptr pointer, entering *letter) {
	o := &outgoing{player: p.ID, to: ptr.to, entering: entering}
	r.outs[p.ID] = o
	p.Epoch = ptr.epoch
	r.offer(o, &Handover{Player: p.ID, Epoch: uint32(p.Epoch), State: p.AppendBinary(nil), Asks: true})
}

func (r *Region) offer(o *outgoing, m *Handover) {
	o.m = m
	r.env.Send(PeerOf(o.to), m)
	r.lastOffer++
	r.offers[r.lastOffer] = o
	r.env.SetTimer(r.env.Now().Add(askAgain), machine.Timer{Kind: timerHandover, Arg: r.lastOffer})
}

// onHandoverTimer offers again what was not answered.
func (r *Region) onHandoverTimer(t machine.Timer) {
	o := r.offers[t.Arg]
	delete(r.offers, t.Arg)
	if o != nil && r.outs[o.player] == o {
		r.offer(o, o.m)
	}
}

// answered returns the handover that an answer is about.
func (r *Region) answered(from machine.Peer, player id.ID, epoch uint32) *outgoing {
	o := r.outs[player]
	if o == nil || o.m == nil || o.m.Epoch != epoch || from != PeerOf(o.to) {
		r.stats.Refused++
		return nil
	}
	return o
}

// onHandoverOK lets a player go that its new home has made durable.
func (r *Region) onHandoverOK(from machine.Peer, m *HandoverOK) {
	o := r.answered(from, m.Player, m.Epoch)
	if o == nil {
		return
	}
	delete(r.outs, o.player)
	r.stats.Handovers++
	ptr := pointer{o.to, uint64(m.Epoch)}
	r.store.del(playerKey(keyPlayer, o.player))
	r.store.del(playerKey(keyIntent, o.player))
	r.store.put(playerKey(keyPointer, o.player), ptr.encode())
	r.dropLedger(o.player)
	if h := o.home; h != nil {
		r.letGo(h, o, ptr)
	}
	if o.entering != nil {
		r.env.Send(o.entering.from, &Moved{r.cfg.Pos, o.player, o.to, m.Epoch, MovedElsewhere})
	}
	r.flush()
	r.rest()
}

// letGo takes a player that has a new home out of the area, and sends there
// what has come for it meanwhile.
func (r *Region) letGo(h *home, o *outgoing, ptr pointer) {
	session := o.m.Session
	r.area.RemovePlayer(o.player)
	r.entities.gone(h.p.Handle, h.p.Entity, frame.WentElsewhere)
	delete(r.homes, o.player)
	r.moved[o.player] = gone{ptr, session, r.env.Now(), h.came}
	kept := append(o.kept, h.inbox.messages(o.player)...)
	if o.leaving {
		kept = append(kept, &Leave{o.player})
	} else if o.entering == nil && h.peer != (machine.Peer{}) {
		r.env.Send(h.peer, &Moved{r.cfg.Pos, o.player, o.to, uint32(ptr.epoch), MovedHandover})
	}
	r.attach(h, machine.Peer{})
	for _, m := range kept {
		switch m := m.(type) {
		case *Order:
			r.notHere(o.player, m.Tag, o.to)
		case *Locate:
			r.notHere(o.player, m.Tag, o.to)
		default:
			r.env.Send(PeerOf(o.to), &Forward{o.player, session, m})
		}
	}
	r.touch()
}

func (r *Region) onHandoverRefused(from machine.Peer, m *HandoverRefused) {
	if o := r.answered(from, m.Player, m.Epoch); o != nil {
		r.refused(o)
	}
}

// refused keeps a player that was not taken over.
func (r *Region) refused(o *outgoing) {
	delete(r.outs, o.player)
	r.store.del(playerKey(keyIntent, o.player))
	h := o.home
	if h == nil {
		r.keepEpoch(o)
		r.OnMessage(o.entering.from, o.entering.m) // finds no intent now
		return
	}
	if o.m != nil {
		h.p.Epoch = uint64(o.m.Epoch)
		r.save(h)
	}
	h.out, h.intent, h.sure = nil, pointer{}, false
	h.staysUntil = r.env.Now().Add(afterRefuse)
	r.area.Freeze(o.player, false)
	r.pushBack(h)
	for _, m := range o.kept {
		r.keepOrDo(h, m)
	}
	if o.entering != nil {
		r.greet(h)
	} else if o.leaving {
		r.leave(h, LeftClosed)
	}
}

// keepEpoch raises a stored player's epoch to that of an offer that was refused.
func (r *Region) keepEpoch(o *outgoing) {
	key := playerKey(keyPlayer, o.player)
	if p, err := world.DecodePlayer(r.store.small[key]); err == nil {
		p.Epoch = uint64(o.m.Epoch)
		r.store.put(key, p.AppendBinary(nil))
	}
}

// pushBack puts a player who cannot leave half a metre inside of the border.
func (r *Region) pushBack(h *home) {
	at := h.p.Body.Pos
	const in = fixed.One / 2
	far := fixed.Int(world.RegionSize) - in
	at.X = at.X.Clamp(r.entities.x0+in, r.entities.x0+far)
	at.Z = at.Z.Clamp(r.entities.z0+in, r.entities.z0+far)
	r.order(h.p.ID, &world.Order{Kind: world.OrderTeleport, At: at})
	h.staysUntil = r.env.Now().Add(afterRefuse)
}

// onHandover takes a player over, if the sender's region is the player's home: it
// is durable here before the old home hears of it, and does nothing here before
// that.
func (r *Region) onHandover(from machine.Peer, m *Handover) {
	if _, ok := RegionOf(from); !ok {
		r.stats.Refused++
		return
	}
	h := r.homes[m.Player]
	p, acts, err := decodeHandover(m)
	offer := &claim{from: from, m: m, p: p, acts: acts}
	switch {
	case err != nil || !r.plausible(m.Epoch):
		r.stats.Refused++
		r.env.Send(from, &HandoverRefused{m.Player, m.Epoch, "malformed"})
	case r.disowned(from, m):
		r.env.Send(from, &HandoverRefused{m.Player, m.Epoch, "elsewhere"})
	case r.knowsEpoch(m.Player) >= uint64(m.Epoch):
		if r.arriving[m.Player] == 0 {
			r.env.Send(from, &HandoverOK{m.Player, m.Epoch})
		}
	case h != nil && h.out == nil: // it is here
		r.refuseClaim(offer)
	case r.claimed(offer):
		r.believe(offer)
	}
}

// decodeHandover returns the player and its ledger; nil if the sender only asks.
func decodeHandover(m *Handover) (p *world.Player, acts *ledger, err error) {
	if p, err = world.DecodePlayer(m.State); err == nil && !m.Asks {
		acts, err = decodeLedger(m.Acts)
	}
	if err == nil && (p.ID != m.Player || p.Epoch != uint64(m.Epoch)) {
		err = errOtherPlayer
	}
	return p, acts, err
}

var errOtherPlayer = errors.New("a handover with another player's state")

// believe answers a handover by the player's home.
func (r *Region) believe(c *claim) {
	from, m := c.from, c.m
	switch {
	case r.knowsEpoch(m.Player) >= uint64(m.Epoch): // it has come another way meanwhile
	case r.store.readOnly && m.Asks: // it asks again
	case r.store.readOnly:
		r.never[m.Player] = uint64(m.Epoch)
		r.env.Send(from, &HandoverRefused{m.Player, m.Epoch, "storage"})
	case m.Asks || r.outside(c.p.Body.Pos) > slack:
		r.disown(from, m)
	default:
		r.takeOver(from, m, c.p, c.acts)
	}
}

// A Handover may be on its way for long, and in several copies: over links that
// fail, from a machine that led the old home before. Whoever refuses one must
// refuse all its copies, or the player were in two places. So a refusal is
// written down, as a pointer back to the old home with the refused epoch, and
// the old home goes on with that epoch: its next offer has a higher one.

// disown refuses a player, once it is durable that it will never be taken with
// this epoch.
func (r *Region) disown(from machine.Peer, m *Handover) {
	pos, _ := RegionOf(from)
	ptr := pointer{pos, uint64(m.Epoch)}
	r.store.put(playerKey(keyPointer, m.Player), ptr.encode())
	r.store.then(func(ok bool) {
		if ok {
			r.env.Send(from, &HandoverRefused{m.Player, m.Epoch, "elsewhere"})
		}
	})
	r.flush()
}

// disowned reports whether a player was refused with this epoch before.
func (r *Region) disowned(from machine.Peer, m *Handover) bool {
	if r.never[m.Player] >= uint64(m.Epoch) || r.refusals[refusal{m.Player, from}] >= m.Epoch {
		return true
	}
	pos, _ := RegionOf(from)
	if r.homes[m.Player] != nil || r.arriving[m.Player] != 0 {
		return false
	}
	b, ok := r.store.small[playerKey(keyPointer, m.Player)]
	if !ok {
		return false
	}
	ptr, err := decodePointer(b)
	return err == nil && ptr == pointer{pos, uint64(m.Epoch)}
}

// knowsEpoch returns the highest epoch with which a player is or was here.
func (r *Region) knowsEpoch(player id.ID) uint64 {
	epoch := r.arriving[player]
	if h := r.homes[player]; h != nil {
		epoch = max(epoch, h.p.Epoch)
	}
	if b, ok := r.store.small[playerKey(keyPlayer, player)]; ok {
		if p, err := world.DecodePlayer(b); err == nil {
			epoch = max(epoch, p.Epoch)
		}
	}
	if b, ok := r.store.small[playerKey(keyPointer, player)]; ok {
		if ptr, err := decodePointer(b); err == nil {
			epoch = max(epoch, ptr.epoch)
		}
	}
	return epoch
}

func (r *Region) takeOver(from machine.Peer, m *Handover, p *world.Player, acts *ledger) {
	if h := r.homes[m.Player]; h != nil { // an older life of the player
		r.area.RemovePlayer(m.Player)
		delete(r.homes, m.Player)
		r.attach(h, machine.Peer{})
	}
	r.arriving[m.Player] = uint64(m.Epoch)
	key := playerKey(keyPlayer, m.Player)
	before, had := r.store.small[playerKey(keyPointer, m.Player)]
	r.store.put(key, m.State)
	r.store.put(playerKey(keyActs, m.Player), m.Acts)
	r.ledgers[m.Player] = acts
	r.store.del(playerKey(keyPointer, m.Player))
	r.store.del(playerKey(keyIntent, m.Player))
	r.store.then(func(ok bool) {
		delete(r.arriving, m.Player)
		if !ok {
			r.store.del(key)
			r.dropLedger(m.Player)
			if had {
				r.store.put(playerKey(keyPointer, m.Player), before)
			}
			r.env.Send(from, &HandoverRefused{m.Player, m.Epoch, "storage"})
			return
		}
		r.stats.Arrivals++
		pos, _ := RegionOf(from)
		r.settleIn(p, m.Session).came = arrival{true, pos, r.env.Now()}
		r.env.Send(from, &HandoverOK{m.Player, m.Epoch})
	})
	r.flush()
}

// messages returns what waits in an inbox as the messages it came in.
func (q *inbox) messages(player id.ID) (out []machine.Message) {
	for i := range q.list {
		t := &q.list[i]
		if t.isAct {
			out = append(out, &Act{Player: player, Seq: t.seq, Kind: uint8(t.act.Kind), Pos: t.act.At,
				Face: uint8(t.act.Face), A: uint64(t.act.A), B: uint32(t.act.B)})
			continue
		}
		in := &Inputs{Player: player, First: t.seq, Steps: []Step{t.step}, Pos: t.expect, NoPos: !t.check}
		out = append(out, in)
	}
	return out
}
