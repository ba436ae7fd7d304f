// Package hostpolicy decides which nodes host a shard: who becomes a member of its group,
// who replaces a silent member, who leads, who has the only vote of two, and when a
// replica continues without the others or gives way to another group. It computes with
// plain values: no clock, no messages, no state. Package node collects the values and
// carries out the decisions.
//
// Source: the nodes nearest to a shard's key host it (Schuster 2013, section 3.2,
// algorithm 3), with Raft groups instead of single hosts, and without displacing hosts
// that answer, since keys can be searched for (decision 66). docs/protocols/hosting.md
// describes the rules; decision 51 is about the vote of two hosts, decision 53 about
// proofs of a greater group, decision 63 about the packages.
//
// Where to start: Members (members.go) is the rule for a group that runs; FirstHosts
// (create.go) the one for a new group; MayContinue (recovery.go) the one for a group
// that has lost its majority.
//
// Invariants:
//   - the same values give the same decision on every node;
//   - at most one member changes in one step of Members;
//   - of several survivors that compare the same logs exactly one continues.
package hostpolicy
