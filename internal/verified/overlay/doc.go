// Package overlay is the self-stabilising Delaunay overlay of the thesis
// (Schuster 2013, chapter 4) as a machine: nodes with certified places in the
// plane, connected to their Voronoi neighbours, so that a message for a place
// finds the node nearest to it. docs/protocols/overlay.md is its page.
//
// A Node is one participant. It passes messages, links and timers to its components;
// each has its own state and names in its struct the components that it uses:
//
//	hood        the primary structure: Voronoi neighbours, views (views.go, reconcile.go, stable.go)
//	links       connections and the reasons for them, negative interest (peers.go, connect.go)
//	hello       certificates of linked nodes (hello.go)
//	routing     the routing table (table.go, fill.go, hint.go)
//	audits      who answers for others (audit.go)
//	shortcuts   links to nodes that were talked to of late (shortcut.go)
//	router      unicasts (route.go, unicast.go)
//	areacasts   areacasts and the repair of their trees (areacast.go, repair.go)
//	joins       bootstrapping and joining (join.go)
//	departures  nodes that have left or failed (departure.go)
//	falseViews  false views, and reports of them (evidence.go)
//	stabilizer  what makes the overlay stabilise from any state (stabilize.go)
//
// Start with Node.OnMessage and neighbourhood.reconcileWith. Keys, zones and
// sub-areas are in space.go; package attack has an attacker for simulations.
//
// Deviations from the thesis:
//   - the neighbourhood is calculated from everything that is known (stored
//     views, last views of failed neighbours, all linked nodes) and after every
//     change, not only from the view that has just come: what is known is then
//     reason enough to connect, and fragments that only long links hold
//     together grow together again;
//   - a node that takes its negative interest back says so; the thesis names
//     the lack of this as the cause of its empty table entries (6.3.2);
//   - a node that stays unstable, is alone or lost its neighbours asks again,
//     ever more slowly: nothing depends on one message.
//
// Invariants: views name only nodes that the sender is linked with; nothing is
// sent while a neighbour is pending but the views' receivers are remembered; a
// view travels one hop; no map is iterated, so that the same events give the
// same messages.
package overlay
