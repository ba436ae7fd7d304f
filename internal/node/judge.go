package node

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
)

// judge compares the answers about an update, cell by cell. Who says otherwise
// than more than half of the zones is accused, once for an update.
func (k *keeper) judge(of int64) {
	world := k.Rules.World()
	list := slices.DeleteFunc(k.heard, func(h heard) bool { return h.answer.Result.(*storage.Result).Seen.Of != of })
	k.heard = nil
	slices.SortStableFunc(list, func(a, b heard) int {
		x, y := a.answer.By(), b.answer.By()
		return cmp.Or(cmp.Compare(a.zone, b.zone), slices.Compare(x[:], y[:]))
	})
	accused := map[id.ID]bool{}
	for _, at := range cells(list) {
		most := voices{}
		said := map[storage.Digest]*voices{}
		for _, h := range list {
			d, ok := h.answer.tells(at[0], at[1], world, of)
			if !ok {
				continue
			}
			v := said[d]
			if v == nil {
				v = &voices{digest: d}
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
			if who := h.answer.By(); !accused[who] && !h.answer.agrees(most.answers[0], at[0], at[1], world) {
				accused[who] = true
				k.accuse(&Contradiction{Of: of, X: at[0], Y: at[1], Accused: h.answer, Others: most.answers})
			}
		}
	}
}

// voices are the answers that say the same of a cell, one of each zone.
type voices struct {
	digest  storage.Digest
	zones   []int
	answers []*Answer
}

// cells are the cells that any of the answers is about, row by row.
func cells(list []heard) (out [][2]int32) {
	for _, h := range list {
		s := h.answer.Result.(*storage.Result).Seen
		for y := s.Y; y < s.Y+s.H; y++ {
			for x := s.X; x < s.X+s.W; x++ {
				out = append(out, [2]int32{x, y})
			}
		}
	}
	slices.SortFunc(out, func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0])) })
	return slices.Compact(out)
}

// accuse hands evidence on; the people hear of a node now and then.
func (k *keeper) accuse(c *Contradiction) {
	who, now := c.Accused.By(), k.l.w.n.env.Now()
	k.stats.False++
	k.stats.Accused[who] = now
	if k.Report != nil {
		k.Report(c)
	}
	if last, told := k.told[who]; !told || now.Sub(last) > noteEvery {
		k.told[who] = now
		k.l.w.note(fmt.Sprintf("Node %s says otherwise than %d of %d zones what the world is at update %d.", who.Short(), len(c.Others), k.stats.Zones, c.Of))
	}
}
