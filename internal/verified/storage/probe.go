package storage

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Probe measures what nodes do, for experiments.
type Probe interface {
	// Retrieved: a retrieval has ended.
	Retrieved(r Report)
	// BatchSigned: the node's player has signed what it has done in an interval; without
	// signatures of intervals (thesis), single actions.
	BatchSigned(b *state.Batch)
	// Arrived: a message of a kind has come to who it is for, after some hops.
	Arrived(k Arrival, hops int)
	// Failed: a node could not replay its part of the world to t_of.
	Failed(n *Node, of int64)
}

// Arrival is what table 6.28 tells apart: the kinds of retrievals, and stores.
type Arrival uint8

// ArrivedStore is the arrival of a store; the others are Arrival(kind).
const ArrivedStore = Arrival(messages.Kinds)

// Report describes a retrieval that has ended.
type Report struct {
	Kind    messages.Kind
	By      *Node
	Of      int64
	Area    overlay.Area
	Player  *state.Player // whose actions
	Took    time.Duration
	Answers int // messages
	Votes   int // for the result
	Zones   int
	Seen    *state.Snapshot // the result, nil if there is none
	Static  []*state.Object
	Batches []*state.Batch
}
