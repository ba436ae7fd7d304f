package datachannel

import (
	"net/netip"
	"strings"

	"github.com/pion/stun/v4"

	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// Parts of the fragment of the node's side, which the browser has drawn and which is
// also the password: socket.BrowserUfrag, the name of the node, what names the
// connection, and after ICE restarts some characters more.
const (
	nameSize = 16
	nameEnd  = len(socket.BrowserUfrag) + nameSize
	connEnd  = nameEnd + 24
)

// Lengths of fragments and passwords (RFC 8839, section 5.4).
const (
	minUfrag = 22 // of a password
	maxUfrag = 64 // of either side; the RFC allows 256, no browser uses them
	// maxCheck bounds a STUN message; those of browsers have about 130 bytes.
	maxCheck = 512
)

// check is a binding request of a browser.
type check struct {
	ufrag     string // of the node's side, drawn by the browser
	nominates bool   // the browser uses the path that the request came by
	id        [stun.TransactionIDSize]byte
}

// decodeCheck reads a binding request that was signed with the password of its own
// fragment. Everything in it comes from a stranger.
func decodeCheck(b []byte) (c check, ok bool) {
	if len(b) > maxCheck || !stun.IsMessage(b) {
		return c, false
	}
	m := stun.Message{Raw: b}
	if m.Decode() != nil || m.Type != stun.BindingRequest {
		return c, false
	}
	name, err := m.Get(stun.AttrUsername)
	if err != nil {
		return c, false
	}
	own, theirs, found := strings.Cut(string(name), ":")
	if !found || !isOwnUfrag(own) || !isUfrag(theirs) {
		return c, false
	}
	if stun.Fingerprint.Check(&m) != nil || stun.NewShortTermIntegrity(own).Check(&m) != nil {
		return c, false
	}
	return check{ufrag: own, nominates: m.Contains(stun.AttrUseCandidate), id: m.TransactionID}, true
}

// name is the name of the node that the check is for, and conn names the connection.
func (c *check) name() string { return c.ufrag[len(socket.BrowserUfrag):nameEnd] }
func (c *check) conn() string { return c.ufrag[:connEnd] }

// isOwnUfrag reports whether a fragment is one of a node's for browsers.
func isOwnUfrag(s string) bool {
	return len(s) >= connEnd && strings.HasPrefix(s, socket.BrowserUfrag) && isUfrag(s)
}

// isUfrag reports whether all characters are ICE characters, and there are not too many.
func isUfrag(s string) bool {
	if s == "" || len(s) > maxUfrag {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '+' && r != '/'
	}) < 0
}

// answer is the success response to a check: shorter than any check that decodeCheck
// takes (a test compares them).
func (c *check) answer(from netip.AddrPort) ([]byte, error) {
	m, err := stun.Build(
		stun.NewTransactionIDSetter(c.id), stun.BindingSuccess,
		&stun.XORMappedAddress{IP: from.Addr().AsSlice(), Port: int(from.Port())},
		stun.NewShortTermIntegrity(c.ufrag), stun.Fingerprint,
	)
	if err != nil {
		return nil, err
	}
	return m.Raw, nil
}
