package machine

// A driver knows how to do three kinds of jobs: reading and writing the disk,
// and pure computation.

// Work is a job that is a pure computation (generating terrain, checking a
// signature): it knows itself how it is done. Run is called outside the
// machine, perhaps on another CPU, so it touches nothing that the machine
// changes. Result: what Run returns.
type Work interface {
	Run() (any, error)
}

// Jobs for the disk port. A space is a namespace of keys (a region, the lobby);
// jobs of one space go into one queue and so happen in order.

// KV is a key, relative to its space, with its value.
type KV struct{ Key, Value []byte }

// DiskWrite changes a space atomically. It is done (OnDone without an error)
// once the change is synced to disk; after an error nothing of it is there.
// Deletions happen before puts. Result: nil.
//
// When a write fails, the writes that wait behind it in its queue at that
// moment fail with it (ErrBehind), so that what is on disk is always a prefix
// of what was asked for before the machine heard of the failure.
type DiskWrite struct {
	Space        string
	DeletePrefix [][]byte // every key that begins so
	Delete       [][]byte
	Put          []KV
	// Then are further changes, perhaps of other spaces, that come after this
	// one and belong to the same atomic write.
	Then []DiskWrite
}

// DiskRead reads the keys of a space that begin with Prefix, in order.
// Result: []KV.
type DiskRead struct {
	Space  string
	Prefix []byte
}
