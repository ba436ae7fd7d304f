package invitation

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

// prefix begins the text of every invitation, whatever its version.
const prefix = "vp-"

const (
	checkSize = 3 // bytes of a hash: a text that was not copied completely is noticed
	textHead  = 1 + id.Size + secretSize + 1 + 4 + 2 + ed25519.SignatureSize
	// maxText bounds the text of an invitation.
	maxText = 1 << 10
	// fieldAddress is the kind of the fields behind the head that there are so far:
	// the address of a node. Those of another kind are skipped.
	fieldAddress = 1
)

// encoding has one text for each value: bits behind the last byte are zero.
var encoding = base64.RawURLEncoding.Strict()

// Text is the invitation as people pass it on.
func (i *Invitation) Text() string {
	b := []byte{version}
	b = append(b, i.World[:]...)
	b = append(b, i.Secret[:]...)
	b = append(b, byte(i.Permits))
	b = binary.BigEndian.AppendUint32(b, uint32(i.Until))
	b = binary.BigEndian.AppendUint16(b, i.Uses)
	b = append(b, i.Signature[:]...)
	for _, a := range i.Addrs {
		ip := limit.Canonical(a.Addr()).AsSlice()
		b = append(b, fieldAddress, byte(len(ip)+2))
		b = binary.BigEndian.AppendUint16(append(b, ip...), a.Port())
	}
	sum := sha256.Sum256(b)
	return prefix + encoding.EncodeToString(append(b, sum[:checkSize]...))
}

// linkAddrs are the addresses of nodes that a link names beside its invitation: what
// stands before the first _ of each at.
func linkAddrs(text string) (out []netip.AddrPort) {
	_, fragment, _ := strings.Cut(text, "#")
	v, err := url.ParseQuery(fragment)
	if err != nil {
		return nil
	}
	for _, at := range v["at"] {
		addr, _, _ := strings.Cut(at, "_")
		if a, err := netip.ParseAddrPort(addr); err == nil && len(out) < MaxAddrs {
			out = append(out, a)
		}
	}
	return out
}

// Is reports whether a text is meant to be an invitation, or a link with one.
func Is(text string) bool { return strings.HasPrefix(withoutLink(text), prefix) }

// withoutLink is the invitation that a link to a page has behind its #code=.
func withoutLink(text string) string {
	text = strings.TrimSpace(text)
	_, fragment, ok := strings.Cut(text, "#")
	if !ok {
		return text
	}
	v, err := url.ParseQuery(fragment)
	if err != nil {
		return text
	}
	return v.Get("code")
}

// Parse reads the text of an invitation, or a link with one. The founder's
// signature is not verified: who the founder is, the world's record says.
func Parse(text string) (*Invitation, error) {
	link := text
	text = withoutLink(text)
	digits, ok := strings.CutPrefix(text, prefix)
	if !ok || len(text) > maxText {
		return nil, fmt.Errorf("invitation: %w: it begins with %q", ErrFormat, prefix)
	}
	b, err := encoding.DecodeString(digits)
	if err != nil || len(b) < 1+checkSize {
		return nil, fmt.Errorf("invitation: %w: was it copied completely?", ErrFormat)
	}
	if b[0] != version {
		return nil, fmt.Errorf("invitation: %w: version %d, this program knows %d: update it", ErrFormat, b[0], version)
	}
	b, check := b[:len(b)-checkSize], b[len(b)-checkSize:]
	if sum := sha256.Sum256(b); string(sum[:checkSize]) != string(check) || len(b) < textHead {
		return nil, fmt.Errorf("invitation: %w: was it copied completely?", ErrFormat)
	}
	i := &Invitation{}
	b = b[1:]
	b = b[copy(i.World[:], b):]
	b = b[copy(i.Secret[:], b):]
	i.Permits, i.Until, i.Uses = Permissions(b[0]), int64(binary.BigEndian.Uint32(b[1:])), binary.BigEndian.Uint16(b[5:])
	b = b[7:]
	b = b[copy(i.Signature[:], b):]
	copy(i.Key[:], i.private().Public().(ed25519.PublicKey))
	if err := i.fields(b); err != nil {
		return nil, err
	}
	if len(i.Addrs) == 0 {
		i.Addrs = linkAddrs(link)
	}
	return i, i.check()
}

// fields reads what stands behind the head: kind, length, value of each.
func (i *Invitation) fields(b []byte) error {
	for len(b) > 0 {
		if len(b) < 2 || len(b) < 2+int(b[1]) {
			return fmt.Errorf("invitation: %w: a field is cut off", ErrFormat)
		}
		kind, value := b[0], b[2:2+int(b[1])]
		b = b[2+len(value):]
		if kind != fieldAddress {
			continue // of a newer program
		}
		if len(value) != 4+2 && len(value) != 16+2 || len(i.Addrs) == MaxAddrs {
			return fmt.Errorf("invitation: %w: an address", ErrFormat)
		}
		ip, _ := netip.AddrFromSlice(value[:len(value)-2])
		if ip.Is4In6() {
			return fmt.Errorf("invitation: %w: an address", ErrFormat)
		}
		i.Addrs = append(i.Addrs, netip.AddrPortFrom(ip, binary.BigEndian.Uint16(value[len(value)-2:])))
	}
	return nil
}
