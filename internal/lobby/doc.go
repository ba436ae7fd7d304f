// Package lobby is the machine for everything that concerns the whole world:
// who is here and where, names, chat, operators, bans, the whitelist, the time
// of day and slash commands (docs/architecture.md "The hall").
//
// It speaks with sessions, which it admits or refuses, and through the node
// with regions: the node translates the messages of messages.go from and to
// those of package region, which stands on the same floor.
//
// Invariants:
//   - a name belongs to one player id, compared by wire.FoldName, and a player
//     is admitted only once the claim is on disk;
//   - a player is here through one session at most, the newest;
//   - what a command says has been done is on disk.
package lobby
