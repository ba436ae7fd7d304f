package transport

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

// Who asks what world this is can ask for one file besides, by a name of 32 bytes: on the
// same stream, once it has the answer. What it gets is a frame with the file, or an empty
// one: the node does not have it, or has no time.

// FileName names a file of NetConfig.Files.
type FileName = [32]byte

// ErrNoFile: the node that was asked does not give the file.
var ErrNoFile = errors.New("the node does not have the file, or is too busy to send it")

const (
	// maxFile bounds a file.
	maxFile = 6 << 20
	// fileTime bounds how long one takes.
	fileTime = time.Minute
	// filesAtOnce are how many are sent at a time.
	filesAtOnce = 4
	// Bytes that an address gets, a second and at once, and all together.
	fileRate, fileBurst         = 128 << 10, 48 << 20
	allFilesRate, allFilesBurst = 1 << 20, 192 << 20
	// maxFileAddresses is how many addresses are remembered.
	maxFileAddresses = 1 << 10
)

// fileBudget bounds what those who ask are sent. It is safe for concurrent use.
type fileBudget struct {
	mu   sync.Mutex
	now  int
	from limit.Table[limit.Budget]
	all  limit.Budget
}

func newFileBudget() *fileBudget {
	return &fileBudget{
		all:  limit.NewBudget(allFilesRate, allFilesBurst),
		from: limit.NewTable(maxFileAddresses, func() limit.Budget { return limit.NewBudget(fileRate, fileBurst) }, func(*limit.Budget) bool { return false }),
	}
}

// begin reports whether a file may be sent to an address now; then end must follow.
func (f *fileBudget) begin(to netip.Addr, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == filesAtOnce || !f.from.Of(to, now).Has(1, now) || !f.all.Has(1, now) {
		return false
	}
	f.now++
	return true
}

// end counts a file of so many bytes; a budget may be overdrawn by one.
func (f *fileBudget) end(to netip.Addr, size int, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now--
	for _, b := range []*limit.Budget{f.from.Of(to, now), &f.all} {
		if n := float64(size); !b.Take(n, now) {
			b.Give(-n)
		}
	}
}

// AskFile asks the node at an address for a file, as Ask does for its world. What comes
// proves nothing: the caller verifies it.
func AskFile(ctx context.Context, conn net.PacketConn, key ed25519.PrivateKey, at netip.AddrPort, proof []byte, name FileName) (file []byte, err error) {
	_, err = asking(ctx, conn, key, at, func(ctx context.Context, c *quic.Conn) (a About, err error) {
		s, f, a, err := ask(ctx, c, proof)
		if err != nil {
			return a, err
		}
		b := append(make([]byte, frameHead), name[:]...)
		putFrameHead(b)
		if _, err := s.Write(b); err != nil {
			return a, err
		}
		f.limit = maxFile
		if file, err = nextFrame(f); err == nil && len(file) == 0 {
			err = fmt.Errorf("%w: %x", ErrNoFile, name[:4])
		}
		return a, err
	})
	return file, err
}

// give waits for the name of a file and sends it.
func (n *network) give(q *quic.Conn, s *quic.Stream, f *frames) {
	s.SetReadDeadline(time.Now().Add(n.cfg.Dead))
	f.limit = len(FileName{})
	name, err := nextFrame(f)
	if err != nil || len(name) != len(FileName{}) {
		return // it wants none, mostly
	}
	to := limit.Canonical(q.RemoteAddr().(*net.UDPAddr).AddrPort().Addr())
	var file []byte
	if n.files.begin(to, time.Now()) {
		defer func() { n.files.end(to, len(file), time.Now()) }()
		if file = n.cfg.Files(FileName(name)); len(file) > maxFile {
			file = nil
		}
	}
	b := append(make([]byte, frameHead, frameHead+len(file)), file...)
	putFrameHead(b)
	s.SetWriteDeadline(time.Now().Add(fileTime))
	if _, err := s.Write(b); err == nil {
		n.untilRead(q, fileTime)
	}
}

// untilRead waits until the asker closes, which it does when it has everything.
func (n *network) untilRead(q *quic.Conn, atMost time.Duration) {
	select {
	case <-q.Context().Done():
	case <-time.After(atMost):
	case <-n.ctx.Done():
	}
}
