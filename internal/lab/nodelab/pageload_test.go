package nodelab

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab/labtest"
)

func TestPageLoadMeasures(t *testing.T) {
	if _, err := FindBrowser(); err != nil {
		t.Skip(err)
	}
	r, _ := labtest.RunProcesses(t, PageLoad, map[string]string{"visits": "1"})
	if r.Metric("ready_s") <= 0 || r.Metric("gzip_kb") <= 0 {
		t.Errorf("metrics %+v", r.Metrics)
	}
}
