// Package gateway serves players and operators over HTTP: the browser client, the
// WebSocket of docs/protocols/client.md, and /healthz, /status and /metrics. A
// player behind it is a client.Session.
//
// Where to start: gateway.go has the routes, peer.go one WebSocket, admission.go
// decides which client may open one.
//
// Invariants:
//   - a page of another site reaches nothing: Host and Origin are checked before
//     anything else (against DNS rebinding and cross-site requests);
//   - without a join code or a whitelist it listens on loopback only;
//   - each connection costs bounded memory, messages, bytes and time, before as
//     well as after the player is known;
//   - what a client sends never reaches a player other than the one whose key has
//     signed the challenge.
package gateway
