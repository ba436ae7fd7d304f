// Package audit compares what regions show with what the replicated storage holds
// (docs/protocols/audit.md). A node has one Auditor. It sees the requests of the
// players at the node and the regions' answers, and
//
//   - signs the players' edits of blocks, once an interval, as the node's actions in
//     the storage, again if they were not applied;
//   - keeps a copy of the blocks that regions show to these players, and compares
//     it with the state that the zones have voted. A difference that lasts for
//     several intervals was not made by anybody who has signed it: the leader of the
//     region is accused (PeerReview calls this an audit by a witness).
//
// It is a part of a node's machine: no sockets, no clock of its own, and one
// handler at a time. Start reading at Auditor.OnRequest, OnResponse and OnSnapshot.
package audit
