package lab

import (
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// sampled is a CPU profile as pprof writes it: for each sample how long it stands
// for, and its labels.
func sampled(packed bool, texts []string, samples ...[]uint64) (b []byte) {
	number := func(b []byte, n protowire.Number, v uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
	}
	bytes := func(b []byte, n protowire.Number, v []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
	}
	b = number(b, 12, 10_000_000) // the period, which nobody asks for
	for _, s := range samples {
		var one []byte
		one = bytes(one, 1, []byte{1, 2}) // where it was
		if packed {                       // Go writes two numbers one by one
			one = bytes(one, sampleValue, protowire.AppendVarint([]byte{1}, s[0]))
		} else {
			one = number(number(one, sampleValue, 1), sampleValue, s[0])
		}
		for i := 1; i < len(s); i += 2 {
			one = bytes(one, sampleLabel, number(number(nil, labelKey, s[i]), labelString, s[i+1]))
		}
		b = bytes(b, profileSample, one)
	}
	for _, t := range texts { // behind the samples, as pprof has them
		b = bytes(b, profileStrings, []byte(t))
	}
	return b
}

func TestReadProfile(t *testing.T) {
	texts := []string{"", "other", nodeLabel, "0", "17"}
	for _, packed := range []bool{false, true} {
		b := sampled(packed, texts, []uint64{10, 2, 3}, []uint64{300, 1, 4, 2, 4}, []uint64{5, 1, 4}, []uint64{7}, []uint64{20, 2, 3})
		by, rest, err := readProfile(b)
		if err != nil || len(by) != 2 || by[0] != 30 || by[17] != 300 || rest != 12 {
			t.Errorf("packed %v: %v, of nobody %d, %v", packed, by, rest, err)
		}
		for i := range b {
			_, _, _ = readProfile(b[:i]) // says so or not, but does not panic
		}
	}
	if _, _, err := readProfile(sampled(true, []string{"", nodeLabel, "x"}, []uint64{1, 1, 2})); err == nil {
		t.Error("a node that has no number")
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
