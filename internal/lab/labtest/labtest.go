// Package labtest runs experiments in tests.
package labtest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// RunProcesses runs an experiment that starts processes, if tests may take long.
func RunProcesses(t *testing.T, e lab.Experiment, set map[string]string) (r lab.Result, report string) {
	t.Helper()
	slowtest.Skip(t, "starts a node and a crowd")
	return Run(t, e, set)
}

// Run runs an experiment with these settings and returns its result and report.
func Run(t *testing.T, e lab.Experiment, set map[string]string) (r lab.Result, report string) {
	t.Helper()
	var out bytes.Buffer
	o := lab.Options{JSON: filepath.Join(t.TempDir(), "r.json"), Out: t.TempDir(), Report: &out, Set: set}
	if err := lab.Run(context.Background(), e, o, func(s string) { t.Log(s) }); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(o.JSON)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r, out.String()
}
