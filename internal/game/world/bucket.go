package world

// Buckets take a source up and pour it out again. Over a border the bucket is taken first,
// and comes back, full or empty, with the answer.

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
func (pr *playerRules) fill(p *Player, c *Command) (code Refusal, later bool) {
	source, _ := pr.Block(c.Act.At)
	with, ok := full(p.Items[c.Act.A].Block, source)
	if !ok {
		return NoSuchBlock, false
	}
	return pr.useBucket(p, c, c.Act.At, source, with)
}

// pour empties the bucket in the hand against the face of a block.
func (pr *playerRules) pour(p *Player, c *Command, source, empty Block) (code Refusal, later bool) {
	at := c.Act.At.Next(c.Act.Face)
	if against, _ := pr.Block(c.Act.At); against.Replaceable() {
		at = c.Act.At
	}
	return pr.useBucket(p, c, at, source, empty)
}

// useBucket fills or empties the bucket in the hand; then is what it is afterwards. A
// neighbour is asked for what lies in it, with the bucket on its way.
func (pr *playerRules) useBucket(p *Player, c *Command, at Pos, source, then Block) (code Refusal, later bool) {
	if code := pr.scoops(p, at); code != Done {
		return code, false
	}
	ask := Remote{
		Kind: RemotePour, From: pr.pos, Player: p.ID, Seq: c.Seq, At: at, Face: c.Act.Face, Block: source, Got: then,
		Body: p.Body.Pos, Mode: p.Mode, Operator: p.Operator,
	}
	next := p.Items
	next.takeAt(int(c.Act.A), 1)
	if left, _ := next.Add(then, 1); left > 0 && p.Mode != Creative {
		return Occupied, false
	}
	if !pr.owns(at) {
		pr.pay(p, int(c.Act.A))
		pr.changes.Remotes = append(pr.changes.Remotes, ask)
		return Done, true
	}
	if code := pr.blockRules.pourHere(&ask); code != Done {
		return code, false
	}
	pr.swap(p, int(c.Act.A), then)
	return Done, false
}

// pourHere does the block's side of it.
func (br *blockRules) pourHere(r *Remote) Refusal {
	there, ok := br.Block(r.At)
	fills := Info(r.Got).Holds.Fluid != 0
	switch before := bucketBefore(r); {
	case !ok || !br.owns(r.At):
		return NotLoaded
	case before == Air || br.cfg.OwnItems:
		return NotAllowed
	case br.barred(r.At, r.Player, r.Operator) != Done:
		return br.barred(r.At, r.Player, r.Operator)
	case fills && there != r.Block:
		return NoSuchBlock
	case !fills && !there.Replaceable():
		return NotReplaceable
	case fills:
		br.set(r.At, Air)
	default:
		br.set(r.At, r.Block)
	}
	return Done
}

// bucketBefore is what a bucket was that is Got afterwards; Air if it is none.
func bucketBefore(r *Remote) Block {
	if h := Info(r.Got).Holds; h.Fluid != 0 {
		if Block(h.Fluid) != r.Block {
			return Air
		}
		return Block(h.Empty)
	}
	before, _ := full(r.Got, r.Block)
	return before
}

// swap makes one thing in a slot another, for which there is room.
func (pr *playerRules) swap(p *Player, slot int, into Block) {
	pr.event(p.Handle, &p.Body, EventSwing)
	if p.Mode == Creative {
		return
	}
	next := p.Items
	next.takeAt(slot, 1)
	if next[slot].Count == 0 {
		next[slot] = Stack{into, 1}
	} else {
		next.Add(into, 1)
	}
	pr.carry(p, &next)
}
