// Package worldcheck finds damage in a world's folder and saves what is left.
//
// Check reads and decodes every record (the disk's checksums are verified on the
// way) without changing anything. Quick does the same within a time limit when a
// world is opened. Repair copies what can be read into a new world and leaves the
// damaged one as it is.
//
// Invariants:
//   - the damaged world is never written to;
//   - a part of a shared world that may lack records is not copied: the node has
//     no replica of it then, does not vote on it and is sent it by the other
//     members. The exception is a part that this node alone has;
//   - whatever the files hold, the result is a report or an error, not a panic.
package worldcheck
