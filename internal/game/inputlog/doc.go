// Package inputlog is the signed log of what a player does in a session: the player's
// client signs *segments*, each with the body steps since the last one and the acts
// among them, about once a second and with each act. A segment names the world, the
// session's nonce (identity.PassNonce), its own number, the hash of the segment before
// and the tick at which it was signed. So whoever passes inputs on cannot invent,
// change, reorder or repeat them; it can only delay them, for at most Window, or drop
// them (docs/decisions/0070-players-sign-their-inputs.md).
//
// A Builder makes the segments at a client. A Log is what the player's home knows of
// them; it goes along when the player gets another home.
//
// Invariants:
//   - a decoder takes exactly what its encoder makes;
//   - a Segment means nothing before Verify;
//   - a Log is bounded: at most MaxOpen steps wait for their signature.
package inputlog

import "errors"

// Constants of the protocol.
const (
	// Context begins the text that a player signs.
	Context = "voxelpopuli segment 1\n"
	// MaxSteps and MaxActs bound a segment.
	MaxSteps = 64
	MaxActs  = 16
	// MaxSize bounds the encoding of a segment.
	MaxSize = 1280

	// Window is how many ticks a segment may be older than the tick in which it
	// arrives: a minute. It bounds how long a node can hold it back. Ahead is how
	// many ticks it may be newer.
	Window = 1200
	Ahead  = 200
	// StopAfter is how many ticks a step may go without a signature until no more
	// are run, RemoveAfter until the player is taken out of the world. A client
	// signs every 20 ticks.
	StopAfter   = 40
	RemoveAfter = 200
	// MaxOpen bounds the steps that wait for their signature.
	MaxOpen = 128
)

// Errors.
var (
	// ErrFormat: the bytes are no segment, or no log.
	ErrFormat = errors.New("malformed")
	// ErrStale: the segment is from another time or an earlier session.
	ErrStale = errors.New("the segment is not of now")
	// ErrChain: the segment does not follow the one before.
	ErrChain = errors.New("the segment does not follow the last one")
	// ErrForged: a step came that the player has not signed.
	ErrForged = errors.New("the player has signed another step")
)
