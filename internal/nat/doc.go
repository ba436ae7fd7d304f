// Package nat makes a node reachable, and reaches nodes that are not: it opens a
// port in the router (Mapper), and finds paths between two nodes behind address
// translators (Puncher). What others see of a node and whether it can be reached
// from anywhere is in package reach, what a third node does for two others in
// package relay; both are pure.
//
// The order in which a node tries to reach another:
//
//  1. directly, if the other is reachable (it was dialled back, or its router has
//     opened a port);
//  2. the other way round, if it is itself reachable: it lets the other know by a
//     node that both know;
//  3. by a hole in both translators at once (ICE, with offers passed on by that
//     node);
//  4. by a relay.
package nat
