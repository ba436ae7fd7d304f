// Package pack reads content packs: what a world is made of, as data
// (docs/packs.md). A pack is a set of files: pack.json with its name and the list
// of its content files, and these, JSON too, with blocks and recipes. The game's
// own blocks are the pack in the folder base, which is part of the program.
//
// A pack may come from somebody else: sizes, counts and numbers are bounded
// (limits.go), and nothing but what this package knows is accepted. Errors name
// file and line, and all of a pack's errors are reported at once.
//
// Invariants:
//   - a Content that Add returns is complete: every name that it uses is in it;
//   - ids are places in Content.Blocks. Add never changes the id of what is there,
//     so that the order in which packs are added and their files alone give the ids;
//   - the same files give the same Content on every machine.
package pack
