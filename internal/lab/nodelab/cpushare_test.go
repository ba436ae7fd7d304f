package nodelab

import (
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// Samples of a node's goroutines are the node's, all others nobody's; of a sample's
// values the last is its time.
func TestSharesOf(t *testing.T) {
	sample := func(took int64, labels ...string) *profile.Sample {
		s := &profile.Sample{Value: []int64{1, took}, Label: map[string][]string{}}
		for i := 0; i < len(labels); i += 2 {
			s.Label[labels[i]] = []string{labels[i+1]}
		}
		return s
	}
	by, rest := sharesOf(&profile.Profile{Sample: []*profile.Sample{
		sample(10, nodeLabel, "0"), sample(300, "other", "17", nodeLabel, "17"), sample(5, "other", "17"),
		sample(7), sample(20, nodeLabel, "0"), sample(2, nodeLabel, "x"),
	}})
	if len(by) != 2 || by[0] != 30 || by[17] != 300 || rest != 14 {
		t.Errorf("%v, of nobody %d", by, rest)
	}
}

func TestCosts(t *testing.T) {
	loops := []float64{0.1, 0.3, 0}
	for _, c := range []struct {
		by   map[int]time.Duration
		want [3]float64
	}{
		{map[int]time.Duration{0: 3 * time.Second, 2: time.Second}, [3]float64{1.5, 0, 0.5}},
		{nil, [3]float64{0.5, 1.5, 0}},
	} {
		for i, got := range costs(2, c.by, loops) {
			if d := got.cpu - c.want[i]; d > 1e-9 || d < -1e-9 || got.loop != loops[i] {
				t.Errorf("%v: node %d took %v", c.by, i, got)
			}
		}
	}
}
