package world

import "github.com/voxelpopuli/voxelpopuli/internal/game/pack"

// Signed edits: what a player has done in a region that is played is done again
// where the world is replayed from what was signed (internal/verified/voxelrules). There are
// no bodies there, so only the block's side of the act is checked, and blocks
// that move by themselves may have moved otherwise.

// Drifts reports whether a block comes and goes by itself: it flows, falls,
// grows, burns, is opened or tilled, or goes when what it stands on does. When that happens depends on when
// the region was awake, so two replays of one world may differ in it for a time.
func Drifts(b Block) bool {
	in := Info(b)
	switch b {
	case Air, Grass, Dirt, SnowyGrass:
		return true
	}
	return in.Replaceable || in.Gravity || in.Fertile || in.Smelts > 0 || b.Opens() || in.Support != pack.SupportNone
}

// counted has for each block whether what players have of it follows from their edits alone:
// it neither comes by itself nor from mobs.
var counted = countedBlocks()

func countedBlocks() (out [BlockLimit]bool) {
	for b := range AllBlocks() {
		out[b] = !Drifts(b)
	}
	for b := range AllBlocks() {
		if Drifts(b) {
			out[Info(b).Drop] = false
		}
	}
	for _, b := range MobDrops() {
		out[b] = false
	}
	return out
}

// Counted reports whether what players have of a block follows from their edits alone.
func Counted(b Block) bool { return b < BlockLimit && counted[b] }

// again does a signed edit.
func (br *blockRules) again(c *Command) {
	ask := *c.Remote
	if ask.Code = br.redo(&ask); ask.Code == Done {
		br.did = &ask
	}
	br.result(c, ask.Code)
}

// redo checks the block's side of an edit and does it. Got becomes what is left
// of a block that was broken.
func (br *blockRules) redo(r *Remote) Refusal {
	now, ok := br.Block(r.At)
	_, breakable := DigTicks(r.Block, Survival, Air)
	switch {
	case !ok || !br.owns(r.At):
		return NotLoaded
	case !r.Block.Known():
		return NoSuchBlock
	case br.barred(r.At, r.Player, r.Operator) != Done:
		return br.barred(r.At, r.Player, r.Operator)
	}
	switch r.Kind {
	case RemoteBreak:
		if !breakable || now != r.Block && !(Drifts(now) && Drifts(r.Block)) {
			return NoSuchBlock
		}
		r.Got = Info(r.Block).Drop
		br.set(r.At, Air)
	case RemotePlace:
		if !r.Block.Placeable() {
			return NoSuchBlock
		}
		if !Drifts(now) {
			return NotReplaceable
		}
		if r.Block.IsDoor() {
			return br.placeDoor(r)
		}
		if r.Block.IsBed() {
			return br.placeBed(r)
		}
		if r.Block.Opens() {
			r.Block = doorFor(r.Block, r.At, r.Body)
		}
		br.set(r.At, r.Block)
	default:
		return NotAllowed
	}
	return Done
}
