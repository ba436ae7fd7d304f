package timing

import (
	"testing"
	"time"
)

func TestHistogram(t *testing.T) {
	var h Histogram
	if h.Quantile(0.5) != 0 {
		t.Fatal("an empty histogram has a median")
	}
	for us := 1; us <= 100000; us++ {
		h.Add(time.Duration(us) * time.Microsecond)
	}
	for _, c := range []struct {
		q    float64
		want time.Duration
	}{{0.5, 50 * time.Millisecond}, {0.99, 99 * time.Millisecond}, {1, 100 * time.Millisecond}, {0.001, 100 * time.Microsecond}} {
		got := h.Quantile(c.q)
		if got < c.want || float64(got) > float64(c.want)*1.13 {
			t.Errorf("quantile %v is %v, want %v to an eighth above", c.q, got, c.want)
		}
	}
	h.Add(-time.Second)
	h.Add(100 * time.Hour)
	if h.Max != 100*time.Hour || h.Count != 100002 {
		t.Errorf("max %v, count %d", h.Max, h.Count)
	}
	for us := time.Duration(0); us < 1<<40; us = us*9/8 + 1 {
		if d := us * time.Microsecond; d > 0 && upper(bucketOf(d)) <= d && bucketOf(d) < histogramSize-1 {
			t.Fatalf("%v is not below the end of its bucket %v", d, upper(bucketOf(d)))
		}
	}
}

func TestWindow(t *testing.T) {
	var w Window
	w.Add(0, time.Millisecond)
	w.Add(50*time.Second, 2*time.Millisecond)
	w.Add(70*time.Second, 3*time.Millisecond)
	for _, c := range []struct {
		now   time.Duration
		count uint64
		max   time.Duration
	}{{70 * time.Second, 3, 3 * time.Millisecond}, {121 * time.Second, 1, 3 * time.Millisecond}, {200 * time.Second, 0, 0}} {
		if h := w.Recent(c.now); h.Count != c.count || h.Max != c.max {
			t.Errorf("at %v: %d counted, at most %v; want %d, %v", c.now, h.Count, h.Max, c.count, c.max)
		}
	}
}
