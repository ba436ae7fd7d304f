package host

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/netutil"

	"github.com/voxelpopuli/voxelpopuli/internal/app/webtls"
)

// Defaults of TLS.
const (
	defaultHTTPS = ":443"
	defaultHTTP  = ":80"
)

// maxPlain is how many connections the port for plain HTTP has at a time.
const maxPlain = 256

// noHTTP is the value of TLS.Plain for no plain port.
const noHTTP = "none"

// TLS serves the page by HTTPS as well. Config.Listen stays as it is: usually for this
// machine alone.
type TLS struct {
	// Names are the domain names that lead to this machine. Certificates for them are
	// asked of an ACME authority, unless Cert and Key are files with one.
	Names     []string
	Cert, Key string
	Listen    string // HOST:PORT; empty: port 443 on all addresses
	// Plain is where plain HTTP is answered, with challenges of the authority and
	// redirects: HOST:PORT; empty: port 80 on all addresses, "none": nowhere.
	Plain     string
	Directory string // URL of the ACME authority's directory; empty: Let's Encrypt
	Mail      string // the authority writes there; may be empty
}

func (t TLS) wanted() bool { return len(t.Names) > 0 || t.Cert != "" || t.Key != "" }

// https is what serves the page by HTTPS.
type https struct {
	names []string
	addr  netip.AddrPort
	plain *http.Server // nil: there is none
	from  uint16       // the port of plain HTTP
	stop  context.CancelFunc
}

// listenPlain opens the port for plain HTTP. Without it HTTPS works as well, if the
// authority reaches port 443: it is only a warning.
func (s *https) listenPlain(t TLS, from *webtls.Source, log *slog.Logger) {
	addr := cmp.Or(t.Plain, defaultHTTP)
	if addr == noHTTP {
		return
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		log.Warn("plain HTTP is not redirected to HTTPS", "address", addr, "error", httpsError(addr, err))
		return
	}
	s.plain = &http.Server{
		Handler: from.Plain(s.addr.Port()), ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second,
		IdleTimeout: 5 * time.Second, MaxHeaderBytes: 8 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	s.from = l.Addr().(*net.TCPAddr).AddrPort().Port()
	go func() {
		if err := s.plain.Serve(netutil.LimitListener(l, maxPlain)); !errors.Is(err, http.ErrServerClosed) {
			log.Warn("plain HTTP is no longer redirected to HTTPS", "address", addr, "error", err)
		}
	}()
}

// retryCertificate is how long after a failure an authority is asked again. Let's
// Encrypt allows five failures an hour for each name.
const retryCertificate = 15 * time.Minute

// obtain gets the certificates, and says what is in the way.
func (s *https) obtain(ctx context.Context, from *webtls.Source, log *slog.Logger) {
	for ctx.Err() == nil {
		err := from.Obtain(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		log.Warn("players cannot use HTTPS yet: do the names lead to this machine, and do its ports 80 or 443 reach this program?",
			"error", err, "again_in", retryCertificate)
		select {
		case <-ctx.Done():
		case <-time.After(retryCertificate):
		}
	}
}

func (s *https) close() error {
	if s == nil {
		return nil
	}
	s.stop()
	if s.plain == nil {
		return nil
	}
	return s.plain.Close()
}

// ports are those that players elsewhere, and the authority, reach.
func (s *https) ports() []uint16 {
	if s.addr.Addr().Unmap().IsLoopback() {
		return nil
	}
	if s.plain == nil {
		return []uint16{s.addr.Port()}
	}
	return []uint16{s.addr.Port(), s.from}
}

// pages are the page by HTTPS, under each name.
func (s *https) pages() (out []string) {
	if s == nil {
		return nil
	}
	for _, n := range s.names {
		if s.addr.Port() != 443 {
			n = net.JoinHostPort(n, strconv.Itoa(int(s.addr.Port())))
		}
		out = append(out, "https://"+n+"/")
	}
	return out
}

// openCertificates prepares HTTPS, if it is wanted.
func (l *listeners) openCertificates() error {
	t := l.cfg.TLS
	if !t.wanted() {
		return nil
	}
	s, err := webtls.New(webtls.Config{
		Names: t.Names, Cert: t.Cert, Key: t.Key, Directory: t.Directory, Mail: t.Mail,
		Dir: filepath.Join(l.cfg.Data, "tls"), Log: l.cfg.Log,
	})
	if err != nil {
		return &explained{ErrUsage, strings.TrimPrefix(err.Error(), webtls.ErrConfig.Error()+": ")}
	}
	l.certificates = s
	l.cfg.Hosts = slices.Concat(l.cfg.Hosts, s.Names())
	return nil
}
