// Package storage is the replicated storage of the thesis (Schuster 2013,
// chapter 5) as a machine over the overlay: every zone of the key space holds
// the whole world, every node replays its part of it from the signed actions of
// the players, and what nodes tell each other is voted on.
// docs/protocols/storage.md is its page.
//
// What the world is made of and how it changes is not known here: state.Rules are.
//
// A Node passes messages and timers to its components (dispatch.go). Each has its
// own state and is given the components that it uses. Here are
//
//	updates    the update cycle: asks for the state, then for actions, replays (cycle.go, update.go)
//	answers    answers others, nobody more than a few times (answer.go, servefetch.go, budget.go)
//	hooks      what an attacker does otherwise, what experiments measure (hooks.go)
//	inbox      what the overlay has reported, and what has to wait (inbox.go)
//
// and in packages of their own
//
//	retrieval  asks the zones for areas of the world
//	vote       counts the zones' votes; changes nothing
//	fetch      gets the contents of what was agreed on by digest or by name
//	replica    the node's part of the world
//	dormant    characters whose players are away
//	transfer   hands data over when neighbours join and leave
//	actions    what players do: stored, retrieved for an update, signed here
//	placement  what the node is responsible for, who else can be, which zones have a vote
//
// The world's data and rules are in package state, the messages in package messages.
//
// Start with state.Rules, Node and updater.onCycle.
package storage
