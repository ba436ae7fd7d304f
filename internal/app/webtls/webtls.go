// Package webtls gives the page's HTTPS server its certificates: from an authority
// that speaks ACME (RFC 8555), such as Let's Encrypt, or from files.
//
// With ACME the authority checks that the names lead to this machine: by a TLS
// handshake on port 443 (RFC 8737) or by a page on port 80 (RFC 8555, section 8.3).
// One of the two must reach the node. Certificates and the account's key are kept in
// a folder of the data folder, and renewed thirty days before they end.
//
// Invariant: a certificate is only asked for names that the host was started with. A
// client that sends other names (SNI, Host) costs a refused handshake or an answer of
// one line, and no request to the authority.
package webtls

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// MaxNames is how many names a host may have.
const MaxNames = 16

// Config says where certificates come from: with Cert and Key from files, otherwise
// from the authority at Directory.
type Config struct {
	Names     []string // "example.org"; with files: empty for those in the certificate
	Cert, Key string   // PEM files; they are read again when they change
	Directory string   // the ACME authority's; empty: Let's Encrypt
	Mail      string   // where it writes about expiring certificates; may be empty
	Dir       string   // folder for certificates and the account's key
	Log       *slog.Logger
}

// ErrConfig is returned for a configuration that cannot work.
var ErrConfig = errors.New("invalid TLS settings")

// Source is where an HTTPS server has its certificates from.
type Source struct {
	names   []string
	log     *slog.Logger
	manager *autocert.Manager // nil: certificates are files
	files   *files            // nil: they come from manager
}

// New checks the configuration and reads files; it does not ask an authority yet.
func New(cfg Config) (*Source, error) {
	s := &Source{log: cfg.Log}
	for _, n := range cfg.Names {
		s.names = append(s.names, strings.ToLower(strings.TrimSuffix(n, ".")))
	}
	if len(s.names) > MaxNames {
		return nil, fmt.Errorf("%w: %d names, at most %d can be served", ErrConfig, len(s.names), MaxNames)
	}
	if (cfg.Cert == "") != (cfg.Key == "") {
		return nil, fmt.Errorf("%w: a certificate and its key belong together: give both files", ErrConfig)
	}
	if cfg.Cert != "" {
		return s, s.useFiles(cfg.Cert, cfg.Key)
	}
	if len(s.names) == 0 {
		return nil, fmt.Errorf("%w: no name to get a certificate for", ErrConfig)
	}
	for _, n := range s.names {
		if !isName(n) {
			return nil, fmt.Errorf("%w: %q is not a name such as example.org, which an authority can certify", ErrConfig, n)
		}
	}
	s.manager = &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		Cache:      autocert.DirCache(cfg.Dir),
		HostPolicy: autocert.HostWhitelist(s.names...),
		Email:      cfg.Mail,
		Client:     &acme.Client{DirectoryURL: cfg.Directory, UserAgent: "voxelpopuli"},
	}
	if cfg.Directory == "" {
		s.manager.Client.DirectoryURL = autocert.DefaultACMEDirectory
	}
	return s, nil
}

// isName reports whether an authority may certify a host's name: labels of letters,
// digits and hyphens (RFC 1123), at least two.
func isName(n string) bool {
	labels := strings.Split(n, ".")
	if len(n) > 253 || len(labels) < 2 {
		return false
	}
	for _, l := range labels {
		if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' ||
			strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return strings.Trim(labels[len(labels)-1], "0123456789") != "" // not an IPv4 address
}

// Names are those that the server is reached by.
func (s *Source) Names() []string { return slices.Clone(s.names) }

// Server is the configuration of the HTTPS server. It offers HTTP/1.1 only: HTTP/2
// has no WebSockets that can be taken over.
func (s *Source) Server() *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if s.files != nil {
		c.GetCertificate = s.files.get
		return c
	}
	c.NextProtos = append(c.NextProtos, acme.ALPNProto)
	c.GetCertificate = s.manager.GetCertificate
	return c
}

// Obtain gets the certificates that are not there yet, so that whoever starts the
// host reads what is wrong, and not the first player. It returns nil at once with
// files.
func (s *Source) Obtain(ctx context.Context) error {
	if s.manager == nil {
		return nil
	}
	for _, n := range s.names {
		hello := &tls.ClientHelloInfo{
			ServerName: n, SupportedProtos: []string{"http/1.1"},
			CipherSuites:     []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
			SupportedCurves:  []tls.CurveID{tls.CurveP256},
			SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
		}
		got := make(chan error, 1)
		go func() { got <- s.obtain(hello) }()
		select {
		case err := <-got:
			if err != nil {
				return fmt.Errorf("no certificate for %s: %w", n, err)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (s *Source) obtain(hello *tls.ClientHelloInfo) error {
	c, err := s.manager.GetCertificate(hello)
	if err == nil && c.Leaf != nil {
		s.log.Info("HTTPS certificate", "name", hello.ServerName, "until", c.Leaf.NotAfter.UTC().Format(time.DateOnly))
	}
	return err
}

// Plain answers plain HTTP: challenges of the authority, and for everything else a
// redirect to the same page by HTTPS at port.
func (s *Source) Plain(port uint16) http.Handler {
	redirect := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := hostOf(r.Host)
		if !slices.Contains(s.names, name) || r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "This world is served by HTTPS, under its own name.", http.StatusNotFound)
			return
		}
		to := "https://" + name
		if port != 443 {
			to += fmt.Sprintf(":%d", port)
		}
		http.Redirect(w, r, to+r.URL.RequestURI(), http.StatusMovedPermanently)
	})
	if s.manager == nil {
		return redirect
	}
	challenges := s.manager.HTTPHandler(redirect)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = hostOf(r.Host) // where the port is forwarded from another one
		challenges.ServeHTTP(w, r)
	})
}

// hostOf is the name in a Host header.
func hostOf(hostport string) string {
	name, _, _ := strings.Cut(hostport, ":")
	return strings.ToLower(strings.TrimSuffix(name, "."))
}
