package main

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// read decodes what a command printed.
func read[T any](t *testing.T, out string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return v
}

func TestIdentityCommands(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	p, other := program{t, t.TempDir()}, program{t, t.TempDir()}
	p.ok("identity", "new", "node", "--difficulty", "3")
	p.ok("identity", "new", "Ada")
	before := read[[]keyRow](t, p.ok("identity", "show", "--json"))
	if len(before) != 2 || before[0].Bits < 3 || before[1].Name != "Ada" {
		t.Fatalf("%+v", before)
	}
	secret := filepath.Join(p.data, "secret")
	if err := os.WriteFile(secret, []byte("correct horse\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.data, "keys.pem")
	p.ok("identity", "export", file, "--passphrase-file", secret)
	if code, _, _ := p.run("identity", "export", file, "--passphrase-file", secret); code == 0 {
		t.Error("an export over another file")
	}
	other.ok("identity", "import", file, "--passphrase-file", secret)
	after := read[[]keyRow](t, other.ok("identity", "show", "--json"))
	if len(after) != 2 || after[0] != before[0] || after[1] != before[1] {
		t.Errorf("imported %+v, exported %+v", after, before)
	}
	p.ok("identity", "new", "node", "--difficulty", "0")
	if code, _, errs := p.run("identity", "import", file, "--passphrase-file", secret); code == 0 || !strings.Contains(errs, "--replace") {
		t.Errorf("over another key: %s", errs)
	}
	p.ok("identity", "import", file, "--passphrase-file", secret, "--replace")
	if again := read[[]keyRow](t, p.ok("identity", "show", "--json")); again[0] != before[0] {
		t.Errorf("after the import: %+v", again[0])
	}
}

// TestAuthorityCommands goes from nothing to a world that admits a node, and
// throws it out.
func TestAuthorityCommands(t *testing.T) {
	founder, host := program{t, t.TempDir()}, program{t, t.TempDir()}
	founder.ok("authority", "init", "castle", "--zones", "4")
	founder.ok("world", "new", "castle", "--authority", "castle")
	world := read[[]worldfs.Meta](t, founder.ok("world", "info", "castle", "--json"))[0]
	gate, err := identity.NewGate(world.Genesis)
	if err != nil || gate.World() != world.ID {
		t.Fatalf("the world %s has the genesis of %s: %v", world.ID, gate.World(), err)
	}
	host.ok("identity", "new", "node", "--difficulty", "0")
	node := read[[]keyRow](t, host.ok("identity", "show", "--json"))[0]
	certFile, listFile := filepath.Join(host.data, "c.pem"), filepath.Join(host.data, "r.pem")
	founder.ok("authority", "issue", "castle", "--key", node.Public, "--note", "Bob", "--out", certFile)

	pub, _ := hex.DecodeString(node.Public)
	cert, err := keyring.ReadCertificate(certFile)
	if err != nil {
		t.Fatal(err)
	}
	now := machine.Time(time.Now().UnixNano())
	if err := gate.Admit(ed25519.PublicKey(pub), cert.Append(nil), now); err != nil {
		t.Errorf("with a certificate: %v", err)
	}
	founder.ok("authority", "revoke", "castle", "1", "--out", listFile)
	list, err := keyring.ReadRevocations(listFile)
	if err != nil {
		t.Fatal(err)
	}
	if gate, err = gate.Renew(list); err != nil {
		t.Fatal(err)
	}
	if err := gate.Admit(ed25519.PublicKey(pub), cert.Append(nil), now); err == nil {
		t.Error("admitted though it was revoked")
	}
	if out := founder.ok("authority", "list"); !strings.Contains(out, "Bob") || !strings.Contains(out, "revoked") {
		t.Errorf("list: %s", out)
	}
	rows := read[[]authorityJSON](t, founder.ok("authority", "list", "castle", "--json"))
	if len(rows) != 1 || rows[0].World != world.ID.String() || len(rows[0].Issued) != 1 {
		t.Errorf("list as JSON: %+v", rows)
	}
	if out := founder.ok("authority", "revoke", "castle"); !strings.Contains(out, "BEGIN VOXEL POPULI REVOCATIONS") {
		t.Errorf("a list without a file: %s", out)
	}
}

func TestVersion(t *testing.T) {
	v := read[map[string]any](t, program{t, t.TempDir()}.ok("version", "--json"))
	if v["version"] == "" || v["client_protocol"].(float64) < 1 || v["os"] == "" {
		t.Errorf("%v", v)
	}
}
