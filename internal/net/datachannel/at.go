package datachannel

import "net/netip"

// At is where a browser reaches a node, and the certificate that it finds there.
type At struct {
	Addr        netip.AddrPort
	Fingerprint Fingerprint
}

// String is how a link names it.
func (a At) String() string { return a.Addr.String() + "_" + a.Fingerprint.String() }

// URL is how a node tells its players of another (wire.Entrance).
func (a At) URL() string { return "webrtc:" + a.String() }
