// Package frame is the layout of what changed in one region in one tick, as it
// goes from a region to a player's client (docs/protocols/client.md, "Frame").
//
// A frame is a head, which is personal (the client's own acknowledgement and
// correction), and cells, which are shared by everybody who watches the same: a
// region encodes the changes of a cell once for each rate, puts cells together
// once for each set of watched cells, and every session writes its own head
// before the shared bytes.
//
// A moving body costs two bytes in the usual case: a head and the change of its
// horizontal speed in two nibbles; one more when it turns, one more when it
// changes height.
//
// Encoders append to a buffer of the caller, the decoder fills a Frame that is
// used again: neither allocates once the buffers have grown.
package frame
