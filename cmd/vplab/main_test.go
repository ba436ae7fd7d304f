package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/catalog"
)

// TestMain lets experiments that are tested here start this program again.
func TestMain(m *testing.M) {
	catalog.Become()
	m.Run()
}

func vplab(args string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(context.Background(), strings.Fields(args), &o, &e)
	return code, o.String(), e.String()
}

func TestUsageErrors(t *testing.T) {
	for args, says := range map[string]string{
		"nosuch":              "unknown command",
		"run":                 "usage: vplab run NAME",
		"run nosuch":          "nosuch",
		"run terrain --set x": "NAME=VALUE",
		"list --nosuch":       "vplab list --help",
		"merge --out x":       "usage: vplab merge DIR",

		"lie --join 192.0.2.1 --lie x": "there is no lie",
		"lie --join vp-x":              "malformed",

		"run all --out x --shard 3/3":   "want one from 0 to 2",
		"run all --out x --shard 1":     "want I/N",
		"run all --out x --shard 1/2x":  "want I/N",
		"run all --out x --size huge":   "full or short",
		"run all --out x --only nosuch": "no part begins",
		"merge --out x testdata/nosuch": "campaign.json",
	} {
		if code, _, errs := vplab(args); code != host.ExitUsage || !strings.Contains(errs, says) {
			t.Errorf("%s: exit code %d, want %d; it says %q, want %q in it", args, code, host.ExitUsage, errs, says)
		}
	}
}

// TestList: every experiment is listed with its settings.
func TestList(t *testing.T) {
	code, out, errs := vplab("list")
	if code != host.ExitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, e := range catalog.Experiments() {
		if !strings.Contains(out, e.Name) {
			t.Errorf("%s is not listed", e.Name)
		}
		for _, s := range e.Settings {
			if !strings.Contains(out, "--set "+s.Name+"="+s.Default) {
				t.Errorf("%s: setting %s is not listed", e.Name, s.Name)
			}
		}
	}
}
