package socket

import (
	"bytes"
	"encoding/binary"
	"net"
)

// BrowserUfrag is what the ICE user name fragment of a node begins with where a
// browser dials it (package datachannel). The fragments of nodes among themselves
// are letters only, so the two cannot be mistaken for each other.
const BrowserUfrag = "vp1+"

// Browsers is the socket for the data channels of browsers. Like Aux it is fed
// while QUIC reads, and what nobody reads in time is dropped.
func (s *Socket) Browsers() net.PacketConn { return s.browser }

const (
	firstDTLS    = 20 // content types of DTLS: RFC 9443, section 3
	stunHeader   = 20
	stunUsername = 0x0006
)

// fromBrowser reports whether a packet of the auxiliary range is a browser's: DTLS,
// which nodes do not speak, or a STUN message for a fragment with our prefix.
func fromBrowser(b []byte) bool {
	if b[0] >= firstDTLS {
		return true
	}
	if len(b) < stunHeader {
		return false
	}
	for b = b[stunHeader:]; len(b) >= 4; {
		kind, size := binary.BigEndian.Uint16(b), int(binary.BigEndian.Uint16(b[2:]))
		if b = b[4:]; size > len(b) {
			return false
		}
		if kind == stunUsername {
			return bytes.HasPrefix(b[:size], []byte(BrowserUfrag))
		}
		b = b[min(len(b), (size+3)&^3):]
	}
	return false
}
