package region

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Handing a player over (docs/protocols/region.md, "Handover"). The old home
// writes down the intent before it sends anything, so that after a crash it
// asks the other region before it lets the player in again.

const (
	resendHandoverAfter = 5 * time.Second // when a Handover is not answered
	afterRefuse         = time.Second     // until a player whose handover was refused is handed over again
	departedLifetime    = 10 * time.Second
	slack               = 2 * fixed.One // a player may be so far outside of the region that takes it over
	deepInside          = 8 * fixed.One // from the border: an intent is dropped
)

// outgoingHandover is a handover that waits for its answer.
type outgoingHandover struct {
	player   id.ID
	session  *playerSession // nil: the player is not in the world (askNewHome)
	to       world.RegionPos
	m        *Handover // nil: waits for the disk
	queued   []machine.Message
	entering *queuedMessage // an Enter to be answered afterwards
	leaving  bool
}

// departedPlayer is where a player went, while messages for it may still come here.
type departedPlayer struct {
	pointer
	session machine.Peer
	at      machine.Time
	came    arrival // how it had come here before
	visitor bool    // changes nothing by its invitation, whatever the other region says
}

// outgoingHandovers are the handovers of players from here to other regions.
type outgoingHandovers struct {
	component
	area     *regionlog.Area
	store    *store
	entities *entities
	sessions *playerSessions
	dedup    *deduplication
	edits    pendingEditFinder
	departed *departed
	activity *activity
	queue    *commandQueue
	signed   *signatures
	asked    *requestedEdits
	events   handoverEvents

	players map[id.ID]*outgoingHandover // players on their way to another home
	offers  map[uint64]*outgoingHandover
	last    uint64 // offer
}

// handoverEvents is what follows when a handover has ended.
type handoverEvents interface {
	OnMessage(from machine.Peer, m machine.Message)     // an Enter that has waited
	applyOrForward(h *playerSession, m machine.Message) // a message about a player who stays
	notHere(player id.ID, tag uint64, to world.RegionPos)
}

// of returns the handover of a player that is on its way; nil: none is.
func (g *outgoingHandovers) of(player id.ID) *outgoingHandover { return g.players[player] }

// noteIntent writes down that a player who has crossed the border may soon be
// handed over, so that this need not wait for the disk then.
func (g *outgoingHandovers) noteIntent(h *playerSession) {
	far := distanceTo(g.cfg.Pos, h.p.Body.Pos)
	switch to := h.p.Home(); {
	case far >= 0 && to != g.cfg.Pos && !g.store.readOnly:
		g.intend(h, pointer{to, h.p.Epoch + 1})
	case far < -deepInside && h.intent.epoch != 0:
		h.intent, h.intentDurable = pointer{}, false
		g.store.del(playerKey(keyIntent, h.p.ID))
	}
}

func (g *outgoingHandovers) intend(h *playerSession, p pointer) {
	if h.intent == p {
		return
	}
	h.intent, h.intentDurable = p, false
	g.store.put(playerKey(keyIntent, h.p.ID), p.encode())
	g.store.then(func(ok bool) {
		if h.intent == p {
			h.intentDurable = ok
			if !ok {
				h.intent = pointer{}
			}
		}
	})
}

// handOver begins to give a player to another region, once the intent is
// durable.
func (g *outgoingHandovers) handOver(h *playerSession, to world.RegionPos) {
	switch {
	case h.handover != nil || g.env.Now() < h.staysUntil:
		return
	case !inWorld(to) || to == g.cfg.Pos || g.store.readOnly:
		g.pushBack(h)
		return
	}
	g.intend(h, pointer{to, h.p.Epoch + 1})
	if h.leaving = g.edits.ofPlayer(h.p.ID); h.leaving || !h.intentDurable {
		return // its edits at neighbours end here: tried again with the next tick
	}
	g.area.Freeze(h.p.ID, true)
	o := &outgoingHandover{player: h.p.ID, session: h, to: to}
	h.handover, g.players[h.p.ID] = o, o
	g.store.then(func(ok bool) { // what the player did last is on the disk first
		if !ok {
			g.refused(o)
			return
		}
		p := *h.p
		p.Epoch, p.Visitor = p.Epoch+1, h.invited
		l := g.dedup.of(p.ID)
		next := h.inputs.nextAct(l.next)
		g.asked.takeAll(h, next-1)
		g.offer(o, &Handover{
			Player: p.ID, Epoch: uint32(p.Epoch), State: p.AppendBinary(nil),
			Acts: l.encode(next), Orders: g.store.small[playerKey(keyOrders, p.ID)], Session: h.peer,
			Log: h.signedLog(),
		})
	})
}

// askNewHome offers a stored player, for whom there is an intent, to the other
// region: that one has taken it over already, or refuses.
func (g *outgoingHandovers) askNewHome(p *world.Player, ptr pointer, entering *queuedMessage) {
	o := &outgoingHandover{player: p.ID, to: ptr.to, entering: entering}
	g.players[p.ID] = o
	p.Epoch = ptr.epoch
	g.offer(o, &Handover{Player: p.ID, Epoch: uint32(p.Epoch), State: p.AppendBinary(nil), Asks: true})
}

func (g *outgoingHandovers) offer(o *outgoingHandover, m *Handover) {
	o.m = m
	g.env.Send(PeerOf(o.to), m)
	g.last++
	g.offers[g.last] = o
	g.after(resendHandoverAfter, machine.Timer{Kind: timerHandover, Arg: g.last})
}

// onTimer offers again what was not answered.
func (g *outgoingHandovers) onTimer(t machine.Timer) {
	o := g.offers[t.Arg]
	delete(g.offers, t.Arg)
	if o != nil && g.players[o.player] == o {
		g.offer(o, o.m)
	}
}

// answered returns the handover that an answer is about.
func (g *outgoingHandovers) answered(from machine.Peer, player id.ID, epoch uint32) *outgoingHandover {
	o := g.players[player]
	if o == nil || o.m == nil || o.m.Epoch != epoch || from != PeerOf(o.to) {
		g.stats.Refused++
		return nil
	}
	return o
}

// onOK lets a player go that its new home has made durable; false: it is not on
// its way.
func (g *outgoingHandovers) onOK(from machine.Peer, m *HandoverOK) bool {
	o := g.answered(from, m.Player, m.Epoch)
	if o == nil {
		return false
	}
	delete(g.players, o.player)
	g.stats.Handovers++
	ptr := pointer{o.to, uint64(m.Epoch)}
	g.store.del(playerKey(keyPlayer, o.player))
	g.store.del(playerKey(keyIntent, o.player))
	g.store.put(playerKey(keyPointer, o.player), ptr.encode())
	g.store.put(playerKey(keyWent, o.player), o.m.State)
	g.dedup.drop(o.player)
	if h := o.session; h != nil {
		g.finish(h, o, ptr)
	}
	if o.entering != nil {
		g.env.Send(o.entering.from, &Moved{g.cfg.Pos, o.player, o.to, m.Epoch, MovedElsewhere})
	}
	g.store.flush()
	return true
}

// finish takes a player that has a new home out of the area, and sends there
// what has come for it meanwhile.
func (g *outgoingHandovers) finish(h *playerSession, o *outgoingHandover, ptr pointer) {
	session := o.m.Session
	g.sessions.remove(o.player)
	g.entities.gone(h.p.Handle, h.p.Entity, frame.WentElsewhere)
	g.departed.list[o.player] = departedPlayer{ptr, session, g.env.Now(), h.came, h.invited}
	kept := append(o.queued, h.inputs.messages(o.player)...)
	kept = append(kept, h.proofs...)
	if o.leaving {
		kept = append(kept, &Leave{o.player})
	} else if o.entering == nil && h.peer != (machine.Peer{}) {
		g.env.Send(h.peer, &Moved{g.cfg.Pos, o.player, o.to, uint32(ptr.epoch), MovedHandover})
	}
	g.sessions.attach(h, machine.Peer{})
	for _, m := range kept {
		switch m := m.(type) {
		case *Order:
			g.events.notHere(o.player, m.Tag, o.to)
		case *Locate:
			g.events.notHere(o.player, m.Tag, o.to)
		default:
			g.env.Send(PeerOf(o.to), &Forward{o.player, session, m})
		}
	}
	g.activity.touch()
}

// onRefused keeps a player that its new home has not taken over.
func (g *outgoingHandovers) onRefused(from machine.Peer, m *HandoverRefused) {
	o := g.answered(from, m.Player, m.Epoch)
	if o == nil {
		return
	}
	if m.Code == staleCode {
		o.m.Epoch = max(o.m.Epoch, uint32(newEpoch(g.cfg, g.env.Now())))
	}
	g.refused(o)
}

// refused keeps a player that was not taken over.
func (g *outgoingHandovers) refused(o *outgoingHandover) {
	delete(g.players, o.player)
	g.store.del(playerKey(keyIntent, o.player))
	h := o.session
	if h == nil {
		g.keepEpoch(o)
		g.events.OnMessage(o.entering.from, o.entering.m) // finds no intent now
		return
	}
	if o.m != nil {
		h.p.Epoch = uint64(o.m.Epoch)
		g.area.Changed(h.p)
		g.sessions.save(h)
	}
	h.handover, h.intent, h.intentDurable = nil, pointer{}, false
	h.staysUntil = g.env.Now().Add(afterRefuse)
	g.area.Freeze(o.player, false)
	g.pushBack(h)
	for _, m := range o.queued {
		g.events.applyOrForward(h, m)
	}
	g.signed.verify(h)
	if o.entering != nil {
		g.sessions.greet(h)
	} else if o.leaving {
		g.sessions.leave(h, LeftClosed)
	}
}

// keepEpoch raises a stored player's epoch to that of an offer that was refused.
func (g *outgoingHandovers) keepEpoch(o *outgoingHandover) {
	if p, ok := g.store.player(o.player); ok {
		p.Epoch = uint64(o.m.Epoch)
		g.store.put(playerKey(keyPlayer, o.player), p.AppendBinary(nil))
	}
}

// pushBack puts a player who cannot leave half a metre inside of the border.
func (g *outgoingHandovers) pushBack(h *playerSession) {
	g.queue.order(h.p.ID, &world.Order{Kind: world.OrderTeleport, At: g.cfg.Pos.Inside(h.p.Body.Pos)})
	h.staysUntil = g.env.Now().Add(afterRefuse)
}

// resend offers players again to a region that another machine leads now.
func (g *outgoingHandovers) resend(pos world.RegionPos) {
	for _, player := range id.Sorted(g.players) {
		if o := g.players[player]; o.m != nil && o.to == pos {
			g.env.Send(PeerOf(pos), o.m)
		}
	}
}
