package host

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/evidence"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// TestEvidenceIsCompacted: a file that has become too long is set aside, with what was set
// aside before; a flood of one node pushes nothing out.
func TestEvidenceIsCompacted(t *testing.T) {
	name := filepath.Join(t.TempDir(), evidenceFile)
	line := func(who string) []byte {
		b, err := json.Marshal(evidence.Line{By: id.Of([]byte(who)), Charge: evidence.Replayed, Proof: make([]byte, 1000)})
		if err != nil {
			t.Fatal(err)
		}
		return append(b, '\n')
	}
	for round := range 3 {
		b := line("flood")
		if round == 0 {
			b = append(line("genuine"), b...)
		}
		for range 20 {
			b = append(b, line("flood")...)
		}
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := compactEvidence(name, 4000); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(name); !os.IsNotExist(err) {
			t.Errorf("the file is there still: %v", err)
		}
	}
	f, err := os.Open(name + ".old")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got []id.ID
	if err := evidence.Each(f, func(_ int, line []byte) {
		var l evidence.Line
		if json.Unmarshal(line, &l) == nil {
			got = append(got, l.By)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0] != id.Of([]byte("genuine")) {
		t.Errorf("kept is what there is about %v", got)
	}
}
