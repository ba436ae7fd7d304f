package keyring

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/recent"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// LocalSecret proves that somebody may read this machine's data folder, and so is
// its owner: an address proves nothing, since forwarders and proxies connect from
// loopback as well. It is kept in DIR/keys/local.secret. Empty: there is none.
type LocalSecret string

const (
	localSize = 32 // bytes of the secret

	ticketNonce = 16
	ticketHead  = 8 + ticketNonce // when it was made, nonce
	ticketSize  = ticketHead + sha256.Size
	// TicketLife is for how long a ticket is good.
	TicketLife = time.Minute
	// usedTickets is how many used tickets are remembered at least. Only holders of
	// the secret can use tickets.
	usedTickets = 1 << 14
)

var localEncoding = base64.RawURLEncoding

// Local returns the data folder's secret, making one if there is none.
func (r *Ring) Local() (LocalSecret, error) {
	name := filepath.Join(r.dir, "local.secret")
	s, err := readLocal(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	var raw [localSize]byte
	rand.Read(raw[:])
	text := localEncoding.EncodeToString(raw[:])
	if err := files.WriteNew(name, []byte(text+"\n"), 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("the secret of the data folder: %w", err)
	}
	return readLocal(name) // another process may have been first
}

// ReadLocal returns the secret of a data folder; empty if it has none yet.
func ReadLocal(data string) (LocalSecret, error) {
	s, err := readLocal(filepath.Join(data, "keys", "local.secret"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return s, err
}

func readLocal(name string) (LocalSecret, error) {
	b, err := readPrivate(name)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(b))
	if raw, err := localEncoding.DecodeString(text); err != nil || len(raw) != localSize {
		return "", fmt.Errorf("%s: %w: remove it, the next start makes a new one", name, ErrDamaged)
	}
	return LocalSecret(text), nil
}

// Ticket proves that its maker knows the secret, once and within TicketLife. It is
// what may be shown where others can see it: on the command line of a browser, or
// to whatever listens at an address that somebody typed.
func (s LocalSecret) Ticket(now time.Time) string {
	var t [ticketSize]byte
	binary.BigEndian.PutUint64(t[:], uint64(now.Unix()))
	rand.Read(t[8:ticketHead])
	copy(t[ticketHead:], s.mac(t[:ticketHead]))
	return localEncoding.EncodeToString(t[:])
}

func (s LocalSecret) mac(head []byte) []byte {
	h := hmac.New(sha256.New, []byte(s))
	h.Write([]byte("voxelpopuli local ticket 1\n"))
	h.Write(head)
	return h.Sum(nil)
}

// LocalVerifier checks who knows a secret. It is safe for concurrent use.
type LocalVerifier struct {
	secret LocalSecret

	mu   sync.Mutex
	used recent.Map[[ticketNonce]byte, struct{}]
}

// NewLocalVerifier returns the verifier of a secret; of an empty one it believes
// nobody.
func NewLocalVerifier(s LocalSecret) *LocalVerifier {
	return &LocalVerifier{secret: s, used: recent.New[[ticketNonce]byte, struct{}](usedTickets)}
}

// Check reports whether what was shown is the secret, or a ticket made of it that
// was not used before.
func (v *LocalVerifier) Check(shown string, now time.Time) bool {
	if v.secret == "" || len(shown) > localEncoding.EncodedLen(ticketSize) {
		return false
	}
	if subtle.ConstantTimeCompare([]byte(shown), []byte(v.secret)) == 1 {
		return true
	}
	t, err := localEncoding.DecodeString(shown)
	if err != nil || len(t) != ticketSize || !hmac.Equal(v.secret.mac(t[:ticketHead]), t[ticketHead:]) {
		return false
	}
	made := time.Unix(int64(binary.BigEndian.Uint64(t)), 0)
	if age := now.Sub(made); age > TicketLife || age < -TicketLife {
		return false
	}
	nonce := [ticketNonce]byte(t[8:ticketHead])
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, used := v.used.Get(nonce); used {
		return false
	}
	v.used.Put(nonce, struct{}{})
	return true
}

// Secret is what a holder may be given to keep.
func (v *LocalVerifier) Secret() LocalSecret { return v.secret }
