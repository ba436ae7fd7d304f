package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// BeforeInvitations makes a world that was never played what it would be if it had
// been made before there were invitations, and returns its id.
func BeforeInvitations(t *testing.T, folder *worldfs.Folder, name string) id.ID {
	t.Helper()
	info, err := folder.Info(name)
	if err != nil {
		t.Fatal(err)
	}
	m := info.Meta
	m.Rules.Hosting = ""
	key, err := nodeKey(folder, int(m.Genesis.Difficulty), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := signGenesis(&m, key, m.EpochTime()); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(info.Dir, "meta.json"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	return m.ID
}

// TestPrivate: nothing is reachable from other machines unless that was asked for.
func TestPrivate(t *testing.T) {
	for name, c := range map[string]struct {
		in      Runner
		players string
		nodes   string
	}{
		"nothing asked":   {Runner{}, "127.0.0.1:4747", "127.0.0.1:4747"},
		"shared":          {Runner{Config: Config{Share: true, Listen: DefaultListen}}, "0.0.0.0:4747", ":4747"},
		"listening":       {Runner{Config: Config{Listen: "0.0.0.0"}}, "0.0.0.0:4747", ":4747"},
		"joining":         {Runner{Config: Config{Join: []string{"192.0.2.7"}}}, "127.0.0.1:4747", ":4747"},
		"joining locally": {Runner{Config: Config{Join: []string{"127.0.0.1:5000"}}}, "127.0.0.1:4747", "127.0.0.1:4747"},
		"alone":           {Runner{Alone: true, Config: Config{Listen: "0.0.0.0"}}, "0.0.0.0:4747", ""},
	} {
		r := c.in
		if err := r.openToOthers(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if at, err := r.withDefaults().address(); err != nil || at != c.players || r.Nodes != c.nodes {
			t.Errorf("%s: players at %s, nodes at %q, %v; want %s, %q", name, at, r.Nodes, err, c.players, c.nodes)
		}
	}
}

// TestReadOwner: --owner takes a public key or an id, and nothing else.
func TestReadOwner(t *testing.T) {
	key := strings.Repeat("5a", 32)
	want := id.Of(bytes.Repeat([]byte{0x5a}, 32))
	for given, want := range map[string]id.ID{"": {}, key: want, want.String(): want, strings.ToUpper(key): want} {
		r := Runner{OwnerKey: given}
		if err := r.readOwner(); err != nil || r.Owner != want {
			t.Errorf("%q: %s, %v", given, r.Owner, err)
		}
	}
	for _, given := range []string{"Ann", key[2:], key + "00", "vpk1-" + key} {
		if err := (&Runner{OwnerKey: given}).readOwner(); !errors.Is(err, ErrUsage) {
			t.Errorf("%q: %v", given, err)
		}
	}
}
