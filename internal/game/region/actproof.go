package region

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// A region does an edit in a player's name for a neighbour only if the player has
// signed the act, and each act once: whoever leads the neighbour may lie.

// proofWindow is how many ticks old the signature of an act may be when a neighbour asks
// for what it does: ten minutes, for questions are repeated while a region has no leader.
const proofWindow = 10 * inputlog.Window

// ActProof is a player's word for an act: a segment that has it, and the key and the
// nonce for which that is signed. It is empty where nothing need be signed, and with an
// item, which crosses the border by itself.
type ActProof struct {
	Key, Nonce [32]byte
	Segment    []byte // an encoded inputlog.Segment
}

// append lays a proof out as the disk keeps it.
func (p *ActProof) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(p.Segment)))
	if len(p.Segment) > 0 {
		b = append(append(append(b, p.Key[:]...), p.Nonce[:]...), p.Segment...)
	}
	return b
}

// take reads what append wrote, and returns what follows it.
func (p *ActProof) take(b []byte) (rest []byte, ok bool) {
	r := bin.NewReader(b)
	if n := r.Uint(inputlog.MaxSize); n > 0 {
		p.Key, p.Nonce, p.Segment = [32]byte(r.Take(32)), [32]byte(r.Take(32)), r.Take(n)
	}
	return r.Take(uint64(r.Len())), !r.Bad()
}

// signedAct is an act that a player has signed.
type signedAct struct {
	player id.ID
	nonce  [32]byte
	seq    uint32
	tick   uint64 // at which it was signed
	act    inputlog.Act
}

// signedAct finds the act for which a neighbour asks, or says why it is not done.
func (e *requestedEdits) signedAct(m *RemoteEdit) (*signedAct, world.Refusal) {
	ask, p := m.Remote, &m.Proof
	seg, err := inputlog.Decode(p.Segment)
	if err != nil || id.Of(p.Key[:]) != ask.Player || !regionlog.AsksFor(seg.Act(ask.Seq), ask) {
		e.stats.Unsigned++
		return nil, world.Unsigned
	}
	act := &signedAct{ask.Player, p.Nonce, ask.Seq, seg.Tick, *seg.Act(ask.Seq)}
	now := TickAt(e.env.Now(), e.cfg.Epoch)
	switch {
	case seg.Tick+proofWindow < now || seg.Tick > now+inputlog.Ahead:
		return nil, world.TooLate
	case !e.fresh(act, seg):
		return nil, lateCode
	case !seg.Verify(&inputlog.Session{World: e.cfg.World, Key: p.Key, Nonce: p.Nonce}):
		e.stats.Unsigned++
		return nil, world.Unsigned
	}
	return act, ""
}

// fresh reports whether an act has not been done here, and is not being done. For a
// player who is at home here no neighbour asks.
func (e *requestedEdits) fresh(act *signedAct, seg *inputlog.Segment) bool {
	if h := e.players.at(act.player); h != nil {
		if h.handover == nil {
			return false
		}
	} else if l, err := inputlog.DecodeLog(e.store.small[playerKey(keySigned, act.player)]); err == nil && act.tick <= l.Tick() {
		return false // it has left the world here since
	}
	for _, o := range e.neighbours {
		if slices.ContainsFunc(o.list, func(p neighbourEdit) bool {
			return p.act != nil && p.act.player == act.player && p.act.nonce == act.nonce && p.act.seq == act.seq
		}) {
			return false
		}
	}
	a := e.actor(act.player)
	return a.taken.Fresh(act.nonce, seg, act.seq)
}

// take notes that an act has been done, with the batch that says how it has ended.
func (e *requestedEdits) take(act *signedAct) {
	if act != nil {
		a := e.actor(act.player)
		a.taken.Take(act.nonce, act.tick, act.seq)
		e.store.put(playerKey(keyActor, act.player), a.encode())
	}
}

// takeAll notes that what a player who goes from here did up to an act has been done:
// a neighbour must not have it done again.
func (e *requestedEdits) takeAll(h *playerSession, seq uint32) {
	if h.log != nil {
		a := e.actor(h.p.ID)
		a.taken.TakeAll(h.log.Nonce, h.log.Tick(), seq)
		e.store.put(playerKey(keyActor, h.p.ID), a.encode())
	}
}

// actorRecord is what a region knows of a player who acts here from elsewhere: the
// highest epoch, and which acts it has done.
type actorRecord struct {
	epoch uint64
	taken inputlog.Taken
}

// actor is what is known of a player.
func (e *requestedEdits) actor(player id.ID) actorRecord {
	a, _ := decodeActor(e.store.small[playerKey(keyActor, player)]) // it was read before: see unpackOne
	return a
}

func (a *actorRecord) encode() []byte {
	b := binary.AppendUvarint(nil, a.epoch)
	if a.taken != (inputlog.Taken{}) {
		b = a.taken.Append(b)
	}
	return b
}

func decodeActor(b []byte) (a actorRecord, err error) {
	epoch, n := binary.Uvarint(b)
	if n <= 0 {
		return actorRecord{}, fmt.Errorf("who has acted from elsewhere: %w", ErrCorrupt)
	}
	a.epoch = epoch
	if n < len(b) {
		taken, err := inputlog.DecodeTaken(b[n:])
		if err != nil {
			return actorRecord{}, fmt.Errorf("%w: %w", err, ErrCorrupt)
		}
		a.taken = *taken
	}
	return a, nil
}
