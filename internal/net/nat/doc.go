// Package nat makes a node reachable, and reaches nodes that are not: it opens a
// port in the router (Open), and finds paths between two nodes behind address
// translators (Puncher). Package traversal, which is pure, decides when: it detects
// reachability, searches paths and relays.
//
// The order in which a node tries to reach another:
//
//  1. directly, if the other is reachable (it was dialled back, or its router has
//     opened a port);
//  2. by connection reversal, if it is itself reachable: a node that both know asks
//     the other to connect;
//  3. by hole punching (ICE, with offers passed on by that node);
//  4. by a relay.
package nat
