package genesis

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
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

func TestRecord(t *testing.T) {
	r := example()
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
	b := r.Append(nil)
	for i := range b {
		c := bytes.Clone(b)
		c[i] ^= 1
		if _, err := Decode(c); err == nil {
			t.Fatalf("byte %d can be changed", i)
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
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := Decode(b); err == nil && !bytes.Equal(r.Append(nil), b) {
			t.Fatal("two encodings of one record")
		}
	})
}
