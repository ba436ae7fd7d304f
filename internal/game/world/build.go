package world

import "github.com/voxelpopuli/voxelpopuli/internal/game/pack"

// place puts a block from the hot bar against the face of another.
func (pr *playerRules) place(p *Player, c *Command) (code Refusal, later bool) {
	act := &c.Act
	if act.A < 0 || act.A >= HotBar || act.Face >= faceCount {
		return NotAllowed, false
	}
	stack := p.Items[act.A]
	switch in := Info(stack.Block); {
	case in.Tool.Kind == pack.Hoe:
		return pr.till(p, c)
	case stack.Count > 0 && in.Holds.Fluid != 0:
		return pr.pour(p, c, Block(in.Holds.Fluid), Block(in.Holds.Empty))
	case stack.Count > 0 && isBucket[stack.Block]:
		return pr.fill(p, c)
	}
	switch {
	case p.Mode == Spectator:
		return NotAllowed, false
	case stack.Count == 0:
		return NoItem, false
	case !stack.Block.Placeable():
		return NotAllowed, false
	case !p.inReach(act.At):
		return TooFar, false
	}
	against, ok := pr.Block(act.At)
	at, face := act.At.Next(act.Face), act.Face
	if against.Replaceable() {
		at, face = act.At, FaceUp
	}
	switch {
	case !ok:
		return NotLoaded, false
	case against == Air:
		return NoSuchBlock, false
	case !pr.sees(p, act.At) || !pr.sees(p, at):
		return NotAllowed, false
	case !pr.rate(&p.NextPlace, placeEvery, placeSlack):
		return Cooldown, false
	}
	ask := Remote{
		Kind: RemotePlace, From: pr.pos, Player: p.ID, Seq: c.Seq, At: at, Face: act.Face,
		Block: placedAs(stack.Block, at, face, act.B&placedUpper != 0, p.Body.Pos), Body: p.Body.Pos, Mode: p.Mode, Operator: p.Operator,
	}
	if !pr.owns(at) && at.InWorld() {
		pr.pay(p, int(act.A))
		pr.changes.Remotes = append(pr.changes.Remotes, ask)
		return Done, true
	}
	if code := pr.blockRules.placeHere(&ask); code != Done {
		return code, false
	}
	pr.pay(p, int(act.A))
	pr.did = &ask
	return Done, false
}

// pay takes what is placed out of the player's hand.
func (st *state) pay(p *Player, slot int) {
	st.event(p.Handle, &p.Body, EventSwing)
	if p.Mode != Creative {
		p.Items.takeAt(slot, 1)
		p.slots |= 1 << slot
	}
}

// placeHere checks the block's side of placing, and places.
func (br *blockRules) placeHere(r *Remote) Refusal {
	old, ok := br.Block(r.At)
	switch {
	case !r.At.InWorld() || !r.Block.Placeable():
		return NotAllowed
	case !ok:
		return NotLoaded
	case br.barred(r.At, r.Player, r.Operator) != Done:
		return br.barred(r.At, r.Player, r.Operator)
	case !old.Replaceable():
		return NotReplaceable
	case r.Block.IsDoor():
		return br.placeDoor(r)
	case r.Block.IsBed():
		return br.placeBed(r)
	case r.Block.Opens() && br.occupied(r.At, r.Block):
		return Occupied
	case r.Block.Opens():
		br.set(r.At, doorFor(r.Block, r.At, r.Body))
		return Done
	case !supported(&br.regionBlocks, r.At, r.Block):
		return NotAllowed
	case r.Block.Solid() && br.occupied(r.At, r.Block):
		return Occupied
	}
	br.set(r.At, r.Block)
	return Done
}

// occupied reports whether a body is where a block is to be.
func (st *state) occupied(at Pos, b Block) bool {
	c := blockBox(at, b)
	found := false
	st.nearPlayers(at.Centre(), 1, func(p *Player) bool {
		found = p.Mode != Spectator && p.Body.box(&human).meets(c)
		return !found
	})
	for _, m := range st.mobs {
		found = found || m.Body.box(m.build()).meets(c)
	}
	return found
}

// answer does what a neighbour asks for and lists the answer.
func (br *blockRules) answer(r Remote) {
	switch r.Kind {
	case RemotePlace:
		r.Code = br.placeHere(&r)
	case RemoteBreak:
		r.Got, r.Code = br.breakHere(&r)
	case RemoteOpen:
		r.Code = br.turnHere(&r)
	case RemoteTill:
		r.Code = br.tillHere(&r)
	case RemotePour:
		r.Code = br.pourHere(&r)
	case RemoteItem:
		r.Code = br.itemRules.takeItem(&r)
	default:
		r.Code = NotAllowed
	}
	br.changes.Answers = append(br.changes.Answers, r)
}

// Settle gives a player what an answer of a neighbour brings: what it paid for a
// block that was not placed, what is left of one that was broken, or its bucket. It returns
// how much of that found no room.
func (p *Player) Settle(r *Remote) (lost int) {
	won := Air
	switch {
	case p.Mode == Creative:
	case r.Kind == RemotePlace && r.Code != Done:
		won = r.Block.Carried()
	case r.Kind == RemotePour && r.Code != Done:
		won = bucketBefore(r)
	case (r.Kind == RemoteBreak || r.Kind == RemotePour) && r.Code == Done:
		won = r.Got
	}
	if won == Air {
		return 0
	}
	lost, changed := p.Items.Add(won, 1)
	p.slots |= changed
	return lost
}

// settle ends at home what a neighbour has answered.
func (pr *playerRules) settle(p *Player, r *Remote) {
	var did *Remote
	if r.Code == Done && r.Kind.Edits() {
		did = r
	}
	if p.Settle(r) > 0 {
		pr.changes.Notices = append(pr.changes.Notices, fullNotice(p))
	}
	pr.changes.Results = append(pr.changes.Results, Result{p.ID, CmdSettle, r.Seq, r.Code, did})
}

// give puts items into a player's inventory; what finds no room is lost, and the
// player is told.
func (st *state) give(p *Player, b Block, n int) {
	left, changed := p.Items.Add(b, n)
	p.slots |= changed
	if left > 0 {
		st.changes.Notices = append(st.changes.Notices, fullNotice(p))
	}
}

func fullNotice(p *Player) Notice {
	return Notice{p, "inventory-full", "Your inventory is full."}
}
