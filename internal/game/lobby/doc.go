// Package lobby is the machine for everything that concerns the whole world: which
// players are present and in which region, names, chat, operators, bans, the
// whitelist, the time of day and slash commands. Game servers call this a lobby or
// proxy; here it is one more shard, hosted and replicated like a region.
//
// It exchanges messages with sessions, which it admits or refuses, and, through
// the node, with regions: the node translates the messages of messages.go from and
// to those of package region, which has the same rank. The protocol is
// docs/protocols/lobby.md; docs/architecture.md "The lobby" shows its place.
//
// Where to start: lobby.go (the machine and its state), admit.go (a player
// enters), location.go (which region a player is in), command.go.
//
// Invariants:
//   - a name belongs to one player id, compared by wire.FoldName, as the register says
//     that others replay (regionlog.Register), and a player is
//     admitted only once the claim is on disk;
//   - a player is present through one session at most, the newest;
//   - what a command reports as done is on disk;
//   - no region obtains a player by claiming to have it: its known home is asked.
package lobby
