package mmve

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// character is what a player plays. Only its own actions change it.
type character struct {
	walk       leg
	coming     coming
	health     uint8
	experience uint32
	bag        *bag
}

// coming says that a player has announced to come, and nothing that it does is
// known yet (thesis 5.4.1).
type coming uint8

const (
	present  coming = iota // it has come, or is away
	waking                 // its character was away
	newcomer               // it had no character
)

// bag is what makes characters big: items and quests. Frozen, and shared by all
// versions of a character.
type bag struct {
	b   []byte
	sum [sha256.Size]byte
}

func newBag(b []byte) *bag { return &bag{b, sha256.Sum256(b)} }

// randomBag is what a player has gathered in a life of playing.
func randomBag(seed uint64, owner state.ObjectID, size int) *bag {
	r := rng.New(seed, drawBag, uint64(owner))
	b := make([]byte, 0, size+8)
	for len(b) < size {
		b = binary.LittleEndian.AppendUint64(b, r.Uint64())
	}
	return newBag(b[:size:size])
}

// characterBit marks the ids of characters, which come after those of NPCs.
const characterBit = 1 << 63

// CharacterOf returns the id of a player's character.
func CharacterOf(p *state.Player) state.ObjectID {
	return state.ObjectID(binary.BigEndian.Uint64(p.ID[:8]) | characterBit)
}

// newCharacter makes a version of a character.
func newCharacter(p *state.Player, static bool, place geom.Point, c character) *state.Object {
	o := &state.Object{
		ID: CharacterOf(p), Static: static, Pos: place, Player: p,
		Size: headSize + len(c.bag.b), State: &c,
	}
	o.Digest = digestOf(o, &c)
	return o
}

// Activate returns the version of a character whose player has said to be coming:
// it takes part in the next step (storage.Rules).
func (w *World) Activate(p *state.Player, place geom.Point, o *state.Object) *state.Object {
	if o == nil {
		place = w.inside(place)
		c := character{walk: standing(place, 0), coming: newcomer, health: fullHealth}
		c.bag = randomBag(w.cfg.Seed, CharacterOf(p), smallest-headSize)
		return w.share(newCharacter(p, false, place, c))
	}
	old, ok := o.State.(*character)
	if !ok || !o.Static {
		return nil
	}
	c := *old
	c.coming = waking
	return w.share(newCharacter(p, false, o.Pos, c))
}

// replayCharacter returns a character at a time after its own actions, in their
// order, and appends what it does to others. The result is nil if it is not in
// the target then.
func (w *World) replayCharacter(o *state.Object, actions []*state.Action, to machine.Time, target geom.Rect, hits []hit) (*state.Object, []hit) {
	old := o.State.(*character)
	c, active := *old, old.coming == present
	for _, a := range actions {
		d, err := parse(a.Body)
		if err != nil || !active && d.kind != activate {
			continue // nothing that the rules know, or not in the world
		}
		switch d.kind {
		case activate:
			if !active {
				c.walk, c.coming = standing(o.Pos, a.At), present
			}
			active = true
		case deactivate:
			c.walk = standing(c.walk.at(a.At), a.At)
			active = false
		case move:
			c.walk = legTo(c.walk.at(a.At), w.inside(d.to), a.At, playerSpeed)
		case strike:
			c.experience++
			hits = append(hits, hit{a.At, c.walk.at(a.At), d.target})
		case gesture:
			c.experience++
		}
	}
	place := c.walk.at(to)
	if !target.Holds(place) || c.coming == newcomer {
		return nil, hits
	}
	return w.settle(o, place, active, c), hits
}

// settle makes what has become of a character, which may be what it was.
func (w *World) settle(o *state.Object, place geom.Point, active bool, c character) *state.Object {
	c.coming = present
	if active && !o.Static && place == o.Pos && c == *o.State.(*character) {
		return o
	}
	if !active {
		c.walk = standing(place, 0) // nobody needs to know since when
	}
	return w.share(newCharacter(o.Player, !active, place, c))
}
