package keyring

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

func open(t *testing.T) *Ring {
	t.Helper()
	r, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestKeysAreMadeOnceAndStay(t *testing.T) {
	r := open(t)
	node, err := r.Node(4, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := identity.Difficulty(node.ID()); d < 4 {
		t.Errorf("the puzzle has %d bits", d)
	}
	for _, name := range []string{"Ada", "Zoë Ω", "con", "../../x"} {
		k, err := r.Player(name)
		if err != nil {
			t.Fatal(err)
		}
		again, err := r.Player(strings.ToUpper(name))
		if err != nil || again.ID() != k.ID() || again.Name != name {
			t.Errorf("%s: another key the second time: %v", name, err)
		}
	}
	if again, err := r.Node(4, nil); err != nil || again.ID() != node.ID() {
		t.Errorf("another node key: %v", err)
	}
	if _, err := r.Node(identity.MaxDifficulty, nil); !errors.Is(err, identity.ErrPuzzle) || !strings.Contains(err.Error(), "identity new") {
		t.Errorf("a harder world: %v", err)
	}
	list, err := r.List()
	if err != nil || len(list) != 5 || list[0].ID() != node.ID() {
		t.Errorf("%d keys, %v", len(list), err)
	}
	for _, bad := range []string{"", strings.Repeat("x", 21), "\xff"} {
		if _, err := r.Player(bad); !errors.Is(err, ErrName) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestMadeAtTheSameTime: two processes that start at the same moment have the
// same key.
func TestMadeAtTheSameTime(t *testing.T) {
	r := open(t)
	var wg sync.WaitGroup
	ids := make([]id.ID, 8)
	for i := range ids {
		wg.Go(func() {
			if k, err := r.Node(0, nil); err != nil {
				t.Error(err)
			} else {
				ids[i] = k.ID()
			}
		})
	}
	wg.Wait()
	for _, i := range ids {
		if i != ids[0] {
			t.Fatalf("different keys: %v", ids)
		}
	}
}

func TestNewKeepsTheOld(t *testing.T) {
	r := open(t)
	if _, old, err := r.New(Node, "", 0, nil); err != nil || old != "" {
		t.Fatalf("first: %q, %v", old, err)
	}
	first, _ := r.Node(0, nil)
	second, old, err := r.New(Node, "", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := Read(old); err != nil || kept.ID() != first.ID() {
		t.Errorf("the old key: %v", err)
	}
	if k, err := r.Node(0, nil); err != nil || k.ID() != second.ID() {
		t.Errorf("the new key is not used: %v", err)
	}
	if list, err := r.List(); err != nil || len(list) != 1 {
		t.Errorf("%d keys, %v", len(list), err)
	}
}

func TestHostileKeyFiles(t *testing.T) {
	r := open(t)
	k, err := r.Node(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(r.Dir(), "node.key")
	if runtime.GOOS != "windows" {
		for name, mode := range map[string]os.FileMode{file: 0o640, r.Dir(): 0o755} {
			before, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if before.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %v", name, before.Mode())
			}
			if err := os.Chmod(name, mode); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Node(0, nil); !errors.Is(err, ErrExposed) || !strings.Contains(err.Error(), "chmod") {
				t.Errorf("%s with mode %v: %v", name, mode, err)
			}
			if err := os.Chmod(name, before.Mode()); err != nil {
				t.Fatal(err)
			}
		}
	}
	good := encode(k)
	other, err := generate(Node, "", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		b    []byte
		want error
	}{
		"cut off":         {good[:len(good)/2], ErrDamaged},
		"empty":           {nil, ErrDamaged},
		"newer":           {bytes.Replace(good, []byte(`"format": 1`), []byte(`"format": 2`), 1), ErrNewer},
		"another id":      {bytes.Replace(good, []byte(k.ID().String()), []byte(other.ID().String()), 1), ErrDamaged},
		"no secret":       {bytes.Replace(good, []byte("secret"), []byte("nothing"), 1), ErrDamaged},
		"larger than any": {append(bytes.Clone(good), make([]byte, maxFile)...), ErrDamaged},
	} {
		if err := os.WriteFile(file, c.b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Node(0, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestExport(t *testing.T) {
	defer func(w int) { work = w }(work)
	work = 4
	from, to := open(t), open(t)
	node, _ := from.Node(0, nil)
	ada, err := from.Player("Ada")
	if err != nil {
		t.Fatal(err)
	}
	file, err := Seal([]Key{node, ada}, "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(file, []byte("Ada")) {
		t.Error("names can be read without the passphrase")
	}
	if _, err := Unseal(file, "wrong horse"); !errors.Is(err, ErrPassphrase) {
		t.Errorf("a wrong passphrase: %v", err)
	}
	if _, err := Seal(nil, "short"); err == nil {
		t.Error("a short passphrase is taken")
	}
	keys, err := Unseal(file, "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if fresh, err := to.Import(keys, false); err != nil || len(fresh) != 2 {
		t.Fatalf("%d keys imported, %v", len(fresh), err)
	}
	if k, err := to.Player("ada"); err != nil || k.ID() != ada.ID() || !k.Made.Equal(ada.Made) {
		t.Errorf("another Ada: %v", err)
	}
	if fresh, err := to.Import(keys, false); err != nil || len(fresh) != 0 {
		t.Errorf("imported again: %d, %v", len(fresh), err)
	}
	if _, _, err := to.New(Player, "Ada", 0, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := to.Import(keys, false); !errors.Is(err, ErrExists) {
		t.Errorf("over another key: %v", err)
	}
	if fresh, err := to.Import(keys, true); err != nil || len(fresh) != 1 {
		t.Errorf("in place of another key: %d, %v", len(fresh), err)
	}
	for i := range file {
		changed := bytes.Clone(file)
		changed[i] ^= 1
		if got, err := Unseal(changed, "correct horse"); err == nil && (len(got) != 2 || got[0].ID() != node.ID()) {
			t.Fatalf("byte %d changed: other keys", i)
		}
	}
}

func FuzzUnseal(f *testing.F) {
	work, maxWork = 1, 4
	f.Cleanup(func() { work, maxWork = 17, 20 })
	k, _ := generate(Node, "", 0, nil)
	file, err := Seal([]Key{k}, "correct horse")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Fuzz(func(t *testing.T, b []byte) {
		if keys, err := Unseal(b, "wrong horse"); err == nil {
			t.Errorf("%d keys without the passphrase", len(keys))
		}
	})
}

func FuzzKeyFile(f *testing.F) {
	k, _ := generate(Player, "Ada", 0, nil)
	f.Add(encode(k))
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := decode(b)
		if err != nil {
			return
		}
		if again, err := decode(encode(k)); err != nil || again.ID() != k.ID() {
			t.Errorf("%q changes: %v", b, err)
		}
	})
}

func TestCertificateFilesAndVerifier(t *testing.T) {
	dir := t.TempDir()
	authority, _ := generate(Authority, "", 0, nil)
	node, _ := generate(Node, "", 0, nil)
	g := identity.Genesis{Authority: [32]byte(authority.Public()), Zones: 4}
	c := &identity.Certificate{World: g.World(), Key: [32]byte(node.Public()), Serial: 1}
	c.Sign(authority.Private)
	list := &identity.Revocations{World: g.World(), Version: 1, Serials: []uint64{1}}
	if err := list.Sign(authority.Private); err != nil {
		t.Fatal(err)
	}
	cf, rf := filepath.Join(dir, "c.pem"), filepath.Join(dir, "r.pem")
	if err := errors.Join(os.WriteFile(cf, CertificateText(c), 0o644), os.WriteFile(rf, RevocationsText(list), 0o644)); err != nil {
		t.Fatal(err)
	}
	c, err := ReadCertificate(cf)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := identity.NewGate(g)
	if err != nil {
		t.Fatal(err)
	}
	v := NewVerifier(gate, func() machine.Time { return 0 })
	if err := v.Admit(node.Public(), c.Append(nil)); err != nil {
		t.Error(err)
	}
	if v.Bars(node.ID()) || v.Seen(node.ID()) == nil || v.Seen(authority.ID()) != nil {
		t.Error("before it is revoked the node is barred, or was not seen")
	}
	limited := *c
	limited.Until = 1
	limited.Sign(authority.Private)
	now := machine.Time(0)
	short := NewVerifier(gate, func() machine.Time { return now })
	if err := short.Admit(node.Public(), limited.Append(nil)); err != nil || short.Bars(node.ID()) {
		t.Errorf("a certificate that is in force: %v", err)
	}
	if now = limited.Until.Add(identity.Slack); !short.Bars(node.ID()) {
		t.Error("a node is not barred when its certificate has ended")
	}
	if list, err = ReadRevocations(rf); err != nil {
		t.Fatal(err)
	}
	if err := v.Renew(list); err != nil {
		t.Fatal(err)
	}
	if err := v.Renew(list); err == nil {
		t.Error("the same list twice")
	}
	if err := v.Admit(node.Public(), c.Append(nil)); !errors.Is(err, identity.ErrRevoked) {
		t.Errorf("revoked: %v", err)
	}
	if !v.Bars(node.ID()) || v.Bars(authority.ID()) {
		t.Error("not the one that is revoked is barred")
	}
	if _, err := v.Verify(node.ID(), c).(machine.Work).Run(); !errors.Is(err, identity.ErrRevoked) || v.Revoked().Version != 1 {
		t.Errorf("revoked, for the overlay: %v", err)
	}
	if _, err := ReadCertificate(rf); err == nil || !strings.Contains(err.Error(), "BEGIN VOXEL POPULI CERTIFICATE") {
		t.Errorf("a list for a certificate: %v", err)
	}
	if _, err := ReadRevocations(cf); err == nil {
		t.Error("a certificate for a list")
	}
}
