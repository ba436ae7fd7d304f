package gateway_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
)

// serveTLS serves by HTTPS and by plain HTTP at the same time.
func serveTLS(t *testing.T, cfg gateway.Config) (secure, plain string, trust *x509.CertPool) {
	t.Helper()
	donor := httptest.NewUnstartedServer(nil) // has a certificate for example.com
	donor.StartTLS()
	t.Cleanup(donor.Close)
	trust = x509.NewCertPool()
	trust.AddCert(donor.Certificate())
	g, err := gateway.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	listen := func(serve func(net.Listener) error) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() { ended <- serve(l) }()
		return l.Addr().String()
	}
	by := &tls.Config{Certificates: donor.TLS.Certificates, NextProtos: []string{"http/1.1"}}
	secure = listen(func(l net.Listener) error { return g.ServeTLS(l, by) })
	plain = listen(g.Serve)
	t.Cleanup(func() {
		if err := g.Shutdown(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
	return secure, plain, trust
}

// TestHTTPSBesideHTTP: both ports serve the page; only HTTPS tells browsers to come by
// HTTPS from now on.
func TestHTTPSBesideHTTP(t *testing.T) {
	secure, plain, trust := serveTLS(t, gateway.Config{Game: nobody{}, Hosts: []string{"example.com"}, Log: slog.New(slog.DiscardHandler)})
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust, ServerName: "example.com"}}}
	for _, x := range []struct{ url, hsts string }{
		{"https://" + secure + "/", "max-age=31536000"}, {"http://" + plain + "/", ""},
	} {
		r, err := http.NewRequest("GET", x.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "example.com"
		a, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(a.Body)
		a.Body.Close()
		if err != nil || a.StatusCode != http.StatusOK || len(body) == 0 || a.Proto != "HTTP/1.1" {
			t.Errorf("%s: %s, %s, %d bytes, %v", x.url, a.Status, a.Proto, len(body), err)
		}
		if got := a.Header.Get("Strict-Transport-Security"); got != x.hsts {
			t.Errorf("%s: Strict-Transport-Security %q, want %q", x.url, got, x.hsts)
		}
	}
	c.CloseIdleConnections()
}

// TestHostileTLS: connections that never finish their handshake make room for others,
// as those that never send a request do.
func TestHostileTLS(t *testing.T) {
	secure, _, trust := serveTLS(t, gateway.Config{Game: nobody{}, Log: slog.New(slog.DiscardHandler),
		Limits: gateway.Limits{PendingPerAddress: 4}})
	var idle []net.Conn
	for i := range 8 {
		c := connect(t, secure)
		if i%2 == 0 {
			if _, err := c.Write([]byte("\x16\x03\x01\x02\x00")); err != nil { // the head of a ClientHello that does not come
				t.Fatal(err)
			}
		}
		idle = append(idle, c)
	}
	c, err := tls.DialWithDialer(&net.Dialer{Timeout: 10 * time.Second}, "tcp", secure, &tls.Config{RootCAs: trust, ServerName: "example.com"})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	for _, c := range idle[:4] {
		if !ended(c) {
			t.Error("an idle connection does not make room")
		}
	}
}
