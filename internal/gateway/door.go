package gateway

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/recent"
	"github.com/voxelpopuli/voxelpopuli/internal/wire"
)

const (
	tokenLife = time.Minute
	// usedTokens is how many used tokens are remembered at least. Each has opened a
	// socket, so that they cost an attacker more than they cost us.
	usedTokens = 1 << 15
	// maxVisitors is how many addresses are remembered; those with the oldest
	// business make room.
	maxVisitors = 1 << 14
	// An address may try wrongCodes wrong codes, and one more in wrongRest.
	wrongCodes = 5
	wrongRest  = 10 * time.Second
	// strongCode is how many bits a join code must have to be let in whatever an
	// address has tried before: at a hundred thousand tries a second it takes weeks
	// to find one of 38 bits. A generated code has 39.6.
	strongCode = 38
)

// door decides who may open a socket: it compares the code, hands out tokens
// and counts connections. It is safe for concurrent use.
type door struct {
	code    [sha256.Size]byte // of the join code
	anybody bool              // no code
	strong  bool              // the code cannot be guessed
	key     [32]byte          // of tokens
	limits  Limits
	now     func() time.Time

	mu       sync.Mutex
	used     recent.Map[string, struct{}] // tokens
	visitors limit.Table[visitor]
	open     int // connections
}

// visitor is what is remembered of an address.
type visitor struct {
	open  int
	wrong limit.Budget
}

func newDoor(code string, limits Limits, now func() time.Time) *door {
	d := &door{
		code: sha256.Sum256([]byte(code)), anybody: code == "", strong: codeBits(code) >= strongCode, limits: limits, now: now,
		used: recent.New[string, struct{}](usedTokens),
		visitors: limit.NewTable(maxVisitors, func() visitor {
			return visitor{wrong: limit.NewBudget(1/wrongRest.Seconds(), wrongCodes)}
		}, func(v *visitor) bool { return v.open > 0 }),
	}
	rand.Read(d.key[:])
	return d
}

// codeBits is how hard a code is to guess at most, in bits, if it was drawn from
// the kinds of characters that it has.
func codeBits(code string) float64 {
	kinds := 0
	for _, k := range []struct {
		chars string
		n     int
	}{{"abcdefghijklmnopqrstuvwxyz", 26}, {"ABCDEFGHIJKLMNOPQRSTUVWXYZ", 26}, {"0123456789", 10}} {
		if strings.ContainsAny(code, k.chars) {
			kinds += k.n
		}
	}
	if strings.ContainsFunc(code, func(r rune) bool { return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') }) {
		kinds += 10
	}
	if kinds == 0 {
		return 0
	}
	return float64(len([]rune(code))) * math.Log2(float64(kinds))
}

// token exchanges a join code for a token; who is local needs none.
func (d *door) token(a netip.Addr, code string, local bool) (string, *wire.Refused) {
	if !local && !d.anybody {
		if why := d.try(a, code); why != nil {
			return "", why
		}
	}
	return d.mint(local), nil
}

// try compares a code. A strong one that is right is always let in, so that nobody
// can lock others out by trying from their address, or through their proxy. A weak
// one would be found soon: there even the right code has to wait once an address
// has tried too many.
func (d *door) try(a netip.Addr, code string) *wire.Refused {
	sum := sha256.Sum256([]byte(code))
	right := subtle.ConstantTimeCompare(sum[:], d.code[:]) == 1
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	v := d.visitors.Of(a, now)
	tooMany := !v.wrong.Has(1, now)
	switch {
	case right && (d.strong || !tooMany):
		return nil
	case code == "": // a question whether one is needed, not a guess
		return wire.BadCode.Refusal(1)
	case tooMany:
		return wrongCodesRefusal(v.wrong.Wait(1, now))
	}
	v.wrong.Take(1, now)
	return wire.BadCode.Refusal(1)
}

// wrongCodesRefusal says that an address has tried too many wrong codes, and when it
// may try again.
func wrongCodesRefusal(wait time.Duration) *wire.Refused {
	seconds := uint32(math.Ceil(wait.Seconds()))
	return &wire.Refused{Code: wire.WrongCodes, Retry: seconds,
		Text: fmt.Sprintf("%s Try again in %d s.", wire.WrongCodes.Text(), seconds)}
}

// A token is when it ends, whether it is local, a nonce, and their HMAC. Nothing
// is remembered of it before it is used, so that no number of tokens fills anything.
const (
	tokenHead = 8 + 1 + 15
	tokenSize = tokenHead + 16
)

func (d *door) mint(local bool) string {
	var t [tokenSize]byte
	binary.BigEndian.PutUint64(t[:], uint64(d.now().Add(tokenLife).UnixNano()))
	rand.Read(t[8:tokenHead])
	t[8] = 0
	if local {
		t[8] = 1
	}
	copy(t[tokenHead:], d.mac(t[:tokenHead]))
	return base64.RawURLEncoding.EncodeToString(t[:])
}

func (d *door) mac(head []byte) []byte {
	h := hmac.New(sha256.New, d.key[:])
	h.Write(head)
	return h.Sum(nil)[:tokenSize-tokenHead]
}

// check reads a token that is good and was not used before. d is locked.
func (d *door) check(token string) (local, ok bool) {
	if len(token) != base64.RawURLEncoding.EncodedLen(tokenSize) {
		return false, false
	}
	t, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || !hmac.Equal(d.mac(t[:tokenHead]), t[tokenHead:]) {
		return false, false
	}
	if _, used := d.used.Get(token); used || d.now().UnixNano() > int64(binary.BigEndian.Uint64(t)) {
		return false, false
	}
	return t[8] == 1, true
}

// enter uses up a token, says whether it is of somebody local, and counts a
// connection, which leave is to be called for in the end. If there is no room,
// evict may make some among those of an address, or of all.
func (d *door) enter(a netip.Addr, token string, evict func(netip.Prefix) bool) (local bool, why *wire.Refused) {
	d.mu.Lock()
	defer d.mu.Unlock()
	local, ok := d.check(token)
	if !ok {
		return false, wire.BadToken.Refusal(1)
	}
	v := d.visitors.Of(a, d.now())
	switch {
	case !local && v.open >= d.limits.PerAddress && !evict(limit.Key(a)):
		return local, tooManyOfYours()
	case d.open >= d.limits.Connections && !evict(netip.Prefix{}):
		return local, wire.Full.Refusal(30)
	}
	d.used.Put(token, struct{}{})
	d.open++
	v.open++
	return local, nil
}

func tooManyOfYours() *wire.Refused {
	return &wire.Refused{Code: wire.Full, Text: "There are too many connections from your address.", Retry: 30}
}

func (d *door) leave(a netip.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open--
	d.visitors.Of(a, d.now()).open--
}

// sweep forgets visitors that did nothing for a while.
func (d *door) sweep() {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	d.visitors.Sweep(func(v *visitor) bool { return v.wrong.Full(now) })
}
