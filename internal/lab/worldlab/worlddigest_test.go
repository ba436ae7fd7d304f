package worldlab

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// The same seed gives the same simulation, and the results
// of a deterministic experiment are the same bytes.
func TestWorldDigestIsTheSame(t *testing.T) {
	var files [2][]byte
	for i := range files {
		name := filepath.Join(t.TempDir(), "r.json")
		o := lab.Options{Seed: 7, JSON: name, Report: new(bytes.Buffer), Set: map[string]string{"seconds": "20", "players": "4"}}
		if err := lab.Run(context.Background(), Digest, o, nil); err != nil {
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
