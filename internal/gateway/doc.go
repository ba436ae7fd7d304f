// Package gateway is a node's door: it serves the browser client and the
// WebSocket of docs/protocols/client.md, and what operators want to see
// (/healthz, /status, /metrics). A player behind it is a client.Session.
//
// Invariants:
//   - a page of another site reaches nothing: Host and Origin are checked
//     before anything else (against DNS rebinding and cross-site requests);
//   - without a join code or a whitelist nothing but loopback is listened on;
//   - each connection costs bounded memory, messages, bytes and time, before
//     as well as after the player is known;
//   - what a client sends never reaches a player other than the one whose key
//     has signed the challenge.
package gateway
