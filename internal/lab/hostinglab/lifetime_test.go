package hostinglab

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab/labtest"
)

// TestLifetimes: where no host of a region is an accomplice a lie is noticed within two
// seconds; where all are, auditors find lies that are repeated. Without visitors of honest
// nodes nobody finds them.
func TestLifetimes(t *testing.T) {
	set := map[string]string{"nodes": "200", "regions": "3000", "liars": "1", "minutes": "5"}
	r, _ := labtest.Run(t, Lifetime, set)
	if p99 := r.Metric("lie_life_p99_s"); p99 <= 0.3 || p99 > 2 {
		t.Errorf("1 %%: p99 %v s", p99)
	}
	set["liars"] = "30"
	r, _ = labtest.Run(t, Lifetime, set)
	if p99, never := r.Metric("lie_life_p99_s"), r.Metric("unnoticed_share"); p99 < 10 || never <= 0 || never > 0.05 {
		t.Errorf("30 %%: p99 %v s, %v unnoticed", p99, never)
	}
	set["liars"] = "100"
	if r, _ = labtest.Run(t, Lifetime, set); r.Metric("unnoticed_share") != 1 {
		t.Errorf("all lie, but %v are unnoticed", r.Metric("unnoticed_share"))
	}
}
