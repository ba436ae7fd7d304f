// Package messages is what nodes of the storage tell each other: questions about areas
// and players' actions, their answers, receipts, certificates, and what neighbours hand
// over. It also knows how messages become smaller for somebody who has some of it:
// digests instead of cells (DigestAnswer), what the receiver knows (Known), short names
// of storers.
//
// Messages are frozen once they are sent. Sizes are what the codec makes of them
// (internal/net/codec); docs/protocols/nodes.md lists their fields.
//
// Start with Retrieve and Result.
package messages
