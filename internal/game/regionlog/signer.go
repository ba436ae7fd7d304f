package regionlog

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// signer is what a player has signed in a session and has not been run yet.
type signer struct {
	key, nonce [32]byte
	acts       map[uint32]inputlog.Act
	ran        inputlog.Taken // acts
	first      uint32         // the lowest of them, since the area began
}

// maxOpenActs bounds the acts of a signer: many more than may wait in a region. Those
// that wait have the highest numbers; the others were given up with a session's queue.
const maxOpenActs = 2 << 10

// sign notes an act that a player has signed.
func (a *Area) sign(player id.ID, of *inputlog.Session, act inputlog.Act) {
	s := a.signers[player]
	if s == nil || s.nonce != of.Nonce {
		s = &signer{key: of.Key, nonce: of.Nonce, acts: map[uint32]inputlog.Act{}}
		a.signers[player] = s
	}
	s.acts[act.Seq] = act
	if len(s.acts) > maxOpenActs {
		delete(s.acts, slices.Min(slices.Collect(maps.Keys(s.acts))))
	}
}

// signerAt is the place of a player in the list of those who are here, if it has signed
// something in this session: its key and nonce are known; -1: they are not.
func (a *Area) signerAt(player id.ID, of *inputlog.Session) int {
	if s := a.signers[player]; s == nil || s.nonce != of.Nonce {
		return -1
	}
	return slices.IndexFunc(a.Players(), func(p *world.Player) bool { return p.ID == player })
}

// sessionOf is the session of the player at a place, if it has signed something; nil: it has
// not.
func (a *Area) sessionOf(at int) *inputlog.Session {
	players := a.Players()
	if at >= len(players) || a.signers[players[at].ID] == nil {
		return nil
	}
	s := a.signers[players[at].ID]
	return &inputlog.Session{World: a.world, Key: s.key, Nonce: s.nonce}
}

// hasSigned reports whether a player has signed an act that is to be run.
func (a *Area) hasSigned(c *world.Command) bool {
	s := a.signers[c.Player]
	if s == nil {
		return false
	}
	act, ok := s.acts[c.Seq]
	return ok && act.Kind == uint8(c.Act.Kind) && act.At == c.Act.At && act.Face == uint8(c.Act.Face) &&
		act.A == uint64(c.Act.A) && act.B == uint32(c.Act.B) && act.Text == c.Act.Text
}

// done notes that an act was run.
func (a *Area) done(player id.ID, seq uint32) {
	if s := a.signers[player]; s != nil {
		delete(s.acts, seq)
		s.ran.Take(s.nonce, a.Now(), seq)
		if s.first == 0 || seq < s.first {
			s.first = seq
		}
	}
}

// arrived is when a player has come: what it has signed before does not count.
func (a *Area) arrived(player id.ID) {
	delete(a.signers, player)
	a.arrivals++
	a.came[player] = a.arrivals
}

// Came counts up whenever a player comes; 0: it is not here, or was from the beginning.
func (a *Area) Came(player id.ID) uint64 { return a.came[player] }

// Heeds reports whether what a player has signed was done, if the player is here: the act
// with a number or, for 0, the steps. Acts that were run before this area began count as
// not done.
func (a *Area) Heeds(of *inputlog.Session, s *inputlog.Segment, act uint32) bool {
	player := id.Of(of.Key[:])
	p, signs := a.Player(player), a.signers[player]
	switch {
	case p == nil:
		return true
	case act == 0:
		return p.LastSeq >= s.Last()
	}
	return signs != nil && signs.nonce == of.Nonce && !signs.ran.Fresh(of.Nonce, s, act)
}

// RanBelow reports whether an act of a session with a lower number was run since this area
// began. Then the act itself was not run before: a session's acts are run in their order.
func (a *Area) RanBelow(of *inputlog.Session, act uint32) bool {
	s := a.signers[id.Of(of.Key[:])]
	return s != nil && s.nonce == of.Nonce && s.first != 0 && s.first < act
}

// appendSigners appends what players have signed, in order.
func (a *Area) appendSigners(b []byte) []byte {
	w := writer{b}
	players := id.Sorted(a.signers)
	w.uint(uint64(len(players)))
	for _, p := range players {
		s := a.signers[p]
		w.raw(s.key[:])
		w.raw(s.nonce[:])
		w.uint(uint64(len(s.acts)))
		for _, seq := range slices.Sorted(maps.Keys(s.acts)) {
			act := s.acts[seq]
			w.uint(uint64(seq))
			w.act(world.Act{Kind: world.ActKind(act.Kind), At: act.At, Face: world.Face(act.Face), A: int64(act.A), B: int64(act.B), Text: act.Text})
		}
	}
	return w.b
}

// loadSigners reads what appendSigners wrote.
func (a *Area) loadSigners(r *reader) {
	for n := r.Count(2*32 + 1); n > 0 && !r.Bad(); n-- {
		s := &signer{key: [32]byte(r.Take(32)), nonce: [32]byte(r.Take(32)), acts: map[uint32]inputlog.Act{}}
		player := id.Of(s.key[:])
		for k := r.Count(6); k > 0 && !r.Bad(); k-- {
			seq, act := uint32(r.Uint(maxU32)), r.act()
			s.acts[seq] = signedAct(seq, act)
		}
		if a.Player(player) == nil || len(s.acts) > maxOpenActs {
			r.Fail()
			return
		}
		a.signers[player] = s
	}
}

// signedAct is an act as it is signed. After is left out: whoever runs the act decides
// which steps have come.
func signedAct(seq uint32, act world.Act) inputlog.Act {
	return inputlog.Act{Seq: seq, Kind: uint8(act.Kind), At: act.At, Face: uint8(act.Face), A: uint64(act.A), B: uint32(act.B), Text: act.Text}
}
