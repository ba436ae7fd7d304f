package kademlia

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Proc is a remote procedure (dissertation 3.1.2).
type Proc uint8

// The procedures. GENERATE (its algorithm 3) is made of these by whoever hosts
// regions.
const (
	Ping Proc = iota
	FindNode
	FindPlayer
	FindChunk
	StorePlayer
	StoreChunk
	procs
)

func find(k Kind) Proc  { return FindPlayer + Proc(k) }
func store(k Kind) Proc { return StorePlayer + Proc(k) }

func (p Proc) finds() bool  { return p == FindPlayer || p == FindChunk }
func (p Proc) stores() bool { return p == StorePlayer || p == StoreChunk }
func (p Proc) kind() Kind {
	if p.stores() {
		return Kind(p - StorePlayer)
	}
	return Kind(p - FindPlayer)
}

// Request calls a procedure. Datagrams may be lost; RPC is random and echoed.
type Request struct {
	RPC    uint64
	Proc   Proc
	Key    id.ID   // what is looked for; for a STORE the record's key
	Record *Record // STORE
	Absent bool    // STORE: only reserve the key, and only if no record is stored (Create)

	open     bool // may be read by onlookers
	answered bool // has been, before it was known by whom it was asked
}

// Reply answers a Request: with the contacts that the answerer knows nearest to
// the key, with a record, or with a code for a STORE.
type Reply struct {
	RPC      uint64
	Proc     Proc
	Code     Code
	Contacts []machine.Peer
	Record   *Record
}

// Datagram says that the message needs no link and may be lost.
func (*Request) Datagram() {}

// Open implements machine.Question.
func (r *Request) Open() bool { return r.open }

// Asked implements machine.Question.
func (r *Request) Asked() machine.Message {
	asked := *r
	asked.answered = true
	return &asked
}

// Datagram says that the message needs no link and may be lost.
func (*Reply) Datagram() {}

// Code says what became of a STORE.
type Code uint8

// Codes.
const (
	OK       Code = iota
	Older         // a higher version is here: it is in the reply
	WrongKey      // the record is not for this key or table
	TooLarge      // the payload is over MaxRecord
	Expired       // its time is over
	TooLong       // it wants to live longer than Expire
	Forged        // the signature is wrong, or the signer may not sign this
	Full          // no room for records that others are nearer to
	Taken         // somebody else's record is here, or the key is reserved for one
)

var codeTexts = [...]string{
	"stored", "a newer record is stored", "the record is for another key", "the record is too large",
	"the record has expired", "the record's expiry is too far ahead", "the signature or the signer is wrong",
	"no room for this record", "somebody else has stored a record for this key",
}

func (c Code) String() string {
	if int(c) < len(codeTexts) {
		return codeTexts[c]
	}
	return "unknown code"
}

// Events are the results that go up. They are called within a handler; what
// they want the node to do next they do after it has returned.
type Events interface {
	// Found ends a Lookup or a Find.
	Found(tag uint64, r Result)
	// Stored ends a Publish: how many of the nearest nodes hold the record now.
	Stored(tag uint64, holders int, refused map[Code]int)
	// Renew asks for a fresh version of a record that this node publishes; the
	// answer is another Publish.
	Renew(r *Record)
}

// Result is what a lookup found.
type Result struct {
	Closest []machine.Peer // the k nearest nodes that answered, nearest first
	Record  *Record        // Find: the valid record with the highest version, or nil
	Asked   int            // nodes contacted
	Failed  int            // of them without an answer
}
