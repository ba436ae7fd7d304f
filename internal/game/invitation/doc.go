// Package invitation says who is invited to a world, and proves it.
//
// A founder signs a Statement: whoever holds the private key of an invitation may
// enter the world as a player who builds or only visits, host it as a node, or both,
// until a time. The
// Invitation that a person passes on, as a text or a link, contains the secret
// that this key is derived from: it is a bearer capability. Who uses it signs an
// Admission with that key, for one player or one node, so the secret itself is
// never sent between nodes, and an admission that somebody else has seen is of no
// use to them.
//
// What was given can be taken back: the founder signs an Access list, which names
// revoked invitations and removed nodes. Of two lists the higher version counts;
// nodes pass it on (internal/cluster/node). A Gate applies statement, admission and list.
//
// Everything here is pure: clocks and randomness are passed in. Each signature
// covers a text of its own, so that none can be used for another purpose. The
// byte layouts are in docs/formats/invitation.md.
//
// Invariants:
//   - a decoder takes exactly what its encoder makes: one value, one encoding;
//   - lengths are checked before anything is allocated;
//   - a statement, an admission or a list means nothing before it was verified.
package invitation

import "errors"

// Errors, for the texts that wrap them.
var (
	// ErrFormat: the bytes or the text are no value of this kind.
	ErrFormat = errors.New("malformed")
	// ErrInvitation: the invitation is missing, false, revoked, over, or does not
	// permit this.
	ErrInvitation = errors.New("no valid invitation")
	// ErrRemoved: the founder has removed this node from the world.
	ErrRemoved = errors.New("this node was removed from the world")
)
