package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// MaxLands bounds the lands of a region.
const MaxLands = 64

// MaxFriends bounds who else builds on somebody's land.
const MaxFriends = 16

// Land is a box that a player owns. Only the owner and the owner's friends build in it and
// use containers there; whoever passes can look and open doors.
type Land struct {
	Zone
	Owner     id.ID
	Name      string
	OwnerName string
	Friends   []id.ID
}

// Admits reports whether a player builds there.
func (l *Land) Admits(who id.ID) bool { return who == l.Owner || slices.Contains(l.Friends, who) }

// Meets reports whether two boxes have a block in common.
func (z Zone) Meets(o Zone) bool {
	return z.Min.X <= o.Max.X && o.Min.X <= z.Max.X && z.Min.Y <= o.Max.Y && o.Min.Y <= z.Max.Y && z.Min.Z <= o.Max.Z && o.Min.Z <= z.Max.Z
}

// Bounds is all of a region.
func (p RegionPos) Bounds() Zone {
	o := p.Column(0).Origin()
	return Zone{Pos{o.X, 0, o.Z}, Pos{o.X + RegionSize - 1, Height - 1, o.Z + RegionSize - 1}}
}

// SetLands says which boxes players own, of which no two of different owners may meet.
func (st *state) SetLands(lands []Land) { st.lands = slices.Clone(lands) }

// Lands are those that players own: to look at.
func (st *state) Lands() []Land { return st.lands }

// LandAt is the land that a block is in; nil: nobody owns it.
func (st *state) LandAt(at Pos) *Land {
	for i := range st.lands {
		if st.lands[i].Holds(at) {
			return &st.lands[i]
		}
	}
	return nil
}

// AppendBinary appends the canonical bytes of land.
func (l *Land) AppendBinary(b []byte) []byte {
	w := writer{b}
	w.pos(l.Min)
	w.pos(l.Max)
	w.b = append(w.b, l.Owner[:]...)
	w.string(l.Name)
	w.string(l.OwnerName)
	w.uint(uint64(len(l.Friends)))
	for _, f := range l.Friends {
		w.b = append(w.b, f[:]...)
	}
	return w.b
}

// DecodeLand reads what AppendBinary wrote.
func DecodeLand(b []byte) (l Land, err error) {
	r := newReader(b)
	l.Min, l.Max = r.pos("corner"), r.pos("corner")
	l.Owner = id.ID(r.take(id.Size, "owner"))
	l.Name, l.OwnerName = r.string(maxName, "name"), r.string(400, "owner's name")
	for n := r.uint(MaxFriends, "friends"); n > 0; n-- {
		l.Friends = append(l.Friends, id.ID(r.take(id.Size, "friend")))
	}
	return l, r.end("land")
}
