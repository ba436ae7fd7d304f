// Package region is the authority of one region of the world (128 m × 128 m):
// it ticks at 20 Hz, tells those who watch what changed, takes the inputs and
// acts of the players whose home it is, hands players over to neighbours, and
// logs what must last before it acknowledges it (docs/architecture.md "A
// region"; the protocol is docs/protocols/region.md).
//
// A Region is a machine.Machine around one world state. It knows its sessions,
// its eight neighbours and the hall only as machine.Peers, and its disk and
// terrain only as jobs.
//
// Invariants:
//   - an act is acknowledged only after what it changed is synced to disk;
//   - a player is present in at most one region: the old home keeps it until
//     the new one has made it durable, and the higher Epoch wins after a crash;
//   - a cell is encoded at most once for each tick and rate, and put together
//     at most once for each distinct set of watched cells;
//   - messages are frozen once sent: the shared bytes of a frame are never
//     written again.
package region
