package world

// Buckets take a source up and pour it out again. Both sides of that are in one step, so it
// is done in the player's own region only.

// isBucket are the things that something is full of when it is full.
var isBucket = emptyBuckets()

func emptyBuckets() map[Block]bool {
	out := map[Block]bool{}
	for i := range blockTable {
		if h := blockTable[i].Holds; h.Fluid != 0 {
			out[Block(h.Empty)] = true
		}
	}
	return out
}

// full returns an empty bucket with a fluid in it; ok is false if there is no such thing.
func full(empty, fluid Block) (b Block, ok bool) {
	for i := range blockTable {
		if h := blockTable[i].Holds; h.Fluid != 0 && Block(h.Empty) == empty && Block(h.Fluid) == fluid {
			return Block(i), true
		}
	}
	return Air, false
}

// scoops looks whether a player can use a bucket at a place. A storage that counts what each
// player has won does not know of what is in buckets.
func (pr *playerRules) scoops(p *Player, at Pos) Refusal {
	_, ok := pr.Block(at)
	switch {
	case p.Mode == Spectator || pr.cfg.OwnItems:
		return NotAllowed
	case !at.InWorld() || !ok:
		return NotLoaded
	case !p.inReach(at):
		return TooFar
	case !pr.owns(at):
		return Across
	case pr.barred(at, p.ID, p.Operator) != Done:
		return pr.barred(at, p.ID, p.Operator)
	case !pr.sees(p, at):
		return NotAllowed
	case !pr.rate(&p.NextPlace, placeEvery, placeSlack):
		return Cooldown
	}
	return Done
}

// fill takes the source that is aimed at into the bucket in the hand.
func (pr *playerRules) fill(p *Player, act *Act) Refusal {
	source, _ := pr.Block(act.At)
	with, ok := full(p.Items[act.A].Block, source)
	if !ok {
		return NoSuchBlock
	}
	if code := pr.scoops(p, act.At); code != Done {
		return code
	}
	if code := pr.swap(p, int(act.A), with); code != Done {
		return code
	}
	pr.blockRules.set(act.At, Air)
	return Done
}

// pour empties the bucket in the hand against the face of a block.
func (pr *playerRules) pour(p *Player, act *Act, source, empty Block) Refusal {
	at := act.At.Next(act.Face)
	if against, _ := pr.Block(act.At); against.Replaceable() {
		at = act.At
	}
	if code := pr.scoops(p, at); code != Done {
		return code
	}
	if there, _ := pr.Block(at); !there.Replaceable() {
		return NotReplaceable
	}
	if code := pr.swap(p, int(act.A), empty); code != Done {
		return code
	}
	pr.blockRules.set(at, source)
	return Done
}

// swap makes one thing in a slot another.
func (pr *playerRules) swap(p *Player, slot int, into Block) Refusal {
	pr.event(p.Handle, &p.Body, EventSwing)
	if p.Mode == Creative {
		return Done
	}
	next := p.Items
	next.takeAt(slot, 1)
	if next[slot].Count == 0 {
		next[slot] = Stack{into, 1}
	} else if left, _ := next.Add(into, 1); left > 0 {
		return Occupied
	}
	pr.carry(p, &next)
	return Done
}
