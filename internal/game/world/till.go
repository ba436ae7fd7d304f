package world

// Fields. A hoe makes one of a block, and crops grow on it, twice as fast near water.
const waterReach = 4 // blocks from the field, sideways

// till makes a field with the hoe in a slot of the hot bar, or asks the region that the
// block lies in to.
func (pr *playerRules) till(p *Player, c *Command) (code Refusal, later bool) {
	at := c.Act.At
	b, ok := pr.Block(at)
	switch {
	case p.Mode == Spectator || Info(b).Tills == 0 || c.Act.A != int64(p.Selected):
		return NotAllowed, false
	case !ok:
		return NotLoaded, false
	case !p.inReach(at):
		return TooFar, false
	case !pr.sees(p, at):
		return NotAllowed, false
	case !pr.rate(&p.NextPlace, placeEvery, placeSlack):
		return Cooldown, false
	}
	ask := Remote{
		Kind: RemoteTill, From: pr.pos, Player: p.ID, Seq: c.Seq, At: at, Face: c.Act.Face, Block: b, Body: p.Body.Pos, Mode: p.Mode, Operator: p.Operator,
	}
	pr.event(p.Handle, &p.Body, EventSwing)
	if !pr.owns(at) {
		pr.wear(p, at)
		pr.changes.Remotes = append(pr.changes.Remotes, ask)
		return Done, true
	}
	if code = pr.blockRules.tillHere(&ask); code == Done {
		pr.wear(p, at)
	}
	return code, false
}

// tillHere makes a field of a block that is as the player saw it.
func (br *blockRules) tillHere(r *Remote) Refusal {
	b, ok := br.Block(r.At)
	above, loaded := br.Block(r.At.Next(FaceUp))
	switch {
	case !ok || !loaded || !br.owns(r.At):
		return NotLoaded
	case b != r.Block || Info(b).Tills == 0:
		return NoSuchBlock
	case br.barred(r.At, r.Player, r.Operator) != Done:
		return br.barred(r.At, r.Player, r.Operator)
	case !above.Replaceable():
		return NotAllowed
	}
	br.set(r.At, Block(Info(b).Tills))
	return Done
}

// growCrop lets a plant become what it grows into.
func (br *blockRules) growCrop(p Pos, b Block) {
	if !br.cfg.Static {
		br.set(p, Block(Info(b).Grows.Into))
	}
}

// watered reports whether water is near the block under a plant.
func (rb *regionBlocks) watered(p Pos) bool {
	for z := int32(-waterReach); z <= waterReach; z++ {
		for x := int32(-waterReach); x <= waterReach; x++ {
			if b, _ := rb.Block(p.Add(x, -1, z)); b.IsWater() {
				return true
			}
		}
	}
	return false
}
