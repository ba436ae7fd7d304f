// Package session protects a node's datagrams: each pair of nodes that exchanges
// any has a Noise session (Noise_XX_25519_ChaChaPoly_SHA256), so that nobody can
// read or forge them, speak for another id, or bring back an old one. See
// docs/protocols/transport.md; decision 12 says why it is so and not otherwise.
//
// Packets, numbers big endian; the first byte keeps them apart from QUIC and
// STUN (package socket):
//
//	hello    80 version[1] world[4] from[4] cookie[16] length[2] e[32] question[length], zeros up to 1200
//	welcome  81 to[4] from[4] Noise's second message
//	confirm  82 to[4] Noise's third message
//	retry    83 to[4] cookie[16]
//	unknown  84 to[4], which the receiver does not have
//	version  85 to[4] version[1] of who says so, in answer to a hello of another
//	data     88 to[4] number[8] ciphertext, with the 13 bytes before it authenticated
//
// from and to are the numbers that the ends have given the session. The payload
// of the second and third message is a node's credentials: its Ed25519 key [32],
// and with its length [2] the proof for Admit. The Noise static key is that key
// turned into one of X25519 (decision 25). Behind the credentials of the second
// message is the answer to the question, behind those of the third the first
// message, if they fit. The world's id is mixed into the handshake.
//
// A question (Ask) is what anybody may ask who has not shown who it is, and what
// onlookers may read; its answer is sealed and the answerer's own. Who has
// nothing else to say proves itself a while later (decision 27).
//
// Invariants:
//   - what is delivered as from a peer was sent by the holder of the key that
//     its id is of, from its address, in this session, and only once;
//   - to an address that has not shown that it gets what we send goes less than
//     came from it: a hello is at least as long as a welcome with its answer, a
//     retry or an unknown;
//   - all tables and queues are bounded. Under load a handshake is begun only
//     for addresses that have brought back a cookie.
package session
