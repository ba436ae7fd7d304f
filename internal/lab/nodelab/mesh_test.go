package nodelab

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

func TestMeshMeasures(t *testing.T) {
	slowtest.Skip(t, "starts a browser")
	var out bytes.Buffer
	err := lab.Run(context.Background(), Mesh, lab.Options{Set: map[string]string{"edge": "4"}, Report: &out}, func(s string) { t.Log(s) })
	if errors.Is(err, errNoBrowser) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "median_ms") {
		t.Errorf("report:\n%s", out.String())
	}
	t.Log(out.String())
}
