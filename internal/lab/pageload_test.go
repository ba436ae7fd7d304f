package lab

import (
	"testing"
)

func TestPageLoadMeasures(t *testing.T) {
	if _, err := findBrowser(); err != nil {
		t.Skip(err)
	}
	r, _ := runSmall(t, "page-load", map[string]string{"visits": "1"})
	if r.metric("ready_s") <= 0 || r.metric("gzip_kb") <= 0 {
		t.Errorf("metrics %+v", r.Metrics)
	}
}
