package e2e

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// worldName is what the tests call their host; the test's own DNS server knows it.
const worldName = "world.example"

// TestHTTPS: a node gets a certificate from a real ACME server (Let's Encrypt's
// pebble), which visits it to check the name; a browser plays over wss; plain HTTP
// leads there; a certificate that ends soon is renewed; and it is still used after a
// restart without the server.
func TestHTTPS(t *testing.T) {
	tlsPort, plainPort := freePort(t), freePort(t)
	acme := startPebble(t, tlsPort, plainPort)
	t.Setenv("SSL_CERT_FILE", acme.ca)
	srv := startServer(t, "--share", "--nodes", "127.0.0.1:0", "--no-port-mapping", "--tls-name", worldName, "--tls-acme", acme.directory,
		"--tls-listen", fmt.Sprintf("127.0.0.1:%d", tlsPort), "--tls-plain", fmt.Sprintf("127.0.0.1:%d", plainPort))
	page := fmt.Sprintf("https://%s:%d/", worldName, tlsPort)
	if len(srv.friends) != 1 || !strings.HasPrefix(srv.friends[0], page) {
		t.Fatalf("the page for friends is %q, want %s", srv.friends, page)
	}
	leaf := acme.visit(t, tlsPort)
	if err := leaf.VerifyHostname(worldName); err != nil {
		t.Fatal(err)
	}

	plain := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequest("GET", fmt.Sprintf("http://127.0.0.1:%d/", plainPort), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = worldName
	a, err := plain.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if a.StatusCode != http.StatusMovedPermanently || a.Header.Get("Location") != page {
		t.Fatalf("plain HTTP: %s to %q", a.Status, a.Header.Get("Location"))
	}

	ann := &player{t: t, name: "Ann", profile: profile(t), w: 960, h: 540, flags: []chromedp.ExecAllocatorOption{
		chromedp.Flag("host-resolver-rules", "MAP "+worldName+" 127.0.0.1"),
		chromedp.Flag("ignore-certificate-errors", true), // the browser does not know the test's authority; visit checked it
	}, look: `{"viewDistance": 3, "farDistance": 0, "quality": "low", "clouds": false}`}
	ann.launch()
	t.Cleanup(func() { ann.quit() })
	ann.open(srv.friends[0] + "#code=" + srv.invitation)
	ann.enter()
	ann.ready()
	if s := ann.state(); !strings.HasPrefix(s.Gateway, "https://"+worldName) {
		t.Fatalf("she plays at %q", s.Gateway)
	}

	srv.stop()
	writeEnding(t, filepath.Join(srv.data, "tls", worldName))
	srv.again()
	if leaf = acme.visit(t, tlsPort); time.Until(leaf.NotAfter) < 30*24*time.Hour {
		t.Fatalf("the certificate was not renewed: it ends %v", leaf.NotAfter)
	}

	acme.stop()
	srv.stop()
	srv.again()
	if again := acme.visit(t, tlsPort); !again.Equal(leaf) {
		t.Fatal("after a restart the node has another certificate")
	}
}

// pebble is an ACME server of the test.
type pebble struct {
	directory string // URL
	ca        string // file with the certificate of its own pages
	roots     *x509.CertPool
	stop      func()
}

// startPebble starts an ACME server whose validators connect to these ports.
func startPebble(t *testing.T, tlsPort, plainPort int) *pebble {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "pebble")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/letsencrypt/pebble/v2/cmd/pebble").CombinedOutput(); err != nil {
		t.Fatalf("pebble does not build: %v\n%s", err, out)
	}
	cert, key := writeCertificate(t, dir)
	port, management := freePort(t), freePort(t)
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": fmt.Sprintf("127.0.0.1:%d", port), "managementListenAddress": fmt.Sprintf("127.0.0.1:%d", management),
		"certificate": cert, "privateKey": key, "httpPort": plainPort, "tlsPort": tlsPort,
		"profiles": map[string]any{"default": map[string]any{"description": "for tests", "validityPeriod": 7776000}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pebble.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(program, "-config", file, "-dnsserver", serveDNS(t))
	cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0")
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	p := &pebble{directory: fmt.Sprintf("https://127.0.0.1:%d/dir", port), ca: cert, roots: x509.NewCertPool()}
	p.stop = func() {
		if !stopped {
			stopped = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			t.Logf("pebble's log:\n%s", log.String())
		}
	})
	own := x509.NewCertPool()
	own.AppendCertsFromPEM(readFile(t, cert))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: own}}}
	p.roots.AppendCertsFromPEM(get(t, client, fmt.Sprintf("https://127.0.0.1:%d/roots/0", management)))
	return p
}

// visit returns the node's certificate as soon as it has one of this authority.
func (p *pebble) visit(t *testing.T, port int) *x509.Certificate {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(poll) {
		c, err := tls.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port), &tls.Config{ServerName: worldName, RootCAs: p.roots})
		if err == nil {
			defer c.Close()
			return c.ConnectionState().PeerCertificates[0]
		}
		if time.Now().After(end) {
			t.Fatalf("the node has no certificate: %v", err)
		}
	}
}

// get waits until a page is there.
func get(t *testing.T, c *http.Client, url string) []byte {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(poll) {
		a, err := c.Get(url)
		if err == nil {
			b, err := io.ReadAll(a.Body)
			a.Body.Close()
			if err == nil && a.StatusCode == http.StatusOK {
				return b
			}
		}
		if time.Now().After(end) {
			t.Fatalf("%s: %v", url, err)
		}
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// writeCertificate makes a certificate for 127.0.0.1 that signs itself.
func writeCertificate(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
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

// writeEnding writes a certificate that ends in ten days, and its key, where the node
// keeps those that it was given.
func writeEnding(t *testing.T, file string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{worldName}, NotBefore: time.Now().AddDate(0, 0, -80), NotAfter: time.Now().AddDate(0, 0, 10)}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	both := append(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	if err := os.WriteFile(file, both, 0o600); err != nil {
		t.Fatal(err)
	}
}

// serveDNS answers every question for an IPv4 address with 127.0.0.1, and others with
// nothing (RFC 1035). Pebble asks over TCP (RFC 7766).
func serveDNS(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answerAll(c)
		}
	}()
	return l.Addr().String()
}

// answerAll answers the questions of a connection; each has its length in front.
func answerAll(c net.Conn) {
	defer c.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		q := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, q); err != nil {
			return
		}
		a := answerDNS(q)
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(a))), a...)); err != nil {
			return
		}
	}
}

func answerDNS(q []byte) []byte {
	const header = 12
	end := header
	for end < len(q) && q[end] != 0 {
		end += int(q[end]) + 1
	}
	if end += 5; end > len(q) { // the root's label, type and class
		return nil
	}
	out := append([]byte(nil), q[:end]...)
	out[2], out[3] = 0x84|q[2]&1, 0 // an answer, with authority
	clear(out[6:header])
	const typeA = 1
	if binary.BigEndian.Uint16(q[end-4:]) == typeA {
		out[7] = 1
		out = append(out, 0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1)
	}
	return out
}
