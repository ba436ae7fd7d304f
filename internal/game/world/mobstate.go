package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// The versions of a mob's layout: the first one knew nothing of feeding.
const (
	mobUnfed   = 1
	mobVersion = 2
)

// AppendBinary appends the canonical bytes of a mob.
func (m *Mob) AppendBinary(dst []byte) []byte {
	w := writer{dst}
	w.uint(mobVersion)
	w.uint(m.Entity)
	w.uint(uint64(m.Kind))
	w.body(&m.Body)
	w.uint(uint64(m.Health))
	w.pos(m.Home)
	w.uint(m.Target)
	w.vec(m.Scare)
	w.uint(uint64(m.Steps))
	w.uint(uint64(m.At))
	for _, p := range m.Path[:m.Steps] {
		w.pos(p)
	}
	for _, at := range [...]uint64{m.Think, m.Flees, m.NextHit, m.NextHurt, m.Fed, m.Grown, m.NextFed} {
		w.uint(at)
	}
	return w.b
}

// DecodeMob reads what AppendBinary wrote, all of it.
func DecodeMob(b []byte) (*Mob, error) {
	r := newReader(b)
	m := new(Mob)
	version := r.uint(mobVersion, "version")
	m.Entity = r.uint(1<<48-1, "entity")
	m.Kind = MobKind(r.uint(pack.MaxMobs, "kind"))
	r.body(&m.Body)
	m.Health = uint8(r.uint(255, "health"))
	m.Home = r.pos("home")
	m.Target = r.uint(1<<48-1, "target")
	m.Scare = r.vec(fixed.Int(Limit), "scare")
	m.Steps = uint8(r.uint(pathKeep, "path"))
	m.At = uint8(r.uint(uint64(m.Steps), "path"))
	for i := range m.Steps {
		m.Path[i] = r.pos("path")
	}
	times := []*uint64{&m.Think, &m.Flees, &m.NextHit, &m.NextHurt, &m.Fed, &m.Grown, &m.NextFed}
	if version == mobUnfed {
		times = times[:4]
	}
	for _, at := range times {
		*at = r.uint(1<<62, "tick")
	}
	if version == 0 || !m.Kind.Known() || m.Entity&mobBit == 0 {
		r.fail("not a mob")
	}
	if err := r.end("mob"); err != nil {
		return nil, err
	}
	return m, nil
}
