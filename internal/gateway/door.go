package gateway

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/netip"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/wire"
)

const (
	tokenLife = time.Minute
	maxTokens = 1 << 14
	maxOrigin = 1 << 16 // addresses that are remembered
	// An address may try wrongCodes wrong codes, and one more in wrongRest.
	wrongCodes = 5
	wrongRest  = 10 * time.Second
	// An address may ask for this many sessions a second.
	sessionRate, sessionBurst = 5, 64
)

// door decides who may open a socket: it compares the code, hands out tokens
// and counts connections. It is safe for concurrent use.
type door struct {
	code    [sha256.Size]byte // of the join code
	anybody bool              // no code
	guest   func(code string) (Guest, bool)
	limits  Limits
	now     func() time.Time

	mu     sync.Mutex
	tokens map[string]ticket
	from   map[netip.Prefix]*visitor
	open   int // connections
}

// ticket is what a token is good for.
type ticket struct {
	until time.Time
	guest Guest
}

// visitor is what is remembered of an address.
type visitor struct {
	open     int
	wrong    budget
	sessions budget
}

func newDoor(cfg Config, limits Limits, now func() time.Time) *door {
	return &door{
		code: sha256.Sum256([]byte(cfg.Code)), anybody: cfg.Code == "" && !cfg.Invited, guest: cfg.Guest, limits: limits, now: now,
		tokens: map[string]ticket{}, from: map[netip.Prefix]*visitor{},
	}
}

// network is what counts as one address: a machine usually has a whole IPv6 /64.
func network(a netip.Addr) netip.Prefix {
	a = a.Unmap()
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, _ := a.WithZone("").Prefix(bits)
	return p
}

// visitor returns what is known of an address, nil if too many are known.
func (d *door) visitor(a netip.Addr) *visitor {
	key := network(a)
	v := d.from[key]
	if v == nil {
		if len(d.from) >= maxOrigin {
			return nil
		}
		v = &visitor{
			wrong:    newBudget(1/wrongRest.Seconds(), wrongCodes),
			sessions: newBudget(sessionRate, sessionBurst),
		}
		d.from[key] = v
	}
	return v
}

// token exchanges a join code for a token.
func (d *door) token(a netip.Addr, code string) (string, *wire.Refused) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	v := d.visitor(a)
	if v == nil || len(d.tokens) >= maxTokens {
		return "", wire.Full.Refusal(60)
	}
	var guest Guest
	var knows bool
	switch {
	case !a.IsLoopback() && !v.sessions.take(1, now):
		return "", wire.TooFast.Refusal(5)
	case d.anybody:
		guest, _ = d.holder(code)
	case code == "": // a question whether one is needed, not a guess
		return "", wire.BadCode.Refusal(1)
	case !v.wrong.full(now) && v.wrong.tokens < 1:
		return "", wire.TooFast.Refusal(uint32(wrongRest.Seconds()))
	default:
		if guest, knows = d.holder(code); !knows {
			v.wrong.take(1, now)
			return "", wire.BadCode.Refusal(1)
		}
	}
	var raw [24]byte
	rand.Read(raw[:])
	t := base64.RawURLEncoding.EncodeToString(raw[:])
	d.tokens[t] = ticket{now.Add(tokenLife), guest}
	return t, nil
}

// holder returns who has a code, false if it is wrong.
func (d *door) holder(code string) (Guest, bool) {
	if sum := sha256.Sum256([]byte(code)); d.code != sha256.Sum256(nil) && subtle.ConstantTimeCompare(sum[:], d.code[:]) == 1 {
		return Guest{}, true
	}
	if d.guest == nil || code == "" {
		return Guest{}, false
	}
	return d.guest(code)
}

// enter uses up a token and counts a connection, which leave is to be called
// for in the end.
func (d *door) enter(a netip.Addr, token string) (Guest, *wire.Refused) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.tokens[token]
	delete(d.tokens, token)
	if !ok || d.now().After(t.until) {
		return Guest{}, wire.BadToken.Refusal(1)
	}
	v := d.visitor(a)
	switch {
	case v == nil || d.open >= d.limits.Connections:
		return Guest{}, wire.Full.Refusal(30)
	case !a.IsLoopback() && v.open >= d.limits.PerAddress:
		return Guest{}, &wire.Refused{Code: wire.Full, Text: "There are too many connections from your address.", Retry: 30}
	}
	d.open++
	v.open++
	return t.guest, nil
}

func (d *door) leave(a netip.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open--
	if v := d.from[network(a)]; v != nil {
		v.open--
	}
}

// sweep forgets old tokens and visitors that did nothing for a while.
func (d *door) sweep() {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	for key, t := range d.tokens {
		if now.After(t.until) {
			delete(d.tokens, key)
		}
	}
	for key, v := range d.from {
		if v.open == 0 && v.wrong.full(now) && v.sessions.full(now) {
			delete(d.from, key)
		}
	}
}
