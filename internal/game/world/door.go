package world

import "github.com/voxelpopuli/voxelpopuli/internal/game/pack"

// Doors, trapdoors and gates open and close. What a block of theirs is (pack.Upper, Open,
// Turned) is its place among the blocks of its kind. Doors are two blocks high and stand in
// one column, so both halves are always of one region. A half goes when the other one has.

// Opens reports whether b opens and closes.
func (b Block) Opens() bool { return Info(b).Class.Opens() }

// IsDoor reports whether b is a half of a door.
func (b Block) IsDoor() bool { return Info(b).Class == pack.Door }

// with returns another block of what opens: bits of what it is are flipped.
func (b Block) with(flip uint8) Block {
	in := Info(b)
	is, step := in.Door, in.Class.DoorStep()
	return b - Block(is/step) + Block((is^flip)/step)
}

// otherHalf returns where the other half of the door at a place is.
func otherHalf(at Pos, b Block) Pos {
	if Info(b).Door&pack.Upper != 0 {
		return at.Next(FaceDown)
	}
	return at.Next(FaceUp)
}

// doorStands reports whether the other half of a door is there, and the ground.
func doorStands(w Blocks, at Pos, b Block) bool {
	other, ok := w.Block(otherHalf(at, b))
	if Info(b).Door&pack.Upper != 0 {
		return !ok || other == b.with(pack.Upper)
	}
	under, loaded := w.Block(at.Next(FaceDown))
	return (!ok || other == b.with(pack.Upper)) && (!loaded || fullSolid(under))
}

// placeDoor checks what a door needs, and places both halves.
func (br *blockRules) placeDoor(r *Remote) Refusal {
	up := r.At.Next(FaceUp)
	above, ok := br.Block(up)
	under, loaded := br.Block(r.At.Next(FaceDown))
	switch {
	case !ok || !loaded:
		return NotLoaded
	case !up.InWorld() || !above.Replaceable():
		return NotReplaceable
	case !fullSolid(under):
		return NotAllowed
	case br.occupied(r.At, r.Block) || br.occupied(up, r.Block):
		return Occupied
	}
	lower := doorFor(r.Block, r.At, r.Body)
	br.set(r.At, lower)
	br.set(up, lower.with(pack.Upper))
	return Done
}

// doorFor returns what opens as somebody places it whose feet are there; of a door the
// lower half. Its panel lies across the way of whoever places it.
func doorFor(b Block, at Pos, feet Vec) Block {
	d := at.Centre().Sub(feet)
	if max(d.X, -d.X) > max(d.Z, -d.Z) {
		return b.with(pack.Turned)
	}
	return b
}

// turn opens or closes something, or asks the region that it lies in to.
func (pr *playerRules) turn(p *Player, c *Command, b Block) (code Refusal, later bool) {
	at := c.Act.At
	switch {
	case p.Mode == Spectator:
		return NotAllowed, false
	case !p.inReach(at):
		return TooFar, false
	case !pr.sees(p, at):
		return NotAllowed, false
	case !pr.rate(&p.NextPlace, placeEvery, placeSlack):
		return Cooldown, false
	}
	pr.event(p.Handle, &p.Body, EventSwing)
	ask := Remote{
		Kind: RemoteOpen, From: pr.pos, Player: p.ID, Seq: c.Seq, At: at, Block: b, Body: p.Body.Pos, Mode: p.Mode, Operator: p.Operator,
	}
	if !pr.owns(at) {
		pr.changes.Remotes = append(pr.changes.Remotes, ask)
		return Done, true
	}
	return pr.blockRules.turnHere(&ask), false
}

// turnHere opens or closes something that is as the player saw it.
func (br *blockRules) turnHere(r *Remote) Refusal {
	b, ok := br.Block(r.At)
	if !ok || !br.owns(r.At) {
		return NotLoaded
	}
	other := otherHalf(r.At, b)
	next := b.with(pack.Open)
	switch {
	case b != r.Block || !b.Opens() || b.IsDoor() && !doorStands(&br.regionBlocks, r.At, b):
		return NoSuchBlock
	case next.Solid() && (br.occupied(r.At, next) || b.IsDoor() && br.occupied(other, next)):
		return Occupied
	}
	br.set(r.At, next)
	if b.IsDoor() {
		br.set(other, next.with(pack.Upper))
	}
	return Done
}
