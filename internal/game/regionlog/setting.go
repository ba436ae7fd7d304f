package regionlog

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
)

// MoveSpawn says where players come back to life, as the statement of an operator does;
// nil: where the world's founder has put it.
func (a *Area) MoveSpawn(s *decision.Statement) {
	at := a.rules.Spawn
	if s != nil {
		at, _ = decision.Place(s.Text)
	}
	if at == a.Spawn() {
		return
	}
	a.spawnBefore = a.Spawn()
	a.Area.SetSpawn(at)
	a.rec.event(evSpawn)
	if s == nil {
		a.rec.put(nil)
	} else {
		a.rec.put(s.Append(nil))
	}
}

// applySpawn moves the spawn, after verifying that somebody has signed where to. Whether
// that is an operator is the leader's word.
func (a *Area) applySpawn(r *reader) error {
	b := r.Bytes(decision.MaxSize)
	if r.Bad() {
		return ErrFormat
	}
	if len(b) == 0 {
		a.MoveSpawn(nil)
		return nil
	}
	s, err := decision.Decode(b)
	if err == nil {
		err = s.SignedFor(a.world)
	}
	if err != nil || s.Topic != decision.Setting || s.Name != decision.SetSpawn || !s.On {
		return fmt.Errorf("%w: a spawn that nobody has signed", errRule)
	}
	a.MoveSpawn(s)
	return nil
}
