package authority

import (
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

var day0 = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

const year = 365 * 24 * time.Hour

func pub(n byte) ed25519.PublicKey {
	return ed25519.NewKeyFromSeed(append(make([]byte, 31), n)).Public().(ed25519.PublicKey)
}

func TestAuthority(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "castle")
	if _, err := Open(dir); !errors.Is(err, ErrNone) {
		t.Errorf("before it was made: %v", err)
	}
	a, err := Init(dir, 9, day0)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := identity.NewGate(a.Genesis())
	if err != nil || gate.World() != a.World() {
		t.Fatal(err)
	}
	one, err := a.Issue(pub(1), "Ada", day0, day0.Add(year))
	if err != nil {
		t.Fatal(err)
	}
	two, err := a.Issue(pub(2), "", day0, day0.Add(year))
	if err != nil {
		t.Fatal(err)
	}
	now := machine.Time(day0.Add(24 * time.Hour).UnixNano())
	for i, c := range []*identity.Certificate{one, two} {
		if err := gate.Admit(pub(byte(i+1)), c.Append(nil), now); err != nil {
			t.Errorf("certificate %d: %v", i+1, err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}

	// Another day: it goes on where it was.
	if _, err := Init(dir, 9, day0); !errors.Is(err, ErrExists) {
		t.Errorf("made twice: %v", err)
	}
	if a, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	again, err := a.Issue(pub(1), "Ada", day0.Add(year), day0.Add(2*year))
	if err != nil || again.Pos != one.Pos || again.Serial != 3 {
		t.Errorf("asking again: number %d at %v, was at %v: %v", again.Serial, again.Pos, one.Pos, err)
	}
	list, err := a.Revoke(day0.Add(time.Hour), 1)
	if err != nil {
		t.Fatal(err)
	}
	if gate, err = gate.Renew(list); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*identity.Certificate{one, again} {
		if err := gate.Check(id.Of(pub(1)), c, c.From); !errors.Is(err, identity.ErrRevoked) {
			t.Errorf("revoked number %d: %v", c.Serial, err)
		}
	}
	if err := gate.Check(id.Of(pub(2)), two, now); err != nil {
		t.Errorf("number 2 was not revoked: %v", err)
	}
	if _, err := a.Issue(pub(1), "", day0, day0.Add(year)); !errors.Is(err, ErrRefused) {
		t.Errorf("a node that was thrown out: %v", err)
	}
	if _, err := a.Revoke(day0, 9); !errors.Is(err, ErrSerial) {
		t.Errorf("a number that was not issued: %v", err)
	}
	if _, err := a.Issue(pub(5), "", day0, day0); err == nil {
		t.Error("a certificate for no time")
	}

	// What has expired leaves the list, which still is a newer one.
	late, err := a.Revoke(day0.Add(3*year), 2)
	if err != nil || len(late.Serials) != 0 || late.Version != 2 {
		t.Errorf("after three years the list has %v, version %d: %v", late.Serials, late.Version, err)
	}
	if _, err := gate.Renew(late); err != nil {
		t.Error(err)
	}
}

// TestPlaces: only places in sub-areas are given (thesis 4.5.4), in all zones,
// the first ones each in another, no two very near. Who is revoked leaves its zone
// empty.
func TestPlaces(t *testing.T) {
	a, err := Init(filepath.Join(t.TempDir(), "x"), 4, day0)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	s := overlay.SpaceFor(4)
	zones := map[int]int{}
	for n := range 200 {
		if n == 4 && len(zones) != 4 {
			t.Errorf("the first four places are in %d zones", len(zones))
		}
		p := a.place(func(b []byte) (int, error) { return deterministic(t.Name(), len(a.state.Issued), b) })
		zone := s.Zone(p)
		zones[zone]++
		if !s.SubArea(zone).Contains(p) {
			t.Fatalf("%v is outside the sub-area of zone %d", p, zone)
		}
		a.state.Issued = append(a.state.Issued, Issued{Pos: p})
	}
	for zone := range 4 {
		if zones[zone] < 25 {
			t.Errorf("zone %d got %d of 200", zone, zones[zone])
		}
	}
	for i := range a.state.Issued {
		if c := &a.state.Issued[i]; s.Zone(c.Pos) == 2 {
			c.Revoked = &day0
		}
	}
	if p := a.place(func(b []byte) (int, error) { return deterministic(t.Name(), 999, b) }); s.Zone(p) != 2 {
		t.Errorf("of the zones only 2 is empty, and zone %d gets a node", s.Zone(p))
	}
}

// deterministic fills b with what a name and a number hash to.
func deterministic(name string, n int, b []byte) (int, error) {
	for i := range b {
		h := id.Of([]byte{byte(n), byte(n >> 8), byte(i), byte(len(name))})
		b[i] = h[0]
	}
	return len(b), nil
}

func TestDamagedAuthority(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	a, err := Init(dir, 4, day0)
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	other, err := Init(filepath.Join(t.TempDir(), "y"), 4, day0)
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
	file := filepath.Join(dir, "authority.json")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := os.ReadFile(filepath.Join(other.dir, "authority.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"cut off": good[:len(good)/2], "another's": foreign, "newer": []byte(`{"format": 2}`)} {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	if err := os.WriteFile(file, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err := Open(dir); err != nil {
		t.Errorf("as it was: %v", err)
	} else {
		a.Close()
	}
	if _, err := Init(filepath.Join(t.TempDir(), "z"), 5, day0); err == nil {
		t.Error("five zones")
	}
}
