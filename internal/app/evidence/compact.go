package evidence

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Compact returns lines of files that have become too long, in their order and of at most so
// many bytes: of each accused the shortest that is a proof, else the shortest. Longer ones go
// first, so that who has itself convicted with much evidence, or with many keys and long
// proofs, does not push out what others have done.
func Compact(most int, in ...io.Reader) ([]byte, error) {
	type kept struct {
		line  []byte
		proof bool
		at    int // in which place it was
	}
	of, n := map[id.ID]kept{}, 0
	for _, r := range in {
		err := Each(r, func(_ int, line []byte) {
			var l Line
			if json.Unmarshal(line, &l) != nil {
				return
			}
			n++
			x := kept{slices.Clone(line), l.ofLeader() || l.Charge == Tampered, n}
			if old, ok := of[l.By]; !ok || x.proof && !old.proof || x.proof == old.proof && len(x.line) < len(old.line) {
				of[l.By] = x
			}
		})
		if err != nil {
			return nil, err
		}
	}
	var list []kept
	for _, who := range id.Sorted(of) {
		list = append(list, of[who])
	}
	slices.SortStableFunc(list, func(a, b kept) int { return cmp.Compare(len(a.line), len(b.line)) })
	size := 0
	for i := range list {
		if size += len(list[i].line) + 1; size > most {
			list = list[:i]
			break
		}
	}
	slices.SortFunc(list, func(a, b kept) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	for _, x := range list {
		out = append(append(out, x.line...), '\n')
	}
	return out, nil
}
