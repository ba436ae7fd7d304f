package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// deduplication does each act of a session once, however often it arrives, and in
// the order of the numbers. It has a act record for each player that it has heard of.
type deduplication struct {
	component
	area    *regionlog.Area
	store   *store
	players playerFinder
	edits   pendingEditFinder
	runner  actRunner
	records map[id.ID]*actRecord
}

// playerFinder returns the session of a player who is here; nil: none is.
type playerFinder interface {
	at(player id.ID) *playerSession
}

// pendingEditFinder knows the edits that neighbours have been asked for and that have not
// ended.
type pendingEditFinder interface {
	pendingFor(player, session id.ID, seq uint32) bool
	ofPlayer(player id.ID) bool
}

// actRunner runs acts that have come into a player's inbox.
type actRunner interface{ actNow(h *playerSession) }

// of returns the act record of a player who is at home here.
func (d *deduplication) of(player id.ID) *actRecord {
	l := d.records[player]
	if l != nil {
		return l
	}
	if b, ok := d.store.small[playerKey(keyActs, player)]; ok {
		l, _ = decodeActRecord(b) // it was read before: see unpackOne
	}
	if l == nil {
		l = &actRecord{floor: 1, next: 1}
	}
	d.records[player] = l
	return l
}

// addRecords brings the act records into the next batch: with what acts did it says
// how they have ended, and what nobody writes for itself is not worth a batch.
func (d *deduplication) addRecords() {
	for player, l := range d.records { // the order does not matter
		if _, ok := d.store.small[playerKey(keyPlayer, player)]; l.dirty && ok {
			d.store.put(playerKey(keyActs, player), l.encode(l.next))
			l.dirty = false
		}
	}
}

// adopt takes the act record that comes with a player.
func (d *deduplication) adopt(player id.ID, l *actRecord) { d.records[player] = l }

// drop forgets the acts of a player who has another home now.
func (d *deduplication) drop(player id.ID) {
	delete(d.records, player)
	d.store.del(playerKey(keyActs, player))
	d.store.del(playerKey(keyOrders, player))
	d.store.del(playerKey(keySigned, player))
}

// receive takes an act of a player who is here. One that comes before its turn
// waits for those before it; one that has been begun is not begun again.
func (d *deduplication) receive(h *playerSession, m *Act) {
	l := d.of(h.p.ID)
	l.discardBelow(min(m.Oldest, m.Seq))
	switch {
	case m.Seq < l.floor || m.Seq-l.floor >= MaxActs:
		d.stats.Refused++
	case m.Seq < l.next:
		if e := l.find(m.Seq); e != nil && e.durable {
			d.sendResult(h, l, *e)
		} // otherwise it is told when it ends
	default:
		if l.outOfOrder == nil {
			l.outOfOrder = map[uint32]*Act{}
		}
		l.outOfOrder[m.Seq] = m
		for m := l.outOfOrder[l.next]; m != nil; m = l.outOfOrder[l.next] {
			delete(l.outOfOrder, l.next)
			l.next++
			d.begin(h, l, m)
		}
	}
}

// begin does an act in its turn, unless whoever led the region before, or
// another home, has done so.
func (d *deduplication) begin(h *playerSession, l *actRecord, m *Act) {
	if e := l.find(m.Seq); e != nil {
		if e.durable {
			d.sendResult(h, l, *e)
		}
		return
	}
	if d.edits.pendingFor(h.p.ID, l.session, m.Seq) {
		return
	}
	d.stats.Acts++
	l.begin(m)
	act := world.Act{
		Kind: world.ActKind(m.Kind), At: m.Pos, Face: world.Face(m.Face),
		A: int64(min(m.A, 1<<62)), B: int64(m.B), Text: m.Text,
	}
	switch {
	case lasting(act.Kind) && (d.store.readOnly || d.store.overfull()):
		d.refuse(h, m.Seq, storageCode)
	case !h.inputs.addAct(queuedInput{seq: m.Seq, isAct: true, act: act, after: m.After, proof: m.Proof}, h.signedTo()):
		d.refuse(h, m.Seq, world.TooFast)
	default:
		if h.log != nil {
			d.area.Signed(&inputlog.Session{Key: h.log.Key, Nonce: h.log.Nonce}, m.Proof, m.Seq, act)
		}
		d.runner.actNow(h)
	}
}

// complete notes how an act of a session has ended, and answers it when that is on
// the disk; whatever happens there, if it does not depend on it.
func (d *deduplication) complete(player, session id.ID, e completedAct, whatever bool) {
	l := d.of(player)
	if l.session != session {
		return // nobody waits for it
	}
	l.complete(e)
	d.store.then(func(ok bool) {
		if d.records[player] != l || l.session != session {
			return
		}
		if e.durable = true; !ok && !whatever {
			e.code, e.edit = storageCode, nil
		}
		l.complete(e)
		if h := d.players.at(player); h != nil {
			d.sendResult(h, l, e)
		}
	})
}

// refuseLater ends an act of a session that cannot be done after all; nobody is told
// if another session plays by now.
func (d *deduplication) refuseLater(player, session id.ID, seq uint32, code world.Refusal) {
	if h, l := d.players.at(player), d.records[player]; h != nil && l != nil && l.session == session {
		d.refuse(h, seq, code)
	}
}

// tooLate refuses an act that was signed too long ago, unless it has been begun.
func (d *deduplication) tooLate(h *playerSession, m *Act) {
	l := d.of(h.p.ID)
	if m.Seq >= l.next && l.find(m.Seq) == nil && !d.edits.pendingFor(h.p.ID, l.session, m.Seq) {
		l.complete(completedAct{seq: m.Seq, code: world.TooLate, durable: true})
	}
	d.receive(h, m)
}

// proof is the player's word for an act that has been begun.
func (d *deduplication) proof(h *playerSession, seq uint32) (p ActProof) {
	if act := d.of(h.p.ID).begun[seq]; h.log != nil && act != nil {
		p = ActProof{h.log.Key, h.log.Nonce, act.Proof}
	}
	return p
}

// refuse ends an act that was not done.
func (d *deduplication) refuse(h *playerSession, seq uint32, code world.Refusal) {
	l := d.of(h.p.ID)
	e := completedAct{seq: seq, code: code, durable: true}
	l.complete(e)
	d.sendResult(h, l, e)
}

// sendResult answers an act.
func (d *deduplication) sendResult(h *playerSession, l *actRecord, e completedAct) {
	if h.session() == l.session && h.peer != (machine.Peer{}) {
		d.env.Send(h.peer, &ActResult{
			Region: d.cfg.Pos, Player: h.p.ID, Seq: e.seq, Entry: l.entry, OK: e.code == world.Done,
			Reason: string(e.code), Text: e.code.Text(), Did: e.edit,
		})
	}
}

// stop refuses what a player has asked for and would change what must last.
func (d *deduplication) stop(h *playerSession) {
	if p := h.p; p.Dig.Active {
		d.refuse(h, p.Dig.Seq, storageCode)
		p.Dig = world.Dig{}
		d.area.Changed(p)
	}
	h.inputs.filter(func(t *queuedInput) bool {
		if t.isAct && lasting(t.act.Kind) {
			d.refuse(h, t.seq, storageCode)
			return false
		}
		return true
	})
}
