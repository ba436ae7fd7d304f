// Package datachannel accepts WebRTC data channels of browsers on a UDP port, with
// a certificate that nobody has signed and without signalling
// (docs/protocols/datachannel.md). The browser knows the node's address and the
// fingerprint of its certificate, and makes up the node's answer to its own offer.
//
// Three protocols lie on top of each other:
//
//   - STUN (RFC 8489): the node is an ICE lite agent (RFC 8445). It answers the
//     browser's checks and sends none. The password of its side is its user name
//     fragment, which the browser has drawn, so answers need no state.
//   - DTLS 1.2 (RFC 9147, RFC 6347): the node is the server. The browser compares
//     the certificate with the fingerprint; the node asks for none, since the
//     client protocol proves who the player is.
//   - SCTP (RFC 8831): two channels that both ends know beforehand, one ordered and
//     reliable, one unordered and unreliable.
//
// Where to start: listener.go sorts packets, conn.go is one browser.
//
// Invariants:
//   - nothing is sent to an address that is longer than what came from there, until
//     the address has returned a cookie (DTLS);
//   - handshakes are few for each address and in all, end after some seconds, and
//     hold a bounded number of bytes;
//   - what a browser may open, send at once and make the node keep is bounded.
package datachannel
