package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestDist packs this very test as if it were the program, twice: the bytes are the
// same, the archives hold the program, and its parts are listed.
func TestDist(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("..") // as go run does
	dir := t.TempDir()
	for _, of := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64.exe", "windows-arm64.exe"} {
		copyTo(t, self, filepath.Join(dir, "voxelpopuli-"+of))
	}
	if err := os.WriteFile(filepath.Join(dir, "voxelpopuli-linux-amd64.deb"), []byte("a package"), 0o644); err != nil {
		t.Fatal(err)
	}
	sums := filepath.Join(dir, "SHA256SUMS")
	var before []byte
	for range 2 {
		if err := run(dir, "v1.2.3"); err != nil {
			t.Fatal(err)
		}
		now, err := os.ReadFile(sums)
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && !bytes.Equal(before, now) {
			t.Errorf("the second run gives other bytes:\n%s%s", before, now)
		}
		before = now
	}
	if n := strings.Count(string(before), "\n"); n != 19 {
		t.Errorf("%d files:\n%s", n, before)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if got := inTar(t, filepath.Join(dir, "voxelpopuli-linux-amd64.tar.gz"))["voxelpopuli/voxelpopuli"]; !bytes.Equal(got, program) {
		t.Errorf("the archive has %d bytes of %d of the program", len(got), len(program))
	}
	z, err := zip.OpenReader(filepath.Join(dir, "voxelpopuli-windows-amd64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if f := z.File[0]; f.Name != "voxelpopuli/voxelpopuli.exe" || f.UncompressedSize64 != uint64(len(program)) || len(z.File) != 4 {
		t.Errorf("the archive has %s of %d bytes and %d files", f.Name, f.UncompressedSize64, len(z.File))
	}
	checkManifests(t, filepath.Join(dir, "manifests"), sumsOf(t, string(before)))
	b, err := os.ReadFile(filepath.Join(dir, "voxelpopuli-linux-amd64.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list parts
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatal(err)
	}
	if list.Metadata.Component.Version != "v1.2.3" || !strings.Contains(string(b), `"pkg:golang/std@1.`) || !strings.Contains(string(b), `"pkg:npm/three@0.`) {
		t.Errorf("the parts: %s", b)
	}
}

// sumsOf are the checksums of archives, by the system and machine.
func sumsOf(t *testing.T, sums string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for line := range strings.Lines(sums) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		of, kind, _ := strings.Cut(strings.TrimPrefix(name, "voxelpopuli-"), ".")
		if kind == "tar.gz" || kind == "zip" {
			out[of] = sum
		}
	}
	return out
}

func inTar(t *testing.T, name string) map[string][]byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if out[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}
