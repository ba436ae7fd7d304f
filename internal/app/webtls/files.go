package webtls

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// checkEvery is how often files are looked at, by handshakes.
const checkEvery = 10 * time.Second

// files is a certificate and its key on disk. Programs that renew certificates
// replace the files; the new ones are used without a restart. Files that cannot be
// used are reported, and the old certificate stays.
type files struct {
	cert, key string
	log       *slog.Logger
	now       func() time.Time

	mu      sync.Mutex
	checked time.Time
	version [2]fileVersion
	pair    *tls.Certificate
}

// fileVersion changes when a file does.
type fileVersion struct {
	size int64
	at   time.Time
}

func (s *Source) useFiles(cert, key string) error {
	s.files = &files{cert: cert, key: key, log: s.log, now: time.Now}
	if err := s.files.read(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	if len(s.names) == 0 {
		names := s.files.pair.Leaf.DNSNames
		s.names = names[:min(len(names), MaxNames)]
	}
	for _, n := range s.names {
		if err := s.files.pair.Leaf.VerifyHostname(n); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrConfig, cert, err)
		}
	}
	return nil
}

func (f *files) read() error {
	version, err := f.versions()
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return fmt.Errorf("reading the certificate %s and its key %s: %w", f.cert, f.key, err)
	}
	f.pair, f.version, f.checked = &pair, version, f.now()
	return nil
}

func (f *files) versions() (v [2]fileVersion, err error) {
	for i, name := range []string{f.cert, f.key} {
		info, err := os.Stat(name)
		if err != nil {
			return v, err
		}
		v[i] = fileVersion{info.Size(), info.ModTime()}
	}
	return v, nil
}

// get is tls.Config.GetCertificate.
func (f *files) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.now(); now.Sub(f.checked) >= checkEvery {
		f.checked = now
		v, err := f.versions()
		if err == nil && v != f.version {
			err = f.read()
		}
		if err != nil {
			f.log.Warn("the HTTPS certificate stays the old one: its new file cannot be used", "file", f.cert, "error", err)
		}
	}
	return f.pair, nil
}
