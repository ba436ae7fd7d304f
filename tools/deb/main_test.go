package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestDebVersion(t *testing.T) {
	for in, want := range map[string]string{
		"v1.2.3": "1.2.3", "1.2.3": "1.2.3", "v1.2.3-rc.1": "1.2.3~rc.1", "v1.2.3-4-gabc1234": "1.2.3+4+gabc1234",
		"v1.2.3-rc.1-4-gabc1234-dirty": "1.2.3~rc.1+4+gabc1234+dirty", "9b0d80b": "0~9b0d80b", "9b0d80b-dirty": "0~9b0d80b+dirty",
		"development": "0~development", "": "0~", "v1": "0~v1",
	} {
		if got := debVersion(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// TestPackage packs this very test as if it were the program, twice: the bytes are the
// same, and Debian's own program finds in it what belongs there.
func TestPackage(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := filepath.Join(dir, "voxelpopuli-linux-amd64")
	if err := os.WriteFile(at, program, 0o755); err != nil {
		t.Fatal(err)
	}
	var before []byte
	for range 2 {
		if err := run(dir, "v1.2.3"); err != nil {
			t.Fatal(err)
		}
		now, err := os.ReadFile(at + ".deb")
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && !bytes.Equal(before, now) {
			t.Error("the second run gives other bytes")
		}
		before = now
	}
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("this machine has no dpkg-deb")
	}
	deb := func(args ...string) string {
		t.Helper()
		b, err := exec.Command("dpkg-deb", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("dpkg-deb %v: %v\n%s", args, err, b)
		}
		return string(b)
	}
	for field, want := range map[string]string{
		"Package": "voxelpopuli", "Version": "1.2.3", "Architecture": "amd64", "Depends": "adduser", "Section": "games",
	} {
		if got := strings.TrimSpace(deb("-f", at+".deb", field)); got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
	}
	out := filepath.Join(dir, "out")
	deb("-R", at+".deb", out)
	read := func(name string, mode os.FileMode) string {
		t.Helper()
		s, err := os.Stat(filepath.Join(out, name))
		if err != nil {
			t.Error(err)
			return ""
		}
		if s.Mode().Perm() != mode {
			t.Errorf("%s has mode %o, want %o", name, s.Mode().Perm(), mode)
		}
		b, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	if got := read("usr/bin/voxelpopuli", 0o755); got != string(program) {
		t.Errorf("the program has %d bytes of %d", len(got), len(program))
	}
	unit := read("usr/lib/systemd/system/voxelpopuli.service", 0o644)
	for _, line := range []string{"ExecStart=/usr/bin/voxelpopuli node\n", "User=voxelpopuli\n", "EnvironmentFile=-/etc/voxelpopuli.env\n"} {
		if !strings.Contains(unit, line) {
			t.Errorf("the unit lacks %q:\n%s", line, unit)
		}
	}
	if strings.Contains(unit, "DynamicUser") || !strings.HasPrefix(unit, "[Unit]") {
		t.Errorf("the unit:\n%s", unit)
	}
	if got := read("DEBIAN/conffiles", 0o644); got != "/etc/voxelpopuli.env\n" {
		t.Errorf("files that people change: %q", got)
	}
	for _, line := range strings.Split(read("etc/voxelpopuli.env", 0o600), "\n") {
		if line != "" && line[0] != '#' {
			t.Errorf("a setting without having been asked: %s", line)
		}
	}
	read("usr/share/doc/voxelpopuli/copyright", 0o644)
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		read("DEBIAN/"+script, 0o755)
		if b, err := exec.Command("sh", "-n", filepath.Join(out, "DEBIAN", script)).CombinedOutput(); err != nil {
			t.Errorf("%s: %s", script, b)
		}
	}
	if list := deb("-c", at+".deb"); strings.Contains(list, "../") || !strings.Contains(list, "root/root") {
		t.Errorf("the package has:\n%s", list)
	}
}
