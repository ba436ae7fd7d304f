package world

import (
	"crypto/sha256"
	"fmt"
)

// Limits of what LoadRest reads.
const (
	maxMobs     = 1 << 12
	maxMobBytes = 1 << 12
)

// AppendRest appends the canonical bytes of what is in the region besides its
// blocks, players and items: mobs and scheduled block ticks. It belongs into a snapshot.
func (st *state) AppendRest(dst []byte) []byte {
	w := writer{dst}
	w.uint(stateVersion)
	w.uint(st.mobCount)
	w.uint(uint64(len(st.mobs)))
	for _, m := range st.mobs {
		b := m.AppendBinary(nil)
		w.uint(uint64(len(b)))
		w.b = append(w.b, b...)
	}
	list := st.updates.sorted()
	w.uint(uint64(len(list)))
	for _, u := range list {
		w.uint(u.due)
		w.pos(u.at)
	}
	return w.b
}

// LoadRest puts back what AppendRest wrote. After an error nothing has changed.
func (st *state) LoadRest(b []byte) error {
	r := newReader(b)
	r.version()
	count := r.uint(1<<62, "mobs spawned")
	mobs := make([]*Mob, r.uint(maxMobs, "number of mobs"))
	for i := range mobs {
		one := r.take(int(r.uint(maxMobBytes, "length of st mob")), "mob")
		if r.in.Bad() {
			break
		}
		m, err := DecodeMob(one)
		if err != nil {
			return fmt.Errorf("rest of %v: %w", st.pos, err)
		}
		mobs[i] = m
	}
	next := newUpdates()
	for range r.uint(maxUpdates, "number of block ticks") {
		due := r.uint(1<<62, "block tick")
		next.add(r.pos("block tick"), due)
		if r.in.Bad() {
			break
		}
	}
	if err := r.end("rest of " + st.pos.String()); err != nil {
		return err
	}
	for len(st.mobs) > 0 {
		st.RemoveMob(st.mobs[0].Entity)
	}
	for _, m := range mobs {
		st.AddMob(m)
	}
	st.mobCount, st.updates = count, next
	return nil
}

// Digest returns the hash of everything that bears on the next ticks: blocks,
// players, mobs, items, containers, scheduled block ticks and the time.
func (st *state) Digest() [sha256.Size]byte {
	var w writer
	w.int(int64(st.pos.X))
	w.int(int64(st.pos.Z))
	w.uint(st.tick)
	w.int(st.offset)
	for in := range Columns {
		c := st.Column(in)
		w.flags(c != nil)
		for i := range ColumnLen {
			if c != nil {
				w.b = c.Chunks[i].AppendBinary(w.b)
			}
		}
	}
	w.uint(uint64(len(st.players)))
	for _, p := range st.players {
		w.b = p.AppendBinary(w.b)
	}
	w.uint(uint64(len(st.items)))
	for _, it := range st.items {
		w.b = it.AppendBinary(w.b)
	}
	all := st.Containers()
	w.uint(uint64(len(all)))
	for _, c := range all {
		w.b = c.AppendBinary(w.b)
	}
	w.b = st.AppendRest(w.b)
	return sha256.Sum256(w.b)
}
