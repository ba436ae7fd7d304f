// Package identity says who may take part in a world, and proves it.
//
// A node or a player is an Ed25519 key; its id is id.Of of the public key. In
// an open world a node's id costs a proof of work, the static crypto puzzle of
// S/Kademlia (Baumgart and Mies 2007, 4.1); in a world with an authority it
// needs a certificate that also gives the node its place (thesis 4.2.2). What a
// world asks for stands in its Genesis, which the world's id is the hash of, so
// that nobody can join somebody to a world under other conditions.
//
// Everything here is pure: keys, clocks and randomness are passed in. What is
// signed begins with a text of its own, so that no signature can be used for
// another purpose. The byte layouts are in docs/formats/identity.md.
//
// Invariants:
//   - a decoder takes exactly what its encoder makes: one value, one encoding;
//   - lengths are checked before anything is allocated;
//   - a certificate or a list of revocations means nothing before it was verified.
package identity

import "errors"

// Errors, for the texts that wrap them.
var (
	// ErrKey: the public key is none that somebody holds alone.
	ErrKey = errors.New("this is no good public key")
	// ErrPuzzle: the id does not solve the world's puzzle.
	ErrPuzzle = errors.New("this id does not solve the puzzle of the world")
	// ErrCertificate: the certificate is missing, false, or somebody else's.
	ErrCertificate = errors.New("no good certificate for this world")
	// ErrExpired: the certificate is not in force now.
	ErrExpired = errors.New("the certificate is not in force")
	// ErrRevoked: the authority took the certificate back.
	ErrRevoked = errors.New("the certificate was revoked")
	// ErrRevocations: a list of revocations does not count.
	ErrRevocations = errors.New("revocations")
	// ErrPass: the pass does not let that node speak for that player.
	ErrPass = errors.New("no good pass of a player")
	// ErrFormat: the bytes are no value of this kind.
	ErrFormat = errors.New("malformed")
)
