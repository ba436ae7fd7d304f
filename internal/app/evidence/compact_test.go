package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// TestCompact: much evidence against one node, or against many with long proofs, does not
// push out what there is against others, and nobody is left out while there is room.
func TestCompact(t *testing.T) {
	line := func(who string, charge string, size int) []byte {
		b, err := json.Marshal(Line{By: id.Of([]byte(who)), Charge: charge, Proof: make([]byte, size)})
		if err != nil {
			t.Fatal(err)
		}
		return append(b, '\n')
	}
	var old, now bytes.Buffer
	old.Write(line("genuine", Shown, 100))
	old.Write(line("genuine", Absent, 1))
	old.WriteString("no line\n")
	for range 50 {
		now.Write(line("flood", Absent, 2000))
	}
	for i := range 10 {
		now.Write(line(fmt.Sprint("key ", i), Replayed, 9000))
	}
	now.Write(line("other", Replayed, 300))
	const most = 60000
	b, err := Compact(most, &old, &now)
	if err != nil || len(b) > most {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	count := map[id.ID]int{}
	var first Line
	err = Each(bytes.NewReader(b), func(n int, line []byte) {
		var l Line
		if json.Unmarshal(line, &l) != nil {
			t.Errorf("line %d cannot be read", n)
		}
		if count[l.By]++; len(count) == 1 && count[l.By] == 1 {
			first = l
		}
	})
	long := 0
	for i := range 10 {
		long += count[id.Of(fmt.Append(nil, "key ", i))]
	}
	if err != nil || count[id.Of([]byte("flood"))] != 1 || count[id.Of([]byte("other"))] != 1 || long == 0 || long == 10 {
		t.Errorf("%v, %v, %d of the long ones", err, count, long)
	}
	if first.By != id.Of([]byte("genuine")) || first.Charge != Shown {
		t.Errorf("it begins with %v, %s", first.By, first.Charge)
	}
}
