package identity

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// keyOf is a key for tests.
func keyOf(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func pub(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }

const (
	day = machine.Time(24 * time.Hour)
	now = 100 * day
)

func verified() Genesis {
	return Genesis{Salt: [32]byte{7}, Authority: [32]byte(pub(keyOf(1))), Zones: 9}
}

func certificate(g *Genesis) *Certificate {
	c := &Certificate{
		World: g.World(), Key: [32]byte(pub(keyOf(2))), Pos: geom.Point{X: 1234, Y: 567},
		Serial: 5, From: now - day, Until: now + day,
	}
	c.Sign(keyOf(1))
	return c
}

func TestCheckKey(t *testing.T) {
	if err := CheckKey(pub(keyOf(1))); err != nil {
		t.Error(err)
	}
	bad := []ed25519.PublicKey{nil, make([]byte, 31), make([]byte, 33)}
	for key := range smallOrders {
		signed := key
		signed[31] |= 0x80
		bad = append(bad, key[:], signed[:])
	}
	if len(bad) != 3+2*7 {
		t.Fatalf("%d keys of small order", (len(bad)-3)/2)
	}
	for _, b := range bad {
		if err := CheckKey(b); !errors.Is(err, ErrKey) {
			t.Errorf("%x: %v", []byte(b), err)
		}
	}
}

// TestPuzzle: S/Kademlia 4.1: an id with d bits takes about 2^d key pairs.
func TestPuzzle(t *testing.T) {
	random := &stream{r: rng.New(1)}
	key, err := Solve(random, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	who := id.Of(pub(key))
	if err := CheckPuzzle(who, 10); err != nil {
		t.Error(err)
	}
	if err := CheckPuzzle(who, MaxDifficulty); !errors.Is(err, ErrPuzzle) {
		t.Errorf("a puzzle of %d bits: %v", MaxDifficulty, err)
	}
	var reports []uint64
	more := func(tried uint64) bool { reports = append(reports, tried); return len(reports) < 3 }
	if _, err := Solve(random, MaxDifficulty, more); !errors.Is(err, ErrStopped) {
		t.Errorf("told to stop: %v", err)
	}
	if fmt.Sprint(reports) != fmt.Sprint([]uint64{progressEvery, 2 * progressEvery, 3 * progressEvery}) {
		t.Errorf("reports %v", reports)
	}
	if _, err := Solve(random, MaxDifficulty+1, nil); err == nil {
		t.Error("a puzzle that is too hard was begun")
	}
	if _, err := Solve(strings.NewReader("short"), 0, nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("no randomness: %v", err)
	}

	// Of n ids about n/2^d have d bits.
	const n = 1 << 14
	count := 0
	for range n {
		var b [32]byte
		random.Read(b[:])
		if Difficulty(id.Of(b[:])) >= 6 {
			count++
		}
	}
	if want := n / 64; count < want*3/4 || count > want*5/4 {
		t.Errorf("%d of %d ids have 6 bits, about %d should", count, n, want)
	}
}

// stream makes a generator a Reader.
type stream struct{ r rng.Rand }

func (s *stream) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(s.r.Uint64())
	}
	return len(b), nil
}

func TestAdmitOpen(t *testing.T) {
	key, err := Solve(&stream{r: rng.New(2)}, 8, nil)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := NewGate(Genesis{Difficulty: 8})
	if err != nil {
		t.Fatal(err)
	}
	if err := gate.Admit(pub(key), nil, now); err != nil {
		t.Error(err)
	}
	if err := gate.Admit(make([]byte, 32), nil, now); !errors.Is(err, ErrKey) {
		t.Errorf("a key of small order: %v", err)
	}
	lazy := keyOf(3)
	if Difficulty(id.Of(pub(lazy))) >= 8 {
		t.Fatal("choose another key")
	}
	if err := gate.Admit(pub(lazy), nil, now); !errors.Is(err, ErrPuzzle) {
		t.Errorf("an id that cost nothing: %v", err)
	}
	if err := gate.Check(id.Of(pub(lazy)), nil, now); !errors.Is(err, ErrCertificate) {
		t.Errorf("a certificate in an open world: %v", err)
	}
	if _, err := gate.Renew(&Revocations{World: gate.World()}); err == nil {
		t.Error("revocations in an open world")
	}
}

func TestAdmitVerified(t *testing.T) {
	g := verified()
	gate, err := NewGate(g)
	if err != nil {
		t.Fatal(err)
	}
	node := pub(keyOf(2))
	for _, c := range []struct {
		name   string
		change func(*Certificate)
		now    machine.Time
		want   error
	}{
		{"good", func(*Certificate) {}, now, nil},
		{"first moment, clock behind", func(*Certificate) {}, now - day - machine.Time(Slack), nil},
		{"too early", func(*Certificate) {}, now - day - machine.Time(Slack) - 1, ErrExpired},
		{"last moment, clock ahead", func(*Certificate) {}, now + day + machine.Time(Slack) - 1, nil},
		{"too late", func(*Certificate) {}, now + day + machine.Time(Slack), ErrExpired},
		{"for good", func(c *Certificate) { c.Until = 0; c.Sign(keyOf(1)) }, 10000 * day, nil},
		{"another place", func(c *Certificate) { c.Pos.X++ }, now, ErrCertificate},
		{"longer", func(c *Certificate) { c.Until += day }, now, ErrCertificate},
		{"another number", func(c *Certificate) { c.Serial++ }, now, ErrCertificate},
		{"self-signed", func(c *Certificate) { c.Sign(keyOf(2)) }, now, ErrCertificate},
		{"another world", func(c *Certificate) { c.World = id.ID{1}; c.Sign(keyOf(1)) }, now, ErrCertificate},
		{"another node's", func(c *Certificate) { c.Key = [32]byte(pub(keyOf(9))); c.Sign(keyOf(1)) }, now, ErrCertificate},
	} {
		cert := certificate(&g)
		c.change(cert)
		err := gate.Admit(node, cert.Append(nil), c.now)
		if !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if _, jobErr := gate.Verify(id.Of(node), cert, c.now).Run(); (jobErr == nil) != (err == nil) {
			t.Errorf("%s: the job says %v", c.name, jobErr)
		}
	}
	for _, proof := range [][]byte{nil, {1}, make([]byte, CertificateSize)} {
		if err := gate.Admit(node, proof, now); !errors.Is(err, ErrCertificate) {
			t.Errorf("proof %x: %v", proof, err)
		}
	}
}

func TestRevocations(t *testing.T) {
	g := verified()
	gate, _ := NewGate(g)
	cert := certificate(&g).Append(nil)
	list := func(version uint64, signer byte, serials ...uint64) *Revocations {
		r := &Revocations{World: g.World(), Version: version, Issued: now, Serials: serials}
		if err := r.Sign(keyOf(signer)); err != nil {
			t.Fatal(err)
		}
		return r
	}
	newer, err := gate.Renew(list(2, 1, 9, 5, 5, 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := newer.Admit(pub(keyOf(2)), cert, now); !errors.Is(err, ErrRevoked) {
		t.Errorf("a revoked certificate: %v", err)
	}
	if err := gate.Admit(pub(keyOf(2)), cert, now); err != nil {
		t.Errorf("the old gate has changed: %v", err)
	}
	foreign := list(3, 1)
	foreign.World = id.ID{1}
	if err := foreign.Sign(keyOf(1)); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]*Revocations{
		"older": list(1, 1), "the same": list(2, 1), "forged": list(3, 2), "another world's": foreign, "none": nil,
	} {
		if got, err := newer.Renew(bad); err == nil || got != newer {
			t.Errorf("%s: taken", name)
		}
	}
	if lifted, err := newer.Renew(list(3, 1, 1)); err != nil || lifted.Admit(pub(keyOf(2)), cert, now) != nil {
		t.Errorf("a list without it: %v", err)
	}
	if err := (&Revocations{Serials: make([]uint64, MaxRevoked+1)}).Sign(keyOf(1)); err != nil {
		t.Errorf("the same number many times is one: %v", err)
	}
}

func TestGenesis(t *testing.T) {
	a, b := verified(), verified()
	if a.World() != b.World() {
		t.Error("the same genesis, two worlds")
	}
	for _, change := range []func(){func() { b.Salt[3]++ }, func() { b.Difficulty++ }, func() { b.Authority[0]++ }, func() { b.Zones++ }} {
		b = verified()
		change()
		if a.World() == b.World() {
			t.Errorf("another genesis, the same world: %+v", b)
		}
	}
	for _, bad := range []Genesis{{Difficulty: MaxDifficulty + 1}, {Authority: [32]byte{1}, Zones: 4}, {Zones: 4}, {Authority: a.Authority}, {Authority: a.Authority, Zones: 5}} {
		if _, err := NewGate(bad); err == nil {
			t.Errorf("taken: %+v", bad)
		}
		if _, err := DecodeGenesis(bad.Append(nil)); err == nil {
			t.Errorf("decoded: %+v", bad)
		}
	}
}

// TestGolden keeps the encodings: what was signed once must verify for ever.
func TestGolden(t *testing.T) {
	g := verified()
	r := &Revocations{World: g.World(), Version: 3, Issued: now, Serials: []uint64{1, 5}}
	if err := r.Sign(keyOf(1)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, got, want string }{
		{"genesis", hex.EncodeToString(g.Append(nil)), goldenGenesis},
		{"world", g.World().String(), goldenWorld},
		{"certificate", hex.EncodeToString(certificate(&g).Append(nil)), goldenCertificate},
		{"revocations", hex.EncodeToString(r.Append(nil)), goldenRevocations},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, c.got, c.want)
		}
	}
}

const (
	goldenGenesis = "010700000000000000000000000000000000000000000000000000000000000000008a88e3dd7409" +
		"f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c09"
	goldenWorld       = "ca216dfc5f61e56df51f22b0cb675c1367e47025"
	goldenCertificate = "01ca216dfc5f61e56df51f22b0cb675c1367e470258139770ea87d175f56a35466c34c7ecccb8d8a" +
		"91b4ee37a25df60f5b8fc9b394000004d2000002370000000000000005001e6374318d0000001f00" +
		"9d542b0000d8984d010b50d633d1194d0193880276955ef76c7807571eb3d93599ded16de7437f55" +
		"82c0896d9a4b6fe814ad136ef76da17aa79b6e05b88f00d8b42fc6a90f"
	goldenRevocations = "01ca216dfc5f61e56df51f22b0cb675c1367e470250000000000000003001eb208c2dc0000000000" +
		"0200000000000000010000000000000005d1530630a57e606f7fda77fe8a8616cc70f72f053244da" +
		"e9f58088ef7cd162fa1e59a8044474b7f16e6da64ff1d7dc8a1c48a09188f456c85fbeddc5e41144" +
		"03"
)

func FuzzCertificate(f *testing.F) {
	g := verified()
	f.Add(certificate(&g).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := DecodeCertificate(b)
		if err == nil && !bytes.Equal(c.Append(nil), b) {
			t.Errorf("%x decodes to another encoding", b)
		}
	})
}

func FuzzRevocations(f *testing.F) {
	g := verified()
	r := &Revocations{World: g.World(), Version: 1, Serials: []uint64{3, 4}}
	if err := r.Sign(keyOf(1)); err != nil {
		f.Fatal(err)
	}
	f.Add(r.Append(nil))
	long := r.Append(nil)
	binary.BigEndian.PutUint32(long[revocationsHead-4:], 1<<31)
	f.Add(long)
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := DecodeRevocations(b)
		if err == nil && !bytes.Equal(r.Append(nil), b) {
			t.Errorf("%x decodes to another encoding", b)
		}
	})
}

func FuzzGenesis(f *testing.F) {
	g := verified()
	f.Add(g.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := DecodeGenesis(b)
		if err == nil && !bytes.Equal(g.Append(nil), b) {
			t.Errorf("%x decodes to another encoding", b)
		}
	})
}

func BenchmarkSolveKey(b *testing.B) {
	s := &stream{r: rng.New(1)}
	for range b.N {
		if _, err := Solve(s, 0, nil); err != nil {
			b.Fatal(err)
		}
	}
}
