package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// deduplication does each act of a session once, however often it arrives, and in
// the order of the numbers. It has a ledger for each player that it has heard of.
type deduplication struct {
	component
	store   *store
	homes   homeFinder
	edits   openEdits
	runner  actRunner
	ledgers map[id.ID]*ledger
}

// homeFinder returns the session of a player who is here; nil: none is.
type homeFinder interface{ at(player id.ID) *home }

// openEdits knows the edits that neighbours have been asked for and that have not
// ended.
type openEdits interface {
	openFor(player, session id.ID, seq uint32) bool
	ofPlayer(player id.ID) bool
}

// actRunner runs acts that have come into a player's inbox.
type actRunner interface{ actNow(h *home) }

// of returns the ledger of a player who is at home here.
func (d *deduplication) of(player id.ID) *ledger {
	l := d.ledgers[player]
	if l != nil {
		return l
	}
	if b, ok := d.store.small[playerKey(keyActs, player)]; ok {
		l, _ = decodeLedger(b) // it was read before: see unpackOne
	}
	if l == nil {
		l = &ledger{floor: 1, next: 1}
	}
	d.ledgers[player] = l
	return l
}

// addRecords brings the ledgers into the next batch: with what acts did it says
// how they have ended, and what nobody writes for itself is not worth a batch.
func (d *deduplication) addRecords() {
	for player, l := range d.ledgers { // the order does not matter
		if _, ok := d.store.small[playerKey(keyPlayer, player)]; l.dirty && ok {
			d.store.put(playerKey(keyActs, player), l.encode(l.next))
			l.dirty = false
		}
	}
}

// adopt takes the ledger that comes with a player.
func (d *deduplication) adopt(player id.ID, l *ledger) { d.ledgers[player] = l }

// drop forgets the acts of a player who has another home now.
func (d *deduplication) drop(player id.ID) {
	delete(d.ledgers, player)
	d.store.del(playerKey(keyActs, player))
	d.store.del(playerKey(keyOrders, player))
}

// receive takes an act of a player who is here. One that comes before its turn
// waits for those before it; one that has been begun is not begun again.
func (d *deduplication) receive(h *home, m *Act) {
	l := d.of(h.p.ID)
	l.raise(min(m.Oldest, m.Seq))
	switch {
	case m.Seq < l.floor || m.Seq-l.floor >= MaxActs:
		d.stats.Refused++
	case m.Seq < l.next:
		if e := l.find(m.Seq); e != nil && e.sure {
			d.tell(h, l, *e)
		} // otherwise it is told when it ends
	default:
		if l.early == nil {
			l.early = map[uint32]*Act{}
		}
		l.early[m.Seq] = m
		for m := l.early[l.next]; m != nil; m = l.early[l.next] {
			delete(l.early, l.next)
			l.next++
			d.begin(h, l, m)
		}
	}
}

// begin does an act in its turn, unless whoever led the region before, or
// another home, has done so.
func (d *deduplication) begin(h *home, l *ledger, m *Act) {
	if e := l.find(m.Seq); e != nil {
		if e.sure {
			d.tell(h, l, *e)
		}
		return
	}
	if d.edits.openFor(h.p.ID, l.session, m.Seq) {
		return
	}
	d.stats.Acts++
	act := world.Act{
		Kind: world.ActKind(m.Kind), At: m.Pos, Face: world.Face(m.Face),
		A: int64(min(m.A, 1<<62)), B: int64(m.B),
	}
	switch {
	case lasting(act.Kind) && (d.store.readOnly || d.store.overfull()):
		d.refuse(h, m.Seq, storageCode)
	case !h.inbox.addAct(todo{seq: m.Seq, isAct: true, act: act}):
		d.refuse(h, m.Seq, world.TooFast)
	default:
		d.runner.actNow(h)
	}
}

// end notes how an act of a session has ended, and answers it when that is on
// the disk; whatever happens there, if it does not depend on it.
func (d *deduplication) end(player, session id.ID, e ended, whatever bool) {
	l := d.of(player)
	if l.session != session {
		return // nobody waits for it
	}
	l.end(e)
	d.store.then(func(ok bool) {
		if d.ledgers[player] != l || l.session != session {
			return
		}
		if e.sure = true; !ok && !whatever {
			e.code, e.did = storageCode, nil
		}
		l.end(e)
		if h := d.homes.at(player); h != nil {
			d.tell(h, l, e)
		}
	})
}

// refuseLater ends an act of a session that cannot be done after all; nobody is told
// if another session plays by now.
func (d *deduplication) refuseLater(player, session id.ID, seq uint32, code world.Refusal) {
	if h, l := d.homes.at(player), d.ledgers[player]; h != nil && l != nil && l.session == session {
		d.refuse(h, seq, code)
	}
}

// refuse ends an act that was not done.
func (d *deduplication) refuse(h *home, seq uint32, code world.Refusal) {
	l := d.of(h.p.ID)
	e := ended{seq: seq, code: code, sure: true}
	l.end(e)
	d.tell(h, l, e)
}

// tell answers an act.
func (d *deduplication) tell(h *home, l *ledger, e ended) {
	if h.peer.ID == l.session && h.peer != (machine.Peer{}) {
		d.env.Send(h.peer, &ActResult{
			Region: d.cfg.Pos, Player: h.p.ID, Seq: e.seq, Entry: l.entry, OK: e.code == world.Done,
			Reason: string(e.code), Text: e.code.Text(), Did: e.did,
		})
	}
}

// stop refuses what a player has asked for and would change what must last.
func (d *deduplication) stop(h *home) {
	if p := h.p; p.Dig.Active {
		d.refuse(h, p.Dig.Seq, storageCode)
		p.Dig = world.Dig{}
	}
	h.inbox.filter(func(t *todo) bool {
		if t.isAct && lasting(t.act.Kind) {
			d.refuse(h, t.seq, storageCode)
			return false
		}
		return true
	})
}
