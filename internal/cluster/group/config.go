package group

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Config is what a replica replicates and how it behaves. Zero values stand for the
// defaults given here.
type Config struct {
	Space string       // the space that is replicated
	Self  machine.Peer // this node
	// SetAside returns what is to be written in the same write with which a replica
	// that is no member any more moves what it had; may be nil.
	SetAside func(Copy) []machine.DiskWrite
	// Vouched: a replica that is read from the disk, and is not the only voter, neither
	// votes nor campaigns before its owner has called Vouch.
	Vouched bool
	// Applied is called with the changes of each entry that is applied, within a
	// handler: it must not call the replica. Without changes, a snapshot has replaced
	// everything. May be nil.
	Applied func(term, index uint64, ws []machine.DiskWrite)
	// Installed is called with what a snapshot has replaced everything by, and what the
	// owner has said of the state that the group began with (Origin), within a handler: it
	// must not call the replica. May be nil.
	Installed func(basis []byte, content []machine.KV)

	Heartbeat   time.Duration // interval of the leader's; 100 ms
	Election    time.Duration // the shortest lease; 500 ms
	MaxElection time.Duration // the longest lease, when latencies are high; 4 s
	DeadAfter   time.Duration // silence after which a member counts as dead; 3 s

	KeepEntries int           // applied entries in the log, for lagging members; 512
	MaxLogBytes int           // size of the log above which fewer are kept; 2 MiB
	MaxWrite    int           // bytes of one proposal; 16 MiB
	MaxEntry    int           // bytes of one entry of the log: a larger proposal is several; 1 MiB
	MaxSpace    int           // bytes of a snapshot, at most; 128 MiB
	Chunk       int           // bytes of a snapshot in one message; 64 KiB
	ApplyDelay  time.Duration // how long applied changes wait for another reason to sync; 100 ms
}

func or[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

func (c *Config) defaults() {
	or(&c.Heartbeat, 100*time.Millisecond)
	or(&c.Election, 500*time.Millisecond)
	or(&c.MaxElection, 4*time.Second)
	or(&c.DeadAfter, 3*time.Second)
	or(&c.KeepEntries, 512)
	or(&c.MaxLogBytes, 2<<20)
	or(&c.MaxWrite, 16<<20)
	or(&c.MaxEntry, maxMessage)
	or(&c.MaxSpace, 128<<20)
	or(&c.Chunk, 64<<10)
	or(&c.ApplyDelay, 100*time.Millisecond)
}

// own is the name of the space in which the replica keeps its log. It is also the
// name of the disk queue: everything that concerns the replicated space goes
// through that queue, so that a read sees what was written before.
func (c *Config) own() string { return OwnSpace(c.Space) }

// OwnSpace is the name of the space in which a replica of a space keeps its log
// and the state of its group. It exists if and only if the node is, or was, a
// member.
func OwnSpace(space string) string { return "g." + space }
