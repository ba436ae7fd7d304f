package invitation

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

func key(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func pub(n byte) ed25519.PublicKey { return key(n).Public().(ed25519.PublicKey) }

var (
	world   = id.Of([]byte("world"))
	founder = [32]byte(pub(1))
	addrs   = []netip.AddrPort{netip.MustParseAddrPort("192.0.2.7:4747"), netip.MustParseAddrPort("[2001:db8::7]:4748")}
)

const (
	ends = int64(2_000_000_000)
	now  = machine.Time(ends-1000) * machine.Time(time.Second)
)

func invite(t testing.TB, permits Permissions, until int64) *Invitation {
	t.Helper()
	i, err := New(strings.NewReader(strings.Repeat("secret", 9)), key(1), world, Terms{Permits: permits, Until: until})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// TestText: what is passed on is what was made, in less than 200 characters; a text
// that was changed or cut off anywhere is not taken.
func TestText(t *testing.T) {
	i := invite(t, Build|Host, ends).At(addrs)
	text := i.Text()
	if len(text) >= 200 {
		t.Errorf("%d characters", len(text))
	}
	for _, form := range []string{text, " " + text + "\n", "http://192.0.2.7:4747/#code=" + text} {
		got, err := Parse(form)
		if err != nil || !reflect.DeepEqual(got, i) || !Is(form) {
			t.Errorf("%q is %+v, %v", form, got, err)
		}
	}
	for n := range text {
		if _, err := Parse(text[:n]); !errors.Is(err, ErrFormat) {
			t.Fatalf("the first %d characters: %v", n, err)
		}
		if text[n] == 'A' || n < len(prefix) {
			continue
		}
		if _, err := Parse(text[:n] + "A" + text[n+1:]); !errors.Is(err, ErrFormat) {
			t.Fatalf("character %d changed: %v", n, err)
		}
	}
	for _, no := range []string{"", "192.0.2.7:4747", "http://192.0.2.7:4747/#code=sesame", "friends"} {
		if Is(no) {
			t.Errorf("%q is taken for an invitation", no)
		}
	}
}

// TestTextOfLater: what later versions add behind the head is skipped.
func TestTextOfLater(t *testing.T) {
	i := invite(t, Visit, 0)
	b, err := encoding.DecodeString(strings.TrimPrefix(i.Text(), prefix))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(prefix + seal(append(b[:len(b)-checkSize], 9, 3, 1, 2, 3)))
	if err != nil || !reflect.DeepEqual(got, i) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestLinkNamesNodes: an invitation without addresses is completed by the nodes that
// its link names.
func TestLinkNamesNodes(t *testing.T) {
	link := "https://example.org/#code=" + invite(t, Build|Host, ends).Text()
	for behind, want := range map[string][]netip.AddrPort{
		"": nil, "&at=192.0.2.7:4747_AAAA": addrs[:1], "&at=192.0.2.7:4747_AA_BB&at=%5B2001:db8::7%5D:4748_CC": addrs,
		"&at=example.org:4747_AA": nil, "&at=": nil,
	} {
		if i, err := Parse(link + behind); err != nil || !slices.Equal(i.Addrs, want) {
			t.Errorf("%s: %v, %v", behind, i, err)
		}
	}
}

// TestAdmission: an admission is good for one node or player of one world, by an
// invitation of its founder that permits it and has not ended.
func TestAdmission(t *testing.T) {
	g := NewGate(world, founder, true)
	both, visit, host := invite(t, Build|Host, ends), invite(t, Visit, 0), invite(t, Host, 0)
	forged := *both
	forged.sign(key(9))
	stolen := *both
	stolen.Secret[0]++ // the statement was seen, the secret was not
	elsewhere := *both
	elsewhere.World = id.Of([]byte("another world"))
	elsewhere.sign(key(1))
	late := now.Add(time.Hour)
	for name, c := range map[string]struct {
		proof []byte
		at    machine.Time
		want  error
	}{
		"invited":                {both.AdmitNode(pub(2)), now, nil},
		"to host alone":          {host.AdmitNode(pub(2)), late, nil},
		"none":                   {nil, now, ErrInvitation},
		"somebody else's":        {both.AdmitNode(pub(3)), now, ErrInvitation},
		"a player's":             {both.AdmitPlayer(id.Of(pub(2))), now, ErrInvitation},
		"to visit alone":         {visit.AdmitNode(pub(2)), now, ErrInvitation},
		"ended":                  {both.AdmitNode(pub(2)), late, ErrInvitation},
		"not the founder's":      {forged.AdmitNode(pub(2)), now, ErrInvitation},
		"without the secret":     {stolen.AdmitNode(pub(2)), now, ErrInvitation},
		"of another world":       {elsewhere.AdmitNode(pub(2)), now, ErrInvitation},
		"cut off":                {both.AdmitNode(pub(2))[1:], now, ErrInvitation},
		"with changed permision": {changed(visit.AdmitNode(pub(2)), statementBody-7), now, ErrInvitation},
	} {
		if _, err := g.AdmitNode(pub(2), c.proof, c.at); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s, err := g.AdmitNode(pub(1), nil, now); err != nil || s != nil {
		t.Errorf("the founder's own node: %v", err)
	}
	if s, err := NewGate(world, founder, false).AdmitNode(pub(2), nil, now); err != nil || s != nil {
		t.Errorf("a world that is open to any node: %v", err)
	}
	who := id.Of(pub(5))
	if err := g.AdmitPlayer(who, visit.AdmitPlayer(who), now); err != nil {
		t.Error(err)
	}
	for name, proof := range map[string][]byte{"none": nil, "another player's": visit.AdmitPlayer(id.Of(pub(6))), "to host alone": host.AdmitPlayer(who), "a node's": both.AdmitNode(pub(5))} {
		if err := g.AdmitPlayer(who, proof, now); !errors.Is(err, ErrInvitation) {
			t.Errorf("a player, %s: %v", name, err)
		}
	}
}

func changed(b []byte, at int) []byte {
	b[at] = byte(Build | Host)
	return b
}

// TestAccess: what the founder takes back is refused, who is kept stays, and only the
// founder's newer lists count.
func TestAccess(t *testing.T) {
	g := NewGate(world, founder, true)
	i := invite(t, Build|Host, 0)
	list := func(version uint64, by byte, a Access) *Access {
		a.World, a.Version = world, version
		if err := a.Sign(key(by)); err != nil {
			t.Fatal(err)
		}
		return &a
	}
	renew := func(a *Access, ok bool) {
		t.Helper()
		next, err := g.Renew(a)
		if (err == nil) != ok {
			t.Errorf("version %d: %v", a.Version, err)
		}
		g = next
	}
	state := func(n byte) bool { _, err := g.AdmitNode(pub(n), i.AdmitNode(pub(n)), now); return err == nil }
	renew(list(5, 1, Access{Removed: []id.ID{id.Of(pub(2)), id.Of(pub(1))}}), true)
	if state(2) || !state(3) || !state(1) {
		t.Error("the removed node, another, the founder:", state(2), state(3), state(1))
	}
	renew(list(6, 7, Access{}), false)
	renew(list(5, 1, Access{}), false)
	renew(list(4, 1, Access{}), false)
	renew(list(7, 1, Access{Revoked: []id.ID{i.ID()}, Kept: []id.ID{id.Of(pub(3))}}), true)
	if state(2) || !state(3) {
		t.Error("by a revoked invitation, a kept node:", state(2), state(3))
	}
	if s := &i.Statement; g.Admitted(id.Of(pub(2)), s, now) || !g.Admitted(id.Of(pub(3)), s, now) {
		t.Error("nodes that were let in before are not judged alike")
	}
	if g.AdmitPlayer(id.Of(pub(4)), i.AdmitPlayer(id.Of(pub(4))), now) == nil {
		t.Error("a player enters by a revoked invitation")
	}
	other := &Access{World: id.Of([]byte("another world")), Version: 9}
	if err := other.Sign(key(1)); err != nil {
		t.Fatal(err)
	}
	renew(other, false)
	if err := (&Access{Kept: make([]id.ID, 1)}).Sign(key(1)); err != nil {
		t.Error(err)
	}
}

// TestAccessTooLong: a founder hears when the list is full, instead of making one that
// nobody takes.
func TestAccessTooLong(t *testing.T) {
	a := &Access{World: world}
	for n := range MaxListed + 1 {
		a.Removed = append(a.Removed, id.Of([]byte{byte(n), byte(n >> 8)}))
	}
	if a.Sign(key(1)) == nil {
		t.Error("it was signed")
	}
	a.Removed = a.Removed[1:]
	if err := a.Sign(key(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeAccess(a.Append(nil)); err != nil {
		t.Error(err)
	}
}

// TestUses: how often an invitation may be used is part of what the founder signs, and
// only one for players has such a number. Nobody is invited both to build and to change nothing.
func TestUses(t *testing.T) {
	random := strings.NewReader(strings.Repeat("secret", 9))
	i, err := New(random, key(1), world, Terms{Permits: Build, Uses: 3})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(i.Text())
	if err != nil || got.Uses != 3 || !got.SignedBy(founder) {
		t.Errorf("%+v, %v", got, err)
	}
	more := *i
	more.Uses = 4
	if more.SignedBy(founder) {
		t.Error("the number can be changed")
	}
	s, err := StatementOf(i.AdmitPlayer(id.Of(pub(5))))
	if err != nil || s.Uses != 3 || s.ID() != i.ID() {
		t.Errorf("an admission by it: %+v, %v", s, err)
	}
	for _, p := range []Permissions{Host, Build | Host} {
		if _, err := New(random, key(1), world, Terms{Permits: p, Uses: 1}); !errors.Is(err, ErrFormat) {
			t.Errorf("to %s, once: %v", p, err)
		}
	}
	if _, err := New(random, key(1), world, Terms{Permits: Visit | Build}); !errors.Is(err, ErrFormat) {
		t.Errorf("to visit and to build: %v", err)
	}
}

// TestMayBuild: only who shows an invitation to visit may not build.
func TestMayBuild(t *testing.T) {
	g, who := NewGate(world, founder, true), id.Of(pub(5))
	for p, want := range map[Permissions]bool{Build: true, Build | Host: true, Visit: false, Visit | Host: false} {
		proof := invite(t, p, 0).AdmitPlayer(who)
		if err := g.AdmitPlayer(who, proof, now); err != nil || MayBuild(proof) != want {
			t.Errorf("to %s: %v, may build: %v", p, err, !want)
		}
	}
	if !MayBuild(nil) {
		t.Error("where nobody needs an invitation nobody may build")
	}
}
