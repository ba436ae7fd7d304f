// Package client is a player's side of the game, both ends of the client
// protocol (docs/protocols/client.md):
//
//   - a Session is one player as a node sees it. Towards the lobby and the
//     regions it speaks their messages over an in-process link; towards its
//     owner, the gateway or a bot, it speaks the messages of package wire. It
//     finds the regions, watches columns around the player, follows handovers,
//     merges the streams and answers what no region needs to be asked for.
//   - a Mirror is the other end: what a client knows of the world, with its own
//     body predicted and its edits shown before they are confirmed.
//
// Between the two is a Conn: a WebSocket (Dial) or nothing at all (Node.Join).
//
// Invariants of a Session:
//   - a client gets a column's blocks before the first frame with that column;
//   - at most inFlight columns are on their way to a client at any time;
//   - it watches only around where the home region last confirmed the player,
//     never around a place that a client merely claims.
package client
