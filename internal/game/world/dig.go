package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// DigTicks returns how many body steps, 20 a second, breaking a block takes.
// Clients predict with it. A tool for the block that is held makes it faster.
// Breakable is false for what nobody can break.
func DigTicks(b Block, mode Mode, held Block) (ticks uint32, breakable bool) {
	hard, tool := Info(b).Hardness, Info(held).Tool
	switch {
	case hard == pack.Unbreakable || mode == Spectator:
		return 0, false
	case mode == Creative:
		return 0, true
	case tool.Kind != "" && tool.Kind == Info(b).Dig.Kind:
		return (uint32(hard) + uint32(tool.Speed) - 1) / uint32(tool.Speed), true
	}
	return uint32(hard), true
}

// dig begins to break a block. The result comes when it is broken.
//
// It is as long as the body steps that the player makes meanwhile: client and
// node count the same ones, however late and at once they come, so that a player
// whose pictures are few has the block when the client shows it. No more steps
// are run than ticks have passed (Credit). An act may be overtaken by the steps
// behind it, which count as well (Late); but no step counts for two digs.
func (pr *playerRules) dig(p *Player, c *Command) (code Refusal, later bool) {
	pr.stopDig(p)
	at := c.Act.At
	b, ok := pr.Block(at)
	need, breakable := DigTicks(b, p.Mode, p.Held())
	switch {
	case p.Mode == Spectator || c.Act.Face >= faceCount:
		return NotAllowed, false
	case !ok:
		return NotLoaded, false
	case !p.inReach(at):
		return TooFar, false
	case !breakable:
		return NoSuchBlock, false
	case pr.barred(at, p.ID, p.Operator) != Done:
		return pr.barred(at, p.ID, p.Operator), false
	case !pr.sees(p, at):
		return NotAllowed, false
	case need == 0 && !pr.rate(&p.NextPlace, placeEvery, placeSlack):
		return Cooldown, false
	}
	pr.event(p.Handle, &p.Body, EventSwing)
	p.Dig = Dig{Active: true, At: at, Block: b, Face: c.Act.Face, Seq: c.Seq, Need: need}
	if late := min(c.Late, p.LastSeq-p.DugTo, inputBurst); late > 0 {
		p.Dig.Done, p.DugTo = uint64(late), p.LastSeq
	}
	if p.Dig.Done >= uint64(need) {
		pr.finishDig(p)
	} else {
		pr.changes.Cracks = append(pr.changes.Cracks, Crack{at, uint8(p.Dig.Done * 10 / uint64(need))})
	}
	return Done, true
}

// stopDig lets go of a block that is not broken yet.
func (pr *playerRules) stopDig(p *Player) {
	if p.Dig.Active {
		pr.endDig(p, Stopped)
	}
}

// keepDigging goes on with a dig by a body step and shows how far it is.
func (pr *playerRules) keepDigging(p *Player) {
	d := &p.Dig
	if !d.Active {
		return
	}
	if b, _ := pr.Block(d.At); b != d.Block || !p.inReach(d.At) {
		code := NoSuchBlock
		if b == d.Block {
			code = TooFar
		}
		pr.endDig(p, code)
		return
	}
	if need, _ := DigTicks(d.Block, p.Mode, p.Held()); need != d.Need {
		pr.endDig(p, Stopped) // another tool is in the hand: the client begins anew
		return
	}
	d.Done++
	p.DugTo = p.LastSeq
	if d.Done >= uint64(d.Need) {
		if !pr.sees(p, d.At) {
			pr.endDig(p, NotAllowed)
			return
		}
		pr.finishDig(p)
		return
	}
	if stage := d.Done * 10 / uint64(d.Need); stage != (d.Done-1)*10/uint64(d.Need) {
		pr.changes.Cracks = append(pr.changes.Cracks, Crack{d.At, uint8(stage)})
	}
}

// finishDig breaks the block, or asks the region that it lies in to.
func (pr *playerRules) finishDig(p *Player) {
	ask := Remote{
		Kind: RemoteBreak, From: pr.pos, Player: p.ID, Seq: p.Dig.Seq, At: p.Dig.At, Face: p.Dig.Face,
		Block: p.Dig.Block, Body: p.Body.Pos, Mode: p.Mode, Operator: p.Operator, Got: Harvest(p.Dig.Block, p.Held()),
	}
	dug := p.Dig
	if !pr.owns(ask.At) && ask.At.InWorld() {
		p.Dig = Dig{}
		pr.wearBy(p, &dug)
		pr.changes.Remotes = append(pr.changes.Remotes, ask)
		return
	}
	got, code := pr.blockRules.breakHere(&ask)
	if code == Done && got != Air && p.Mode != Creative {
		pr.give(p, got, 1)
	}
	if code == Done {
		ask.Got, pr.did = got, &ask
		pr.wearBy(p, &dug)
	}
	pr.endDig(p, code)
}

// wearBy wears a tool by a block that did not break at once.
func (pr *playerRules) wearBy(p *Player, d *Dig) {
	if d.Need > 0 {
		pr.wear(p, d.At)
	}
}

func (pr *playerRules) endDig(p *Player, code Refusal) {
	pr.changes.Results = append(pr.changes.Results, Result{p.ID, CmdAct, p.Dig.Seq, code, pr.did})
	pr.did = nil
	pr.changes.Cracks = append(pr.changes.Cracks, Crack{p.Dig.At, NoCrack})
	p.Dig = Dig{}
}

// breakHere checks the block's side of breaking, and breaks. It returns what is
// left of the block: what it drops, if the player's tool harvests that (Remote.Got).
func (br *blockRules) breakHere(r *Remote) (got Block, code Refusal) {
	b, ok := br.Block(r.At)
	_, breakable := DigTicks(b, r.Mode, Air)
	switch {
	case !ok || !br.owns(r.At):
		return Air, NotLoaded
	case b != r.Block || !breakable:
		return Air, NoSuchBlock
	case br.barred(r.At, r.Player, r.Operator) != Done:
		return Air, br.barred(r.At, r.Player, r.Operator)
	}
	if !br.cfg.OwnItems {
		br.unlock(r.At)
	}
	if !br.itemRules.spill(r.At, r.Player) {
		return Air, TooMany
	}
	br.set(r.At, Air)
	rare := uint64(Info(b).Rare)
	if r.Got != Info(b).Drop || rare > 0 && rng.Hash(br.cfg.Seed, uint64(uint32(r.At.X)), uint64(uint32(r.At.Y)), uint64(uint32(r.At.Z)), br.tick)%rare > 0 {
		return Air, Done
	}
	return r.Got, Done
}

// blockBox returns the space that bodies cannot enter if b is at a place.
func blockBox(at Pos, b Block) box {
	x, y, z := fixed.Int(int(at.X)), fixed.Int(int(at.Y)), fixed.Int(int(at.Z))
	return box{x, y, z, x + fixed.One, y + Info(b).Tall, z + fixed.One}
}
