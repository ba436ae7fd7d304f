// Package vote counts what zones answer to a retrieval of an area: per cell by its digest,
// per static object, per woken character; in the thesis' protocol per whole result. It
// changes nothing and sends nothing.
//
// Source: Schuster 2013, sections 5.2.2 and 5.3.4; the votes on digests, and what is taken
// for likely where no majority agrees, are of the hardened protocol
// (docs/protocols/storage-hardened.md).
//
// Invariants:
//   - what counts was said by placement.Electorate.VotesNeeded zones;
//   - what is tentative overrules nothing that a node knows;
//   - the count depends only on the poll, the electorate and the own replica.
//
// Start with Poll and Ballot.Count.
package vote
