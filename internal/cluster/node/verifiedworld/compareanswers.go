package verifiedworld

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// compareAnswers compares the answers about an update, cell by cell. A node
// whose answer contradicts more than half of the zones is accused, once for
// each update.
func (k *storageAdapter) compareAnswers(of int64) {
	list := slices.DeleteFunc(k.heard, func(h heard) bool { at, ok := h.answer.of(); return !ok || at != of })
	k.heard = nil
	slices.SortStableFunc(list, func(a, b heard) int {
		x, y := a.answer.By(), b.answer.By()
		return cmp.Or(cmp.Compare(a.answer.asked(), b.answer.asked()), cmp.Compare(a.zone, b.zone), slices.Compare(x[:], y[:]))
	})
	accused := map[id.ID]bool{}
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].answer.asked() == list[0].answer.asked() {
			n++
		}
		k.compareRetrieval(of, list[:n], accused)
		list = list[n:]
	}
}

// compareRetrieval compares answers to one retrieval, which are in order.
func (k *storageAdapter) compareRetrieval(of int64, list []heard, accused map[id.ID]bool) {
	world := k.Rules.World()
	for _, at := range cells(list, world) {
		x, y := at.X, at.Y
		most := agreeingAnswers{}
		said := map[state.Digest]*agreeingAnswers{}
		for _, h := range list {
			d, ok := h.answer.tells(x, y, world, of)
			if !ok {
				continue
			}
			v := said[d]
			if v == nil {
				v = &agreeingAnswers{digest: d}
				said[d] = v
			}
			if n := len(v.zones); n == 0 || v.zones[n-1] != h.zone {
				v.zones, v.answers = append(v.zones, h.zone), append(v.answers, h.answer)
			}
			if len(v.zones) > len(most.zones) {
				most = *v
			}
		}
		if 2*len(most.zones) <= k.stats.Zones {
			continue
		}
		for _, h := range list {
			if who := h.answer.By(); !accused[who] && !h.answer.agrees(most.answers[0], x, y, world) {
				accused[who] = true
				k.accuse(&Contradiction{Of: of, X: x, Y: y, Accused: h.answer, Others: most.answers})
			}
		}
	}
}

// agreeingAnswers are the answers that say the same of a cell, one of each zone.
type agreeingAnswers struct {
	digest  state.Digest
	zones   []int
	answers []*Answer
}

// cells are the cells that any of the answers is about, row by row.
func cells(list []heard, w state.World) (out []messages.CellAt) {
	for _, h := range list {
		out = append(out, h.answer.Result.(*messages.Result).Cells(w)...)
	}
	slices.SortFunc(out, func(a, b messages.CellAt) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) })
	return slices.Compact(out)
}

// accuse hands evidence on; the people hear of a node now and then.
func (k *storageAdapter) accuse(c *Contradiction) {
	who, now := c.Accused.By(), k.l.Env.Now()
	k.stats.False++
	a := StorerAccusation{When: now, Of: c.Of, Zones: len(c.Others), Proofs: k.stats.Accused[who].Proofs + 1, Serial: c.Accused.Certificate.Serial}
	if k.Played != nil {
		a.Region = k.Played.RegionOf(c.X, c.Y)
	}
	k.stats.Accused[who] = a
	if k.Report != nil {
		k.Report(c)
	}
	if last, told := k.accusedAt[who]; !told || now.Sub(last) > noteEvery {
		k.accusedAt[who] = now
		k.l.Note(fmt.Sprintf("Node %s says otherwise than %d of %d zones what the world is at update %d.", who.Short(), len(c.Others), k.stats.Zones, c.Of))
	}
}
