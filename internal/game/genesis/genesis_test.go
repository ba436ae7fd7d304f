package genesis

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

func key(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func example() *Record {
	r := &Record{
		Name: "home", Seed: "granite", Mode: 1, Epoch: 1_700_000_000_000_000_000, Spawn: world.Pos{X: -5, Y: 70, Z: 9},
		Protect: 8, Whitelist: true, MaxPlayers: 40, Nonce: id.Of([]byte("nonce")),
		Genesis: identity.Genesis{Difficulty: 12},
	}
	r.Sign(key(1))
	return r
}

// verified is a record of a world with an authority and a storage.
func verified() *Record {
	r := example()
	r.Name, r.Seed = strings.Repeat("n", MaxName), strings.Repeat("s", MaxSeed)
	r.Genesis = identity.Genesis{Salt: [32]byte{3}, Authority: [32]byte(key(4).Public().(ed25519.PublicKey)), Zones: 4}
	r.Truth = Truth{Begin: r.Epoch + 5, LMax: 2 * time.Second, Regions: 64}
	r.Sign(key(1))
	return r
}

// hosted is a record of a world that says which nodes host it.
func hosted(of Hosting) *Record {
	r := example()
	r.Hosting = of
	r.Sign(key(1))
	return r
}

// TestHosting: which nodes host a world is part of its id, and an authority decides
// it alone. Records from before there were invitations are what they were.
func TestHosting(t *testing.T) {
	before, open, invited := example(), hosted(HostingOpen), hosted(HostingInvited)
	if before.World() == open.World() || open.World() == invited.World() {
		t.Error("worlds with different hosting have the same id")
	}
	if b := before.Append(nil); b[0] != version {
		t.Errorf("a record that does not say has version %d", b[0])
	}
	r := verified()
	r.Hosting = HostingOpen
	r.Sign(key(1))
	if r.Check() == nil {
		t.Error("a world with an authority is open to any node")
	}
	if hosted(HostingInvited+1).Check() == nil {
		t.Error("a kind of hosting that there is not")
	}
}

// deadly is a record of a world whose dead leave what they carry.
func deadly() *Record {
	r := example()
	r.Drops = true
	r.Sign(key(1))
	return r
}

// packed are records of worlds that name their content packs.
func packed() (all []*Record) {
	for _, r := range []*Record{example(), verified(), hosted(HostingInvited)} {
		r.Packs = [32]byte{31: 7}
		r.Sign(key(1))
		all = append(all, r)
	}
	return all
}

func TestRecord(t *testing.T) {
	for _, r := range []*Record{example(), verified(), hosted(HostingOpen), hosted(HostingInvited), deadly()} {
		testRecord(t, r)
	}
	for _, r := range packed() {
		testRecord(t, r)
	}
	if packed()[0].World() == example().World() {
		t.Error("the packs are not part of a world's id")
	}
	if deadly().World() == example().World() {
		t.Error("what the dead leave is not part of a world's id")
	}
}

func testRecord(t *testing.T, r *Record) {
	b := r.Append(nil)
	if len(b) > MaxSize {
		t.Fatalf("%d bytes", len(b))
	}
	got, err := Decode(b)
	if err != nil || *got != *r {
		t.Fatalf("%+v, %v", got, err)
	}
	if got.World() != r.World() || got.FounderID() != id.Of(key(1).Public().(ed25519.PublicKey)) {
		t.Error("the ids differ")
	}
	for n := range b {
		if _, err := Decode(b[:n]); err == nil {
			t.Fatalf("%d bytes of it are taken for a record", n)
		}
	}
	if _, err := Decode(append(b, 0)); err == nil {
		t.Error("a byte too many")
	}
}

// TestEveryByteCounts: whatever is changed, the world is another one or the
// signature does not fit.
func TestEveryByteCounts(t *testing.T) {
	r := example()
	for _, b := range [][]byte{r.Append(nil), verified().Append(nil)} {
		for i := range b {
			c := bytes.Clone(b)
			c[i] ^= 1
			if _, err := Decode(c); err == nil {
				t.Fatalf("byte %d can be changed", i)
			}
		}
	}
	other := example()
	other.Sign(key(2)) // somebody else's: well signed, but of another world
	if _, err := Decode(other.Append(nil)); err != nil || other.World() == r.World() {
		t.Errorf("%v, the same world %v", err, other.World() == r.World())
	}
}

func TestChecks(t *testing.T) {
	for name, change := range map[string]func(*Record){
		"no name":    func(r *Record) { r.Name = "" },
		"no utf-8":   func(r *Record) { r.Seed = "\xff" },
		"mode":       func(r *Record) { r.Mode = 7 },
		"no epoch":   func(r *Record) { r.Epoch = 0 },
		"spawn":      func(r *Record) { r.Spawn.Y = -1 },
		"far spawn":  func(r *Record) { r.Spawn.X = -1 << 31 },
		"protect":    func(r *Record) { r.Protect = -1 },
		"difficulty": func(r *Record) { r.Genesis.Difficulty = 255 },
	} {
		r := example()
		change(r)
		r.Sign(key(1))
		if err := r.Check(); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*Record){
		"an odd world":      func(r *Record) { r.Truth.Regions = 7 },
		"a world too wide":  func(r *Record) { r.Truth.Regions = 2 * MaxRegions },
		"endless messages":  func(r *Record) { r.Truth.LMax = time.Hour },
		"parts of a moment": func(r *Record) { r.Truth.LMax++ },
		"no beginning":      func(r *Record) { r.Truth.Begin = 0 },
		"nobody to admit":   func(r *Record) { r.Genesis = identity.Genesis{} },
	} {
		r := verified()
		change(r)
		r.Sign(key(1))
		if err := r.Check(); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := example()
	r.Seed = "marble"
	if err := r.Check(); !errors.Is(err, ErrFormat) {
		t.Errorf("changed after it was sealed: %v", err)
	}
	r.Seal()
	if err := r.Check(); !errors.Is(err, ErrSignature) {
		t.Errorf("changed after it was signed: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(example().Append(nil))
	f.Add(verified().Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := Decode(b); err == nil && !bytes.Equal(r.Append(nil), b) {
			t.Fatal("two encodings of one record")
		}
	})
}
