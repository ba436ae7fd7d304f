package main

import (
	"encoding/json"
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
	if err := zip.CreateFromVCS(z, module.Version{Path: path, Version: version}, top, "HEAD", ""); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "bin")
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOBIN="+out, "GOFLAGS=-trimpath -modcacherw", "CGO_ENABLED=0", "GONOSUMDB="+path, "GOWORK=off",
			"GOPROXY=file://"+filepath.ToSlash(proxy)+","+or(os.Getenv("GOPROXY"), "https://proxy.golang.org,direct"))
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
	// The cache must not keep what nobody has published.
	cache := strings.TrimSpace(run("go", "env", "GOMODCACHE"))
	for _, p := range []string{filepath.Join(cache, path+"@"+version), filepath.Join(cache, "cache", "download", path)} {
		if err := os.RemoveAll(p); err != nil {
			t.Error(err)
		}
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
