package node

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// purse is a slot of a settler's inventory that its acts fill and empty one by
// one: how much is in it tells whether an act was done twice, or not at all.
type purse struct {
	least, most int  // coins in it
	minted      bool // there is one more, in the mint
}

const (
	purseSlot = world.Carried - 1 // what is crafted comes into slots before it, and is taken from it first
	mintSlot  = world.Carried - 2
	fullPurse = 90

	slabsOfOak = 7 // the recipe that takes one block of planks
)

// deal is an act that concerns the purse.
type deal uint8

const (
	mint  deal = iota + 1 // a coin lies in the mint
	save                  // from there into the purse
	spend                 // out of the purse, for slabs
)

// trade asks for the next deal, when the one before has ended.
func (w *settler) trade() {
	for _, p := range w.pending {
		if p.deal != 0 {
			return
		}
	}
	switch p := &w.purse; {
	case p.least > 0 && (p.most >= fullPurse || w.rand.OneIn(3)):
		w.deal(spend, w.act(world.ActCraft, world.Pos{}, 0, slabsOfOak, 1))
	case p.minted:
		w.deal(save, w.act(world.ActMoveItem, world.Pos{X: 1}, 0, mintSlot, purseSlot))
	default:
		w.deal(mint, w.act(world.ActPick, world.Pos{}, 0, int(world.OakPlanks), mintSlot))
	}
}

func (w *settler) deal(d deal, seq uint32) {
	w.ask(nil, 0, seq)
	w.pending[seq].deal = d
}

// dealt takes the end of a deal. Whether there is something to save or to spend
// is known before it is asked for.
func (w *settler) dealt(d deal, m *region.ActResult) {
	p := &w.purse
	switch {
	case !m.OK:
		if m.Reason == string(world.NoItem) || m.Reason == string(world.NotAllowed) {
			w.wrong = append(w.wrong, fmt.Sprintf("%.2f s: %s: act %d, deal %d of a purse of %+v: %s", w.since(w.env.Now()), w.name, m.Seq, d, *p, m.Reason))
		}
	case d == mint:
		p.minted = true
	case d == save:
		p.minted = false
		p.least, p.most = p.least+1, p.most+1
	case d == spend:
		p.least, p.most = p.least-1, p.most-1
	}
}

// unclear is when nobody will say what became of a deal.
func (p *purse) unclear(d deal) {
	switch d {
	case save:
		p.most++
	case spend:
		p.least--
	}
	if d == mint || d == save {
		p.minted = false
	}
}

// count looks into the purse.
func (w *settler) count(m *region.Inventory) {
	if len(m.Slots) < world.Slots {
		return
	}
	for _, p := range w.pending {
		if p.deal != 0 {
			return
		}
	}
	p, n := &w.purse, int(m.Slots[purseSlot].Count)
	if n < p.least || n > p.most {
		w.wrong = append(w.wrong, fmt.Sprintf("%.2f s: %s has %d coins, there should be %d to %d", w.since(w.env.Now()), w.name, n, p.least, p.most))
	}
	p.least, p.most = n, n
}
