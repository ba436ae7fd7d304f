// Package hostile is a node that has joined a world and means it harm. It speaks
// to other nodes through the real transport, with a key that solves the world's
// puzzle, and all that it sends is well formed: messages of every kind that the
// codec knows, with random contents. Contents are worth something only if they
// name what exists, so half of the values are ones that the node has been sent
// before, or was told of: players, sessions, parts of the world, terms, nonces.
//
// It keeps to what hosts are not believed. A node that hosts a part may do as it
// likes with it (README, Limits), so it does not agree to host the parts that it
// is told to spare; what it says about them is as random as all else.
package hostile
