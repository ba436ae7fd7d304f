package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// HeedTicks is how many ticks a region has for what other hosts hand over that a player
// has signed. Then it takes the player out, which can enter again: hosts suspect a leader
// whose log shows neither (decision 185), and some things that are signed cannot be done.
const HeedTicks = 100

// handedOver is what other hosts see undone.
type handedOver struct {
	of     inputlog.Session
	signed *inputlog.Segment
	act    uint32
	ticks  int // since it was handed over
}

// Heed does what a player has signed and another host has handed over, as if the player's
// session had said it. The caller has verified the signature.
func (r *Region) Heed(of *inputlog.Session, signed []byte, act uint32) {
	h := r.sessions.at(id.Of(of.Key[:]))
	s, err := inputlog.Decode(signed)
	if h == nil || h.log == nil || h.handover != nil || err != nil {
		return
	}
	if h.owed == nil {
		h.owed = &handedOver{of: *of, signed: s, act: act}
	}
	if h.log.Nonce != of.Nonce {
		return // another session of the player has said it
	}
	var m machine.Message = &Segment{Player: h.p.ID, Signed: signed}
	if a := s.Act(act); a != nil {
		m = &Act{
			Player: h.p.ID, Seq: a.Seq, Kind: a.Kind, Pos: world.Pos{X: a.At.X, Y: a.At.Y, Z: a.At.Z}, Face: a.Face, A: a.A, B: a.B, Text: a.Text,
			After: a.After, Proof: signed,
		}
	}
	r.signed.receive(h, m)
}

// owes reports whether a player has waited for too long for what was handed over.
func (s *playerSessions) owes(h *playerSession) bool {
	if h.owed == nil {
		return false
	}
	if s.area.Heeds(&h.owed.of, h.owed.signed, h.owed.act) {
		h.owed = nil
		return false
	}
	h.owed.ticks++
	return h.owed.ticks > HeedTicks
}
