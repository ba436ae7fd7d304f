package keyring

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func newLocal(t *testing.T) (LocalSecret, string) {
	t.Helper()
	dir := t.TempDir()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Local()
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func TestLocalSecretIsOfTheFolderAlone(t *testing.T) {
	s, dir := newLocal(t)
	other, _ := newLocal(t)
	again, err := ReadLocal(dir)
	if err != nil || again != s || s == other || len(s) < 40 {
		t.Fatalf("%q, then %q (%v), elsewhere %q", s, again, err, other)
	}
	if none, err := ReadLocal(t.TempDir()); none != "" || err != nil {
		t.Errorf("a folder without one: %q %v", none, err)
	}
	name := filepath.Join(dir, "keys", "local.secret")
	st, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if st.Mode().Perm() != 0o600 {
			t.Errorf("its mode is %v", st.Mode())
		}
		os.Chmod(name, 0o644)
		if _, err := ReadLocal(dir); !errors.Is(err, ErrExposed) {
			t.Errorf("one that others may read: %v", err)
		}
		os.Chmod(name, 0o600)
	}
	for _, bad := range []string{"", "short", string(s) + "A", "////"} {
		os.WriteFile(name, []byte(bad), 0o600)
		if _, err := ReadLocal(dir); !errors.Is(err, ErrDamaged) {
			t.Errorf("%q is taken for a secret: %v", bad, err)
		}
	}
}

// TestHostileLocalProofs: nothing but the secret, or a fresh ticket of it, counts.
func TestHostileLocalProofs(t *testing.T) {
	s, _ := newLocal(t)
	other, _ := newLocal(t)
	now := time.Unix(1e9, 0)
	v := NewLocalVerifier(s)
	ticket := s.Ticket(now)
	raw, _ := base64.RawURLEncoding.DecodeString(s.Ticket(now))
	later := append([]byte(nil), raw...)
	later[7]++ // a second more
	for name, shown := range map[string]string{
		"nothing":                  "",
		"another secret":           string(other),
		"another's ticket":         other.Ticket(now),
		"old ticket":               s.Ticket(now.Add(-TicketLife - time.Second)),
		"ticket of the future":     s.Ticket(now.Add(TicketLife + time.Second)),
		"ticket with another time": base64.RawURLEncoding.EncodeToString(later),
		"ticket without its end":   ticket[:len(ticket)-2],
		"ticket and more":          ticket + "AAAA",
		"part of the secret":       string(s[:len(s)-1]),
		"no base64":                "!" + ticket[1:],
	} {
		if v.Check(shown, now) {
			t.Errorf("%s is believed", name)
		}
	}
	for range 2 { // the secret is good more than once
		if !v.Check(string(s), now) {
			t.Error("the secret is not believed")
		}
	}
	if !v.Check(ticket, now.Add(TicketLife)) {
		t.Error("a ticket is not believed")
	}
	if v.Check(ticket, now) {
		t.Error("a ticket is believed twice")
	}
	if none := NewLocalVerifier(""); none.Check("", now) || none.Check(LocalSecret("").Ticket(now), now) {
		t.Error("without a secret somebody is believed")
	}
}
