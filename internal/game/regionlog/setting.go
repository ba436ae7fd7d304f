package regionlog

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
)

// Settings of the world that the rules of a region depend on, as statements of operators; nil:
// as the world was founded.

// MoveSpawn says where players come back to life.
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
	a.logSetting(evSpawn, s)
}

// AllowFire says whether fire spreads.
func (a *Area) AllowFire(s *decision.Statement) {
	on := s == nil || s.Text != "0"
	if on == a.Fire() {
		return
	}
	a.Area.SetFire(on)
	a.logSetting(evFire, s)
}

func (a *Area) logSetting(kind byte, s *decision.Statement) {
	a.rec.event(kind)
	if s == nil {
		a.rec.put(nil)
	} else {
		a.rec.put(s.Append(nil))
	}
}

// applySetting changes a setting, after verifying that somebody has signed it. Whether that is
// an operator is the leader's word.
func (a *Area) applySetting(r *reader, name string, set func(*decision.Statement)) error {
	b := r.Bytes(decision.MaxSize)
	if r.Bad() {
		return ErrFormat
	}
	if len(b) == 0 {
		set(nil)
		return nil
	}
	s, err := decision.Decode(b)
	if err == nil {
		err = s.SignedFor(a.world)
	}
	if err != nil || s.Topic != decision.Setting || s.Name != name || !s.On {
		return fmt.Errorf("%w: a setting that nobody has signed: %s", errRule, name)
	}
	set(s)
	return nil
}
