package nat

import (
	"bytes"
	"net/netip"
	"testing"
)

// FuzzPCP: whatever a router sends is refused or is an answer, and a request that is
// answered as it was sent is understood.
func FuzzPCP(f *testing.F) {
	q := pcpMap{lifetime: 3600, protocol: TCP, internal: 4747, external: 4747}
	b := q.appendRequest(nil, netip.MustParseAddr("192.168.0.2"), netip.IPv4Unspecified())
	b[1] |= isResponse
	f.Add(b)
	f.Add([]byte{0, 0x81, 0, 1, 0, 0, 0, 0})
	f.Add([]byte{2, 0x81, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, result, err := decodePCP(b)
		if err != nil {
			return
		}
		again := m.appendRequest(nil, m.address, m.address)
		again[1] |= isResponse
		n, _, err := decodePCP(again)
		if err != nil || n != m {
			t.Errorf("%x (%v) became %+v, then %+v: %v", b, result, m, n, err)
		}
	})
}

// FuzzPMP: the same of NAT-PMP.
func FuzzPMP(f *testing.F) {
	q := pmpMap{protocol: TCP, internal: 4747, external: 6000, lifetime: 3600}
	b := q.appendRequest(nil)
	f.Add(append([]byte{0, 130, 0, 0, 0, 0, 0, 1}, b[4:]...))
	f.Add([]byte{0, 129, 0, 2})
	f.Add([]byte{0, 128, 0, 0, 0, 0, 0, 1, 27, 1, 1, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if ip, _, err := decodePMPAddress(b); err == nil && !ip.Is4() {
			t.Errorf("%x is %v", b, ip)
		}
		m, _, err := decodePMP(b)
		if err != nil {
			return
		}
		if again := m.appendRequest(nil); !bytes.Equal(again[4:], b[8:16]) {
			t.Errorf("%x became %+v, which is %x", b, m, again)
		}
	})
}
