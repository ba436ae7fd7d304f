// Package timing counts how long things take: histograms, and those of the last
// minute or two.
package timing

import (
	"math/bits"
	"time"
)

// Histogram counts durations in buckets that grow by an eighth: precise to
// about 6 %, from 1 µs up. The zero Histogram is empty.
type Histogram struct {
	Count   uint64
	Sum     time.Duration
	Max     time.Duration
	buckets [histogramSize]uint64
}

const histogramSize = 8 * 40

func bucketOf(d time.Duration) int {
	us := uint64(max(0, d) / time.Microsecond)
	if us < 16 {
		return int(us)
	}
	top := bits.Len64(us) - 1 // at least 4
	return min(histogramSize-1, (top-3)*8+int(us>>(top-3)))
}

// upper returns the upper end of a bucket.
func upper(i int) time.Duration {
	if i < 16 {
		return time.Duration(i+1) * time.Microsecond
	}
	top, low := i/8+2, i%8+8
	return time.Duration(low+1) << (top - 3) * time.Microsecond
}

// Add counts a duration.
func (h *Histogram) Add(d time.Duration) {
	h.Count++
	h.Sum += d
	h.Max = max(h.Max, d)
	h.buckets[bucketOf(d)]++
}

// Quantile returns a duration that the share q (0 to 1) of all counted ones do
// not exceed; 0 if nothing was counted.
func (h *Histogram) Quantile(q float64) time.Duration {
	need := uint64(q*float64(h.Count) + 0.5)
	var seen uint64
	for i, n := range h.buckets {
		if seen += n; seen >= need && n > 0 {
			return min(upper(i), h.Max)
		}
	}
	return h.Max
}

// Since returns what was counted after an earlier state of the same histogram.
// Max stays that of the whole time.
func (h *Histogram) Since(earlier *Histogram) Histogram {
	out := *h
	out.Count -= earlier.Count
	out.Sum -= earlier.Sum
	for i := range out.buckets {
		out.buckets[i] -= earlier.buckets[i]
	}
	return out
}

// Merge adds what another histogram has counted.
func (h *Histogram) Merge(g *Histogram) {
	h.Count += g.Count
	h.Sum += g.Sum
	h.Max = max(h.Max, g.Max)
	for i, n := range g.buckets {
		h.buckets[i] += n
	}
}
