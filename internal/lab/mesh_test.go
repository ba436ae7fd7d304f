package lab

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

func TestMeshMeasures(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	var out bytes.Buffer
	err := Run(context.Background(), "mesh", Options{Set: map[string]string{"edge": "4"}, Report: &out}, func(s string) { t.Log(s) })
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
