package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
)

func TestPackCommands(t *testing.T) {
	p := program{t, t.TempDir()}
	t.Chdir(t.TempDir())
	p.ok("pack", "new", "quarry")
	checked := p.ok("pack", "check", "quarry")
	if !strings.Contains(checked, "Quarry (quarry): 3 blocks and items, 3 recipes, 1 mobs, 3 textures, no errors.") {
		t.Errorf("check: %q", checked)
	}
	built := p.ok("pack", "build", "quarry")
	if !strings.HasPrefix(built, checked) || p.ok("pack", "check", "quarry.zip") != checked {
		t.Errorf("build: %q; the folder: %q; the zip file: %q", built, checked, p.ok("pack", "check", "quarry.zip"))
	}

	content := filepath.Join("quarry", "content.json")
	b, err := os.ReadFile(content)
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(string(b), `"class": "cube"`, `"class": "sphere"`, 1)
	if err := os.WriteFile(content, []byte(wrong), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"check", "build"} {
		code, out, errs := p.run("pack", command, "quarry", "--out", "wrong.zip")
		if command == "check" {
			code, out, errs = p.run("pack", command, "quarry")
		}
		if code != host.ExitData || !strings.Contains(errs, `content.json:6: block marble: class is "sphere"`) || out != "" {
			t.Errorf("%s: exit code %d, %q, %s", command, code, out, errs)
		}
	}
	if _, err := os.Stat("wrong.zip"); err == nil {
		t.Error("a pack with errors was built")
	}
	for _, args := range [][]string{{"new", "Quarry"}, {"check", "nothing"}, {"build"}} {
		if code, _, errs := p.run(append([]string{"pack"}, args...)...); code != host.ExitUsage {
			t.Errorf("%v: exit code %d: %s", args, code, errs)
		}
	}
}
