package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
)

// TestWorldPacks: a world is made with packs, gets others and newer ones, and none that would
// lose what it has.
func TestWorldPacks(t *testing.T) {
	p := program{t, t.TempDir()}
	t.Chdir(t.TempDir())
	p.ok("pack", "new", "quarry")
	p.ok("world", "new", "plain", "--difficulty", "0")
	if out := p.ok("world", "packs", "plain"); out != "plain has the base pack alone.\n" {
		t.Error(out)
	}
	p.ok("world", "new", "castle", "--difficulty", "0", "--pack", "quarry")
	for _, name := range []string{"plain", "castle"} {
		p.ok("world", "packs", name, "--add", "quarry")
	}
	if out := p.ok("world", "packs", "plain"); !strings.Contains(out, "change 1 of its packs") || !strings.Contains(out, "3 blocks and items, 1 mobs") {
		t.Error(out)
	}
	content := filepath.Join("quarry", "content.json")
	was, err := os.ReadFile(content)
	if err != nil {
		t.Fatal(err)
	}
	write := func(old, now string) {
		t.Helper()
		if !strings.Contains(string(was), old) {
			t.Fatalf("no %q", old)
		}
		if err := os.WriteFile(content, []byte(strings.ReplaceAll(string(was), old, now)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(`"blocks": [`, `"blocks": [{"name": "slate", "class": "cube", "sound": "stone", "color": "#303030"},`)
	if out := p.ok("world", "packs", "castle", "--add", "quarry"); !strings.Contains(out, "change 3 of its packs") || !strings.Contains(out, "4 blocks and items") {
		t.Error(out)
	}
	write("quarry_hare", "meadow_hare")
	if err := os.Remove(filepath.Join("quarry", "texts", "de.json")); err != nil {
		t.Fatal(err)
	}
	code, _, errs := p.run("world", "packs", "castle", "--add", "quarry")
	if code != host.ExitData || !strings.Contains(errs, "which none of these packs has any more") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if out := p.ok("world", "packs", "castle"); !strings.Contains(out, "change 3 of its packs") {
		t.Error(out)
	}

	// Without its packs a world is not checked, nor played; with them it is.
	packs, err := filepath.Glob(filepath.Join(p.data, "packs", "*.zip"))
	if err != nil || len(packs) != 2 {
		t.Fatalf("%v, %v", packs, err)
	}
	for _, file := range packs {
		if err := os.WriteFile(file, []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, errs = p.apart("world", "check", "castle")
	if code != host.ExitData || !strings.Contains(errs, "a content pack is damaged") || !strings.Contains(errs, "--restore") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// apart runs a command in a process of its own: one has the packs of one world.
func (p program) apart(args ...string) (code int, errs string) {
	p.t.Helper()
	var e bytes.Buffer
	cmd := exec.CommandContext(p.t.Context(), os.Args[0], append([]string{"--data", p.data}, args...)...)
	cmd.Env, cmd.Stderr = append(os.Environ(), asProgram+"=1"), &e
	if err := cmd.Run(); cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), e.String()
}
