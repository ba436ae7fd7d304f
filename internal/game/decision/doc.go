// Package decision is the access control list of a world: a log of signed
// statements about who is an operator, who is banned, whom the whitelist names
// (docs/protocols/decisions.md). Operators sign with their players' keys, the
// founder with the key of the founder's node. Every node folds the same
// statements into the same state, so whoever hosts the lobby can withhold a
// statement, but cannot forge one.
//
// A Statement sets one topic of one subject on or off. Of the statements of one
// issuer about the same subject the latest counts (a last-writer-wins register),
// so a Log is a set that nodes merge in any order.
//
// Authority is a tree. The founder's key has rank 0; whoever is made an operator
// by rank n has rank n+1. A grant is undone by its issuer, or by an operator who
// is not below its issuer: operators undo what those below them have granted, and
// nobody undoes what was granted above. An operator whose grant is undone takes
// along the operators below. Statements of somebody without authority count for
// nothing, with one exception: a grant that is undone with Keep leaves in force
// the bans and whitelist entries that the former operator has issued before.
//
// Invariants:
//   - a Log holds only statements whose signature and issuer's authority are
//     verified, a bounded number of them;
//   - the state depends on the set of statements only, not on their order;
//   - a statement has one encoding.
package decision
