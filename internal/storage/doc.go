// Package storage is the replicated storage of the thesis (Schuster 2013,
// chapter 5) as a machine over the overlay: every zone of the key space holds
// the whole world, every node replays its part of it from the signed actions of
// the players, and what nodes tell each other is voted on.
// docs/protocols/storage.md is its page.
//
// What the world is made of and how it changes is not known here: Rules are.
package storage
