package node

import (
	"crypto/sha256"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// beginWords begins with what a session signs, as client.signer does.
func (s *session) beginWords() {
	s.nonce = sha256.Sum256(fmt.Appendf(nil, "%s at %d", s.name, s.env.Now()))
	of := inputlog.Session{World: id.Of([]byte("country")), Key: [32]byte(s.key()[32:]), Nonce: s.nonce}
	s.seq, s.ack = 0, 0
	s.words = inputlog.NewBuilder(of, s.key())
}

func (s *session) tick() uint64 { return region.TickAt(s.env.Now(), singleNodeStart) }

// signStep signs the steps when that is due.
func (s *session) signStep(in world.Input) {
	for _, seg := range []*inputlog.Segment{s.words.Step(s.seq, in, s.tick()), s.due()} {
		if seg != nil {
			s.tell(s.home, &region.Segment{Player: s.player(), Signed: seg.Append(nil)})
		}
	}
}

func (s *session) due() *inputlog.Segment {
	if !s.words.Due(s.tick()) {
		return nil
	}
	return s.words.Sign(s.tick())
}

// signAct signs an act.
func (s *session) signAct(m *region.Act) {
	act := inputlog.Act{Seq: s.acts.Next(), Kind: m.Kind, At: m.Pos, Face: m.Face, A: m.A, B: m.B}
	seg := s.words.Act(act, s.tick())
	m.After, m.Proof = seg.Acts[0].After, seg.Append(nil)
}
