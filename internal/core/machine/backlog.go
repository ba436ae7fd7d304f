package machine

// Backlogger is an Env whose links have queues that fill up when the far end
// reads too slowly: those to sessions in the same process do.
type Backlogger interface {
	Backlog(to Peer) (waiting, limit int)
}

// Backlog returns how many messages wait for a peer that has not taken them
// yet, and how many may: a link with more than limit waiting is failed, and so
// is one that has been more than half full for long. A machine sends what can
// be left out (frames) only while waiting is well below limit. Where nothing
// ever waits (another node, an Env without queues) both are zero.
func Backlog(env Env, to Peer) (waiting, limit int) {
	if b, ok := env.(Backlogger); ok {
		return b.Backlog(to)
	}
	return 0, 0
}

// Crowded reports whether more than a quarter of a peer's queue is taken: time
// to leave out what can be left out.
func Crowded(env Env, to Peer) bool {
	waiting, limit := Backlog(env, to)
	return waiting*4 > limit
}
