package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Beds lie on two blocks side by side, both of one region. A half goes when the other one
// has. Who has used a bed comes back to life there, as long as it is there.

// IsBed reports whether b is a half of a bed.
func (b Block) IsBed() bool { return Info(b).Class == pack.Bed }

// bedHalf returns another half of a bed of the same kind.
func (b Block) bedHalf(is uint8) Block { return b - Block(Info(b).Bed) + Block(is) }

// otherBed returns where the other half of the bed at a place is, and what it is.
func otherBed(at Pos, b Block) (Pos, Block) {
	is := Info(b).Bed
	way := FaceNorth + Face(is>>pack.BedFacing)
	if is&pack.BedHead != 0 {
		way ^= 1
	}
	return at.Next(way), b.bedHalf(is ^ pack.BedHead)
}

// bedStands reports whether the other half of a bed is there.
func bedStands(w Blocks, at Pos, b Block) bool {
	where, want := otherBed(at, b)
	other, ok := w.Block(where)
	return !ok || other == want
}

// bedFor returns the foot of a bed as somebody places it whose feet are there: its head lies
// away from them.
func bedFor(b Block, at Pos, feet Vec) Block {
	return b.bedHalf(uint8(awayFrom(at, feet)-FaceNorth) << pack.BedFacing)
}

// placeBed checks what a bed needs, and places both halves.
func (br *blockRules) placeBed(r *Remote) Refusal {
	foot := bedFor(r.Block, r.At, r.Body)
	where, head := otherBed(r.At, foot)
	there, ok := br.Block(where)
	switch {
	case !ok:
		return NotLoaded
	case !br.owns(where) || !there.Replaceable() || br.barred(where, r.Player, r.Operator) != Done:
		return NotReplaceable
	case br.occupied(r.At, foot) || br.occupied(where, head):
		return Occupied
	}
	br.set(where, head)
	br.set(r.At, foot)
	return Done
}

// lieDown makes a bed the place where a player comes back to life. The bed may be in another
// region: nothing of it changes.
func (pr *playerRules) lieDown(p *Player, at Pos) Refusal {
	switch {
	case p.Mode == Spectator:
		return NotAllowed
	case !p.inReach(at):
		return TooFar
	case !pr.sees(p, at):
		return NotAllowed
	case !pr.rate(&p.NextPlace, placeEvery, placeSlack):
		return Cooldown
	}
	p.Bed, p.HasBed = at, true
	p.dirty |= dirtySave
	text := "You will come back to life in this bed. "
	switch {
	case !pr.night():
		text += "You can sleep in it at night."
	case pr.monsterNear(p.Body.Pos):
		text += "You cannot sleep: monsters are near."
	default:
		p.asleep = true
		text += "You sleep."
	}
	pr.changes.Notices = append(pr.changes.Notices, Notice{p, "bed", text})
	return Done
}

// noRest is how near monsters must not be for somebody to fall asleep, in metres.
const noRest = 8

// monsterNear reports whether a monster is near that hunts unprovoked now.
func (pr *playerRules) monsterNear(at Vec) bool {
	return slices.ContainsFunc(pr.mobs, func(m *Mob) bool {
		in := m.info()
		return m.Health > 0 && in.Monster() && pr.isTime(in.Hunts.When) && distance2(m.Body.Pos, at) < noRest*fixed.One*noRest*fixed.One
	})
}

// Stirs are the buttons by which somebody gets up.
const Stirs = ButtonForward | ButtonBack | ButtonLeft | ButtonRight | ButtonJump | ButtonSneak

// rest ends sleep: by a movement, with the night, by death. Sleep changes nothing else of
// the world: that all sleep the lobby finds out.
func (pr *playerRules) rest(p *Player) {
	if p.asleep && (p.Buttons&Stirs != 0 || !pr.night() || p.Dead()) {
		p.asleep = false
	}
}

// bedFeet is where a player stands who comes to a bed.
func bedFeet(bed Pos) Vec {
	at := SpawnFeet(bed)
	at.Y += fixed.One * 9 / 16
	return at
}

// missesBed reports whether a player was brought to a bed that is not there any more. It is
// on its way to the spawn then.
func (pr *playerRules) missesBed(p *Player) bool {
	if !p.HasBed || p.Body.Pos != bedFeet(p.Bed) {
		return false
	}
	if b, _ := pr.Block(p.Bed); b.IsBed() {
		return false
	}
	p.HasBed, p.Bed = false, Pos{}
	p.moveTo(SpawnFeet(pr.spawn))
	pr.changes.Notices = append(pr.changes.Notices, Notice{p, "bed", "Your bed is gone."})
	return true
}
