// Package traversal does NAT traversal: it stands between a node and its transport,
// so that the node can address every other node, whichever translators are between.
// It is a pure machine; package nat drives it (ICE, port mapping).
//
//   - Agent is the machine. Before it starts the node it detects how the node is
//     reached; then it finds paths to nodes that cannot be reached directly. Its parts
//     have state of their own: detector, links, searches, switches, allocations and
//     circuits, of which each is in a file of its own.
//   - Reachability finds out how a node looks from outside: its server-reflexive
//     address (RFC 8489), and whether others can open a connection to it there.
//   - Relay forwards the packets of two other nodes (RFC 8656 calls the state of
//     that an allocation).
//
// A hidden node is one that others cannot open a connection to. The node and
// everybody else know it by its relayed address (RelayedAddr), which names its home
// relay. Which real address or which relay that means at the moment is known here
// only. The order in which paths are tried is that of package nat.
//
// Invariants:
//   - the node learns of a link only after both ends have stated how they are known,
//     and under one name until it ends;
//   - hidden nodes help nobody, public ones never need a hole or an allocation: what a
//     message between a node and its helper means follows from who receives it;
//   - the node's handlers are never entered from within its own calls;
//   - a probe goes only to the IP address that the requester sends from, and in the
//     long run not more often than DialBackInterval: nobody can make a node send to
//     strangers;
//   - one observer, and all in one subnet together, have one vote on an address;
//   - a relay forwards packets only to a node that has asked for exactly this peer,
//     over a link that it has opened itself, one packet for each that it receives;
//   - an allocation is bounded in bytes, bytes a second and time, a node in
//     allocations, the relay in allocations and bytes a second altogether;
//   - relayed packets belong to encrypted sessions between the two nodes: the relay
//     can neither read nor forge them.
//
// Start reading at Agent.receive, then searches.begin.
package traversal
