package gateway

import (
	"crypto/cipher"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/recent"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

const (
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

// admission decides which clients may open a socket: it compares the code,
// hands out tokens and counts connections. It is safe for concurrent use.
type admission struct {
	code    [sha256.Size]byte // of the join code
	noCode  bool              // there is no join code
	anybody bool              // no code of any kind is asked for
	strong  bool              // the code cannot be guessed
	guest   func(code string) (Guest, bool)
	tokens  cipher.AEAD
	limits  Limits
	now     func() time.Time

	mu          sync.Mutex
	used        recent.Map[string, struct{}] // nonces of tokens
	visitors    limit.Table[visitor]
	connections int
}

// visitor is what is remembered of an address.
type visitor struct {
	open  int // connections, without local ones
	wrong limit.Budget
}

func newAdmission(cfg Config, limits Limits, now func() time.Time) *admission {
	d := &admission{
		code: sha256.Sum256([]byte(cfg.Code)), noCode: cfg.Code == "", anybody: cfg.Code == "" && !cfg.Invited,
		strong: codeBits(cfg.Code) >= strongCode, guest: cfg.Guest, tokens: newTokens(), limits: limits, now: now,
		used: recent.New[string, struct{}](usedTokens),
		visitors: limit.NewTable(maxVisitors, func() visitor {
			return visitor{wrong: limit.NewBudget(1/wrongRest.Seconds(), wrongCodes)}
		}, func(v *visitor) bool { return v.open > 0 }),
	}
	if d.guest == nil {
		d.guest = func(string) (Guest, bool) { return Guest{}, false }
	}
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

// token exchanges a code for a token; a local client needs none. The code of a
// guest goes with the token, encrypted: enter looks again what it is good for.
func (d *admission) token(a netip.Addr, code string, local bool) (string, *wire.Refused) {
	if code != "" && len(code) <= maxGuestCode {
		if _, ok := d.guest(code); ok {
			return d.mint(grant{local: local, code: code}), nil
		}
	}
	if !local && !d.anybody {
		if why := d.try(a, code); why != nil {
			return "", why
		}
	}
	return d.mint(grant{local: local}), nil
}

// try compares a code with the join code. A strong one that is right is always let
// in, so that nobody can lock others out by trying from their address, or through
// their proxy. A weak one would be found soon: there even the right code has to wait
// once an address has tried too many.
func (d *admission) try(a netip.Addr, code string) *wire.Refused {
	sum := sha256.Sum256([]byte(code))
	right := subtle.ConstantTimeCompare(sum[:], d.code[:]) == 1 && !d.noCode
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

// enter uses up a token, says what it grants, and counts a connection, which leave
// is to be called for in the end. If there is no room, evict may make some among
// those of an address, or of all.
func (d *admission) enter(a netip.Addr, token string, evict func(netip.Prefix) bool) (local bool, guest Guest, why *wire.Refused) {
	t, ok := d.open(token)
	if ok && t.code != "" { // the invitation may have been revoked since
		guest, ok = d.guest(t.code)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, used := d.used.Get(t.nonce); used || !ok {
		return false, Guest{}, wire.BadToken.Refusal(1)
	}
	v := d.visitors.Of(a, d.now())
	switch {
	case !t.local && v.open >= d.limits.PerAddress && !evict(limit.Key(a)):
		return false, Guest{}, tooManyOfYours()
	case d.connections >= d.limits.Connections && !evict(netip.Prefix{}):
		return false, Guest{}, wire.Full.Refusal(30)
	}
	d.used.Put(t.nonce, struct{}{})
	d.connections++
	if !t.local {
		v.open++
	}
	return t.local, guest, nil
}

func tooManyOfYours() *wire.Refused {
	return &wire.Refused{Code: wire.Full, Text: "There are too many connections from your address.", Retry: 30}
}

// leave is when a connection that enter has counted ends; local is what enter said.
func (d *admission) leave(a netip.Addr, local bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.connections--
	if !local {
		d.visitors.Of(a, d.now()).open--
	}
}

// sweep forgets visitors that did nothing for a while.
func (d *admission) sweep() {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	d.visitors.Sweep(func(v *visitor) bool { return v.wrong.Full(now) })
}
