package overlaylab

import (
	"context"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// TestOverlayStructure: the experiment holds and is the same for the same seed.
func TestOverlayStructure(t *testing.T) {
	var traces [2]string
	for i := range traces {
		trial := &lab.Trial{Context: context.Background(), Seed: 5, Set: map[string]string{"iad": "20", "r": "9", "hours": "0.2", "narrow": "yes"}}
		if err := runOverlayStructure(trial); err != nil {
			t.Fatal(err)
		}
		traces[i] = trial.Facts[0].Text
	}
	if traces[0] != traces[1] {
		t.Fatalf("two runs with one seed: %s and %s", traces[0], traces[1])
	}
}

// TestOverlayHops: nothing goes astray in a quiet network, hardly anything is
// lost while nodes come and go, and nothing is received twice.
func TestOverlayHops(t *testing.T) {
	r, err := hopsRun{Nodes: 30, R: 4, Messages: 60, Session: 4, Silent: 3, Ping: 10, Seed: 3}.Do(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	q := r.Quiet
	if q.Nodes != 30 || q.Unicasts != 60 || q.Areacasts != 60 || q.UnicastsWrong+q.AreacastsWrong != 0 {
		t.Errorf("in a quiet network: %+v", q)
	}
	if q.Hops <= 0 || r.Most < r.P99 || r.P99 < q.Hops || r.DepthMost < r.Depth || q.Receivers < 1 {
		t.Errorf("hops: %+v", r)
	}
	if r.Sent != 60 || r.Got < 54 || r.Wanted == 0 || r.Had*10 < r.Wanted*9 || r.Twice+r.Again > 0 {
		t.Errorf("under churn: %+v", r)
	}
}
