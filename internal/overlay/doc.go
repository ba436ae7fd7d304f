// Package overlay is the self-stabilising Delaunay overlay of the thesis
// (Schuster 2013, chapter 4) as a machine: nodes with certified places in the
// plane, connected to their Voronoi neighbours, so that a message for a place
// finds the node nearest to it. docs/protocols/overlay.md is its page.
//
// A Node is one participant. Each mechanism has a file that names its section:
// space (keys, zones, sub-areas), views and reconcile (the primary structure),
// departure, stable, connect (negative interest), join.
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
