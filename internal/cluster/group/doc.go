// Package group replicates one disk space on several nodes by Raft, below the disk
// port: the machine that uses the space (a region or the lobby) does not know of
// it. A Replica is one node's copy of the space and its membership of the group. A
// write that the leader proposes is done once a majority has synced it; it then
// survives the loss of any minority.
//
// Source: Ongaro, Consensus: Bridging Theory and Practice (2014): chapter 3 (Raft),
// 3.10 (leadership transfer), 4 (membership changes), 5 (snapshots), 6.4.1 (leases),
// 9.6 (Pre-Vote), as go.etcd.io/raft/v3 ("the library") implements it. Deviations:
//   - leases also delay elections, because followers do not use the library's clock
//     (election.go);
//   - messages are checked before the library steps them, since members may lie
//     (raftfilter.go);
//   - snapshots travel in chunks beside the library's messages;
//   - members change step by step towards a wanted set (membership.go);
//   - idle groups hibernate (hibernation.go);
//   - survivors of a lost majority may continue as the next generation (recover.go).
//
// A Replica dispatches messages, timers and the ends of disk jobs to its components,
// and decides when it begins and ends. The state is in the components; decision 62
// says why it is cut like this:
//
//	raftNode            the library and its log (storage.go)
//	diskWriter          one atomic write at a time: log, hard state, space (batch.go)
//	loading             what is read when the replica starts
//	applier             committed entries: changes of the space and of the state
//	proposals, reads    what the owner of a leader asked for
//	election            a follower's time: the lease that it granted, campaigns
//	leaderLease         a leader's lease, granted by a majority
//	leadership          whether this replica leads, as its owner is told
//	transfer            leadership transfer
//	raftFilter          which messages of the library are stepped
//	failureDetector     when members were last heard
//	membership          the next change towards the wanted members
//	removalClaims       who says that this node was removed
//	hibernation         when the group hibernates and wakes
//	snapshotSender, snapshotReceiver
//	outbox, links       messages to members, and the links to them
//	timer               the one timer
//
// Start with replica.go (Replica.work is the order of everything), then ready and pump
// in raftnode.go, and leadership.go. assemble.go shows which component knows which.
//
// Invariants:
//   - nothing is acknowledged before a majority of the voters has synced it;
//   - at most one replica of a group leads at any time, as long as the clocks of
//     nodes measure the same interval with less than 10 % difference;
//   - the space, and the index up to which the log is applied to it, change in one
//     atomic write;
//   - a replica that lost its log never answers under its previous member number;
//   - of two groups of one space with different generations the older yields as
//     soon as they meet;
//   - the fields of a component are used by its methods alone; the state of the group
//     is read by all and changed by the methods of state;
//   - no component has a pointer to the Replica: what it calls there is an interface
//     of one method.
//
// See docs/protocols/group.md.
package group
