package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestGoInstall publishes the commit that is checked out as a release, at a module proxy
// in a folder, and installs it from there as anybody does: with the page, and with the
// version that it was published as.
func TestGoInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the program")
	}
	const path, version = "github.com/voxelpopuli/voxelpopuli", "v0.0.1"
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	proxy := filepath.Join(dir, "proxy")
	at := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, b []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(at, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	info, err := json.Marshal(map[string]string{"Version": version, "Time": "2026-01-01T00:00:00Z"})
	if err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write("list", []byte(version+"\n"))
	write(version+".info", info)
	write(version+".mod", gomod)
	z, err := os.Create(filepath.Join(at, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(dir, "tree")
	checkOut(t, top, tree)
	if err := zip.CreateFromDir(z, module.Version{Path: path, Version: version}, tree); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	// A cache of its own, that nothing stays of, filled from the machine's.
	b, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	from := "file://" + filepath.ToSlash(proxy) + ",file://" + filepath.ToSlash(strings.TrimSpace(string(b))) + "/cache/download,https://proxy.golang.org,direct"
	out := filepath.Join(dir, "bin")
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOBIN="+out, "GOMODCACHE="+filepath.Join(dir, "cache"), "GOPROXY="+from, "GOSUMDB=off",
			"GOFLAGS=-trimpath -modcacherw", "CGO_ENABLED=0", "GOWORK=off")
		b, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, b)
		}
		return string(b)
	}
	run("go", "install", path+"/cmd/voxelpopuli@latest")
	program := filepath.Join(out, "voxelpopuli")
	if said := run(program, "version"); !strings.HasPrefix(said, "voxelpopuli "+version+",") {
		t.Errorf("it is %s", said)
	}
	run(program, "page", "--out", filepath.Join(dir, "page"))
	if _, err := os.Stat(filepath.Join(dir, "page", "main.js")); err != nil {
		t.Error(err)
	}
}

// checkOut writes what is committed into a folder.
func checkOut(t *testing.T, repository, to string) {
	t.Helper()
	b, err := exec.Command("git", "-C", repository, "archive", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(bytes.NewReader(b)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		name := filepath.Join(to, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
