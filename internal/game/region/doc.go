// Package region is the authority of one region of the world (128 m × 128 m):
// it ticks at 20 Hz, sends those who watch what changed, takes the inputs and
// acts of the players whose home it is, hands players over to neighbours, and
// logs what must last before it acknowledges it.
//
// Source: docs/architecture.md ("A region"); the protocol is
// docs/protocols/region.md; decision 59 says why it is cut like this. Interest
// management and handover are those of multiplayer games; the deduplication of
// requests is that of a replicated state machine (Ongaro 2014, section 6.3).
//
// A Region is a machine.Machine around one world.Area. It knows its sessions,
// its eight neighbours and the lobby only as machine.Peers, and its disk and
// terrain only as jobs. It dispatches messages, timers and the ends of jobs to its
// components, wakes and hibernates. The state is in the components; what one needs
// of others it has as a parameter or as an interface of a few methods:
//
//	interest            who is sent which changes (interest.go, frames.go)
//	entities, cell      bodies as frames show them (entities.go, cell.go)
//	columns             which columns are loaded, and their versions
//	border                     what neighbours tell of the columns around, and are told
//	store               log, snapshots and small records on the disk (store.go, snapshot.go)
//	loading             what was read and is not in the area yet (load.go)
//	playerSessions      the players who are here (playersessions.go, inboxes: input.go)
//	admission           how players enter
//	deduplication       each act of a session once and in order (act record: its record)
//	asks, droppedItems    edits and items that neighbours are asked to take
//	requestedEdits      edits that neighbours ask for (requestededits.go, ops.go)
//	crossings           mobs at the border (mobs.go)
//	departed            players who went from here lately (forward.go)
//	outgoingHandovers   players on their way to another region (handover.go)
//	incomingHandovers   players from other regions (takeover.go, claim.go)
//	commandQueue        orders, edits and answers for the next step
//	tickLoop, effects   the steps of the world, and what follows from each
//
// Invariants:
//   - an act is acknowledged only after what it changed is synced to disk;
//   - a player is present in at most one region: the old home has it until
//     the new one has made it durable, and the higher Epoch wins after a crash;
//   - a cell is encoded at most once for each tick and rate, and put together
//     at most once for each distinct set of watched cells;
//   - messages are frozen once sent: the shared bytes of a frame are never
//     written again;
//   - no component has a pointer to the Region: what it calls there is an interface
//     (loadEvents, handoverEvents, waker).
//
// Start with messages.go, then region.go (dispatch) and tick.go (a step).
// assemble.go shows which component knows which.
package region
