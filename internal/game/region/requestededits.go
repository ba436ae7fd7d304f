package region

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// requestedEdits are the edits that neighbours have asked for here
// (docs/protocols/region.md, "Remote edits").
type requestedEdits struct {
	component
	store      *store
	area       *regionlog.Area
	players    playerFinder
	arrivals   arrivals
	neighbours map[world.RegionPos]*neighbourEdits
}

// arrivals knows the players who are about to be here.
type arrivals interface {
	arrivingWith(player id.ID) (epoch uint64)
}

// readiness reports whether all columns are there; if not, the message comes
// again when they are.
type readiness interface {
	needReady(from machine.Peer, m machine.Message) bool
}

// end answers an edit once it is durable how it ended. That holds for a
// refusal too: a copy of the question may be on its way, perhaps to a machine
// that leads this region next, and must not be done when the player has been
// told that it was not.
func (e *requestedEdits) end(done *world.Remote) {
	ops := e.of(done.From)
	if p := ops.complete(done); p != nil {
		e.take(p.act)
		p.act = nil
	}
	e.put(done.From, ops)
	e.store.then(func(ok bool) {
		if !ok && done.Code == world.Done {
			done.Code, done.Got = storageCode, world.Air
			ops.complete(done)
			e.put(done.From, ops)
		}
		ops.markDurable(done.Op)
		e.answer(done)
	})
}

func (e *requestedEdits) answer(done *world.Remote) {
	e.env.Send(PeerOf(done.From), &RemoteEditDone{done})
}

// aheadAtMost is how far the clock of a neighbour's machine may be ahead: what
// is numbered from a later time is not believed.
const aheadAtMost = time.Hour

// onRequest takes a neighbour's question for an edit, the block's side of an act. It
// returns what is to be done, nil if nothing is.
func (e *requestedEdits) onRequest(from machine.Peer, m *RemoteEdit, columns readiness) *world.Remote {
	pos, ok := RegionOf(from)
	if !ok || !e.valid(pos, m) {
		e.stats.Refused++
		return nil
	}
	o := e.of(pos)
	switch {
	case e.isDuplicate(pos, m):
		return nil
	case !e.store.readOnly && !columns.needReady(from, m):
		return nil
	case len(o.list) >= maxNeighbourEdits: // it is asked again
		e.stats.Refused++
		return nil
	}
	ask := *m.Remote
	ask.Operator = e.cfg.operator(ask.Player) // no neighbour decides that
	edit := neighbourEdit{number: m.Remote.Op, epoch: m.Epoch}
	switch {
	case e.store.readOnly:
		ask.Code = storageCode
	case !reachable(pos, &ask):
		ask.Code = world.NotAllowed
	case e.cfg.Signed && ask.Kind != world.RemoteItem:
		edit.act, ask.Code = e.signedAct(m)
	}
	o.list = append(o.list, edit)
	if ask.Code != "" {
		e.end(&ask)
		e.store.flush()
		return nil
	}
	if edit.act != nil {
		e.area.SignedRemote(m.Proof.Key, m.Proof.Nonce, m.Proof.Segment, edit.act.act)
	}
	if ask.Kind != world.RemoteItem {
		e.noteActor(ask.Player, m.Epoch)
	}
	return &ask
}

// valid reports whether the region at pos can ask for an edit like this.
func (e *requestedEdits) valid(pos world.RegionPos, m *RemoteEdit) bool {
	now := e.env.Now()
	return m.Remote != nil && m.Remote.From == pos && m.Remote.At.Region() == e.cfg.Pos && m.Remote.Block.Known() &&
		itemFits(e.cfg.Pos, pos, m.Remote) && m.Oldest <= m.Remote.Op && m.Remote.Op <= TickAt(now.Add(aheadAtMost), e.cfg.Epoch)<<8 &&
		adjacent(pos, e.cfg.Pos) && e.cfg.plausible(m.Epoch, now)
}

func (e *requestedEdits) of(from world.RegionPos) *neighbourEdits {
	o := e.neighbours[from]
	if o == nil {
		o = &neighbourEdits{}
		e.neighbours[from] = o
	}
	return o
}

// isDuplicate reports whether an edit has been asked for before, or is late.
// One that has ended is answered again.
func (e *requestedEdits) isDuplicate(from world.RegionPos, m *RemoteEdit) bool {
	o := e.of(from)
	o.discardBelow(m.Oldest)
	p := o.find(m.Remote.Op)
	if p != nil && p.state == editDurable {
		done := *m.Remote
		done.Code, done.Got = p.code, p.left
		e.answer(&done)
	}
	return p != nil || m.Remote.Op < o.floor
}

// lateCode refuses a stale edit, whose player or home has moved on: the sender
// does not lead the home any more, so no player is told.
const lateCode = "late"

// isStale reports whether an edit that waits for its tick is not to be done any
// more, because its player, or its home, has gone on.
func (e *requestedEdits) isStale(m *world.Remote) bool {
	p := e.of(m.From).find(m.Op)
	switch {
	case p == nil: // below the floor: the home has confirmed the result
		return true
	case m.Kind != world.RemoteItem && uint64(p.epoch) < e.actorEpoch(m.Player):
		done := *m
		done.Code = lateCode
		e.end(&done)
		return true
	}
	return false
}

// actorEpoch is the highest epoch with which a player has acted here, from this
// region or from another.
func (e *requestedEdits) actorEpoch(player id.ID) uint64 {
	epoch := e.actor(player).epoch
	if h := e.players.at(player); h != nil {
		epoch = max(epoch, h.p.Epoch)
	} else if p, ok := e.store.player(player); ok && e.arrivals.arrivingWith(player) == 0 {
		epoch = max(epoch, p.Epoch)
	}
	if ptr, ok := e.store.pointer(keyPointer, player); ok {
		epoch = max(epoch, ptr.epoch)
	}
	return epoch
}

// noteActor keeps with which epoch a player acts here from elsewhere.
func (e *requestedEdits) noteActor(player id.ID, epoch uint32) {
	if uint64(epoch) > e.actorEpoch(player) {
		a := e.actor(player)
		a.epoch = uint64(epoch)
		e.store.put(playerKey(keyActor, player), a.encode())
	}
}
