// Package kademlia is the directory: who is here, which nodes host a region,
// where a player logged out. It is Kademlia (Maymounkov and Mazières, IPTPS
// 2002; dissertation 2.3 and 3.1) as a machine, with the dissertation's RPCs
// and S/Kademlia's disjoint lookup paths (Baumgart and Mies, 2007).
//
// A Node is one participant. It asks and answers over datagrams that may be
// lost; ids are bound to keys by the transport, so the sender of a message is
// who it says. Results go up through Events.
//
// Deviations from the paper:
//   - players and chunks (for us: the hosts of regions) are separate tables with
//     RPCs of their own (dissertation 3.1.2);
//   - records are signed, versioned and expire; of two the higher version wins;
//   - a lookup may run over d disjoint paths, which share no queried node;
//   - a bucket takes a limited number of contacts from one subnet.
//
// Invariants: a bucket never holds more than K contacts and never this node
// itself; a contact that answered is never evicted for a newcomer; every RPC
// ends, by an answer or by its timeout; nothing is sent to anybody who is
// neither in the table, named by a contact, nor asking.
package kademlia

import (
	"math/bits"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Constants of the protocol (Kademlia 2.2, 2.3, 2.5).
const (
	Bits      = 8 * id.Size // B: buckets
	DefaultK  = 20          // contacts in a bucket, holders of a record
	Alpha     = 3           // RPCs of a lookup in flight
	Refresh   = time.Hour   // a bucket untouched for so long is looked up
	Replicate = time.Hour   // holders pass their records on
	Republish = 24 * time.Hour
	// Expire is a little more than Republish, or records would expire while
	// they are on their way to be published again.
	Expire = 24*time.Hour + 10*time.Minute
	// StaleAfter is how many RPCs in a row a contact may leave unanswered
	// (Kademlia 4.1).
	StaleAfter = 5
)

// Constants of the implementation.
const (
	// ClaimFor is how long a key stays reserved for a record that is being
	// created: longer than two rounds of RPCs, sooner over than a person waits.
	ClaimFor       = 5 * time.Second
	DefaultTimeout = time.Second // of an RPC
	backoffUnit    = 10 * time.Second
	maxBackoff     = 10 * time.Minute
	sweep          = time.Minute // how often records and buckets are looked through
	// slack is how many contacts beyond k an answer names: some of the nearest
	// may be gone without anybody knowing yet, and everybody near would leave out
	// the same ones in their place.
	slack = 8
	// slackOpen is the same in an answer to somebody unknown, which has less room.
	slackOpen = 6
	// MaxContacts is how many are taken from one answer.
	MaxContacts = DefaultK + slack
	// Neighbourhood is how often a node looks itself up, so that it knows its
	// neighbours and they know it; first soon after it joined, when those who
	// joined at the same time have finished.
	Neighbourhood = 5 * time.Minute
	settle        = 15 * time.Second
	replacements  = 8 // newcomers that a full bucket remembers
	// MaxRecord bounds a record's payload in bytes: it has to fit into a
	// datagram.
	MaxRecord = 768
	// MaxRecords bounds what a node keeps for others in each table.
	MaxRecords = 1 << 14
)

// Distance is the XOR metric (Kademlia 2.1).
func Distance(a, b id.ID) (d id.ID) {
	for i := range a {
		d[i] = a[i] ^ b[i]
	}
	return d
}

// Closer reports whether a is nearer to target than b.
func Closer(target, a, b id.ID) bool {
	for i := range target {
		x, y := a[i]^target[i], b[i]^target[i]
		if x != y {
			return x < y
		}
	}
	return false
}

// SortNearest puts peers in the order of their distance from target; those of one
// id stay in the order that they are in.
func SortNearest(target id.ID, peers []machine.Peer) {
	slices.SortStableFunc(peers, func(a, b machine.Peer) int {
		switch {
		case a.ID == b.ID:
			return 0
		case Closer(target, a.ID, b.ID):
			return -1
		}
		return 1
	})
}

// bucketOf returns i such that the distance of a and b is in [2^i, 2^(i+1)), or
// −1 if they are equal.
func bucketOf(a, b id.ID) int {
	for i := range a {
		if x := a[i] ^ b[i]; x != 0 {
			return Bits - 8*i - 1 - bits.LeadingZeros8(x)
		}
	}
	return -1
}
