// Package replay is the event-based simulation of a shared world (thesis,
// section 3.1): the state changes only at events, which are replayed in the
// order of their times, so that everybody who holds the same state and learns
// of the same actions computes the same state, without exchanging it.
//
// An Engine keeps an event queue, checkpoints and what lies between them. An
// action that arrives late is put where it belongs: the engine goes back to the
// last checkpoint before it and runs everything since again (Time Warp). Local
// lag gives one's own actions a time slightly in the future, so that this is
// the exception. Events that follow from others (an AI's decision, the end of a
// cast) are derived by everybody alone and never exchanged.
//
// The package knows nothing of what is simulated: see Model. It is pure and
// deterministic, and an Engine belongs to one caller at a time.
package replay
