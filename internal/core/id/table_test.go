package id

import (
	"math/rand/v2"
	"testing"
)

// TestTable compares a table with a map while values come, are replaced and go.
// Few different heads, many of them next to each other, make long chains.
func TestTable(t *testing.T) {
	for seed := range uint64(50) {
		draw := rand.New(rand.NewPCG(seed, 1))
		heads := make([]uint64, 4+draw.IntN(200))
		for i := range heads {
			switch heads[i] = uint64(i); i % 3 {
			case 1:
				heads[i] = draw.Uint64()
			case 2:
				heads[i] = uint64(i) << 60
			}
		}
		var table Table[int]
		want := map[uint64]*int{}
		for step := range 3000 {
			head := heads[draw.IntN(len(heads))]
			if draw.IntN(2) == 0 {
				table.Put(head, &step)
				want[head] = &step
			} else {
				table.Delete(head)
				delete(want, head)
			}
			if table.Len() != len(want) {
				t.Fatalf("seed %d, step %d: %d values, want %d", seed, step, table.Len(), len(want))
			}
			for _, h := range heads {
				if table.Get(h) != want[h] {
					t.Fatalf("seed %d, step %d: wrong value for %x after %x", seed, step, h, head)
				}
			}
		}
	}
}
