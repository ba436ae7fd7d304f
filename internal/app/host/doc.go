// Package host assembles a node: the node machine, its drivers (transport, disk,
// NAT traversal, clock) and its gateway. `voxelpopuli play`, the tests and the
// experiments run it. It also manages the data folder (docs/architecture.md "Where
// things are written"): worlds, keys, invitations, bookmarks; and it turns errors
// into sentences and exit codes for a person.
//
// Where to start: Start in host.go; config.go has every setting; run.go is the
// commands play and node.
//
// Invariants:
//   - a damaged or foreign folder is refused before anybody enters;
//   - nothing listens beyond this machine unless that was asked for;
//   - after Close everything that was acknowledged is on disk.
package host
