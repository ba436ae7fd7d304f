package machine

import "errors"

// Errors that jobs end with.
var (
	// ErrBehind: a write ahead of this one in its queue failed.
	ErrBehind = errors.New("an earlier write failed")
	// ErrJob: the driver does not know this kind of job.
	ErrJob = errors.New("unknown kind of job")
	// ErrStopped: the node is stopping; the job was not done.
	ErrStopped = errors.New("the node is stopping")
	// ErrDiskFull: there is no room left. Nothing of the write is there;
	// later writes may succeed once there is room again.
	ErrDiskFull = errors.New("the disk is full")
)
