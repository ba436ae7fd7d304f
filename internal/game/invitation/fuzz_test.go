package invitation

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// seal is the digits of an invitation's bytes with their checksum.
func seal(b []byte) string {
	sum := sha256.Sum256(b)
	return encoding.EncodeToString(append(bytes.Clone(b), sum[:checkSize]...))
}

// FuzzParse: whatever is in a text with the right checksum, it is refused or it is an
// invitation that is passed on unchanged.
func FuzzParse(f *testing.F) {
	i := invite(f, Build|Host, ends).At(addrs)
	b, err := encoding.DecodeString(i.Text()[len(prefix):])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b[:len(b)-checkSize])
	f.Fuzz(func(t *testing.T, b []byte) {
		i, err := Parse(prefix + seal(b))
		if err != nil {
			return
		}
		again, err := Parse(i.Text())
		if err != nil || again.Statement != i.Statement || again.Secret != i.Secret || len(again.Addrs) != len(i.Addrs) {
			t.Fatalf("%+v became %+v, %v", i, again, err)
		}
	})
}

// FuzzAdmission: whatever a node shows, it is not admitted without the founder's
// signature and that of the invitation.
func FuzzAdmission(f *testing.F) {
	good := invite(f, Build|Host, ends).AdmitNode(pub(2))
	f.Add(good)
	g := NewGate(world, founder, true)
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := g.AdmitNode(pub(2), b, now); err == nil && !bytes.Equal(b, good) {
			t.Fatalf("%x is admitted", b)
		}
	})
}

// FuzzAdmissionCode: an admission has one text.
func FuzzAdmissionCode(f *testing.F) {
	f.Add(AdmissionCode(invite(f, Visit, ends).AdmitPlayer(id.Of(pub(2)))))
	f.Fuzz(func(t *testing.T, text string) {
		if proof, ok := ParseAdmission(text); ok && AdmissionCode(proof) != text {
			t.Fatalf("%q is also %q", text, AdmissionCode(proof))
		}
	})
}

// FuzzAccess: a list has one encoding.
func FuzzAccess(f *testing.F) {
	a := &Access{World: world, Version: 3, Whitelist: true, Revoked: []id.ID{{1}, {2}}, Kept: []id.ID{{3}}}
	if err := a.Sign(key(1)); err != nil {
		f.Fatal(err)
	}
	f.Add(a.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if a, err := DecodeAccess(b); err == nil && !bytes.Equal(a.Append(nil), b) {
			t.Fatalf("%x is also %x", b, a.Append(nil))
		}
	})
}
