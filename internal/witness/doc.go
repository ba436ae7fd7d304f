// Package witness joins the plane that is played to the storage that is voted on
// (DESIGN section 8; docs/protocols/witness.md). A node has one witness. It sees
// what the players at the node ask of regions and what they are answered, and
//
//   - signs what they did to blocks, once an interval, as the node's actions in
//     the storage, again if they were not taken;
//   - keeps a copy of the blocks that regions show to these players, and compares
//     it with what the zones have voted on. What differs for several intervals
//     was not done by anybody who stands by it: the leader of the region is
//     accused.
//
// It is a part of a node's machine: no sockets, no clock of its own, and one
// handler at a time.
package witness
