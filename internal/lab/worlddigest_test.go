package lab

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// The same seed gives the same simulation, and the results
// of a deterministic experiment are the same bytes.
func TestWorldDigestIsTheSame(t *testing.T) {
	var files [2][]byte
	for i := range files {
		name := filepath.Join(t.TempDir(), "r.json")
		o := Options{Seed: 7, JSON: name, Report: new(bytes.Buffer), Set: map[string]string{"seconds": "20", "players": "4"}}
		if err := Run(context.Background(), "world-digest", o, nil); err != nil {
			t.Fatal(err)
		}
		var err error
		if files[i], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Errorf("two runs, two results:\n%s\n%s", files[0], files[1])
	}
}
