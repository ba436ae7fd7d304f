package webtls

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writePair writes a self-signed certificate and its key.
func writePair(t *testing.T, dir string, serial int64, names ...string) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: names, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, b := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func source(t *testing.T, cfg Config) *Source {
	t.Helper()
	cfg.Log, cfg.Dir = slog.New(slog.DiscardHandler), t.TempDir()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func serial(t *testing.T, c *tls.Config) int64 {
	t.Helper()
	got, err := c.GetCertificate(&tls.ClientHelloInfo{ServerName: "example.org"})
	if err != nil {
		t.Fatal(err)
	}
	return got.Leaf.SerialNumber.Int64()
}

// A renewed certificate is used without a restart; a damaged one is not, and the old
// one stays.
func TestFilesThatChange(t *testing.T) {
	dir := t.TempDir()
	cert, key := writePair(t, dir, 1, "example.org", "www.example.org")
	s := source(t, Config{Cert: cert, Key: key})
	now := time.Now()
	s.files.now = func() time.Time { return now }
	if got := strings.Join(s.Names(), " "); got != "example.org www.example.org" {
		t.Fatalf("names %q", got)
	}
	c := s.Server()
	later := func() { // whatever the resolution of the file system's times
		now = now.Add(checkEvery)
		for _, f := range []string{cert, key} {
			if err := os.Chtimes(f, now, now); err != nil {
				t.Fatal(err)
			}
		}
	}
	writePair(t, dir, 2, "example.org")
	if n := serial(t, c); n != 1 {
		t.Fatalf("certificate %d: files are read with every handshake", n)
	}
	later()
	if n := serial(t, c); n != 2 {
		t.Fatalf("certificate %d after the renewal", n)
	}
	if err := os.WriteFile(key, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	later()
	if n := serial(t, c); n != 2 {
		t.Fatalf("certificate %d with a damaged key", n)
	}
}

func TestSettings(t *testing.T) {
	cert, key := writePair(t, t.TempDir(), 1, "example.org")
	many := make([]string, MaxNames+1)
	for name, cfg := range map[string]Config{
		"no name":                    {},
		"a certificate without key":  {Cert: cert},
		"a key without certificate":  {Key: key},
		"a file that is missing":     {Cert: cert + ".none", Key: key},
		"a certificate for a key":    {Cert: key, Key: key},
		"a name of another":          {Cert: cert, Key: key, Names: []string{"other.example"}},
		"an address":                 {Names: []string{"192.0.2.1"}},
		"one label":                  {Names: []string{"localhost"}},
		"a wildcard":                 {Names: []string{"*.example.org"}},
		"a port":                     {Names: []string{"example.org:443"}},
		"a path out of the folder":   {Names: []string{"../../example.org"}},
		"an empty label":             {Names: []string{"example..org"}},
		"too many names":             {Names: many},
		"letters outside of the DNS": {Names: []string{"exämple.org"}},
	} {
		if _, err := New(cfg); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHostileRedirect: plain HTTP leads to the same page by HTTPS, and to no other host.
func TestHostileRedirect(t *testing.T) {
	s := source(t, Config{Names: []string{"Example.org."}})
	for _, c := range []struct {
		host, method, path string
		port               uint16
		want               string // empty: refused
	}{
		{"example.org", "GET", "/", 443, "https://example.org/"},
		{"EXAMPLE.ORG:80", "GET", "/?a=b", 443, "https://example.org/?a=b"},
		{"example.org", "HEAD", "/x", 8443, "https://example.org:8443/x"},
		{"example.org", "POST", "/api/session", 443, ""},
		{"evil.example", "GET", "/", 443, ""},
		{"example.org.evil.example", "GET", "/", 443, ""},
		{"192.0.2.1", "GET", "/", 443, ""},
		{"", "GET", "/", 443, ""},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		s.Plain(c.port).ServeHTTP(w, r)
		if got := w.Header().Get("Location"); got != c.want || c.want == "" && w.Code != http.StatusNotFound {
			t.Errorf("%s %q%s: %d, to %q, want %q", c.method, c.host, c.path, w.Code, got, c.want)
		}
	}
}

// TestHostileNames: no name but the host's own costs a request to the authority.
func TestHostileNames(t *testing.T) {
	asked := 0
	acme := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked++; http.Error(w, "", 500) }))
	defer acme.Close()
	s := source(t, Config{Names: []string{"example.org"}, Directory: acme.URL})
	for _, n := range []string{"", "evil.example", "example.org.evil.example", "..", "example.org/../../x", strings.Repeat("a.", 300)} {
		if _, err := s.Server().GetCertificate(&tls.ClientHelloInfo{ServerName: n}); err == nil {
			t.Errorf("a certificate for %q", n)
		}
	}
	if asked != 0 {
		t.Errorf("%d requests to the authority", asked)
	}
}
