// Package storage is the replicated storage of the thesis (Schuster 2013,
// chapter 5) as a machine over the overlay: every zone of the key space holds
// the whole world, every node replays its part of it from the signed actions of
// the players, and what nodes tell each other is voted on.
// docs/protocols/storage.md is its page.
//
// What the world is made of and how it changes is not known here: state.Rules are.
//
// A Node passes messages and timers to its components (dispatch.go). Each has its
// own state and names in its struct the components that it uses:
//
//	updates    the update cycle: asks for the state, then for actions, replays (cycle.go, update.go)
//	queries    retrieves areas of the world (query.go); peers and fetcher belong to it:
//	           nodes that have answered before, contents of what was agreed on by digest
//	ballot     counts the zones' votes; changes nothing (vote.go and vote*.go)
//	answers    answers others (answer.go)
//	replica    the node's part of the world (replica.go)
//	area, known, zones   what the node is responsible for, who else can be, and which zones
//	           have a vote (package placement)
//	actions    what players do: stored, retrieved for an update, signed here (package actions)
//	hooks      what an attacker does otherwise, what experiments measure (hooks.go)
//	dormant    characters whose players are away (dormant.go, wake.go)
//	transfer   hands data over when neighbours join and leave (transfer.go, join.go, handoff.go)
//
// The world's data and rules are in package state, the messages in package messages.
//
// Start with state.Rules, Node and updater.onCycle.
package storage
