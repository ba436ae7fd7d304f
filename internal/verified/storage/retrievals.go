package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
)

// retrievals are those of areas that run (thesis 5.2.2).
type retrievals struct {
	*part.Part
	hooks   *hooks
	zones   *placement.Electorate
	replica *replica
	ballot  *ballot
	peers   *responderCache
	fetcher *fetcher
	updates *updater // hears of results

	queries uint64 // how many there have been
	running []*query
}

// continuesAlone reports whether a node to whom nobody has answered goes on with what it
// has itself.
func (rt *retrievals) continuesAlone(q *query) bool {
	return q.Kind == messages.ForUpdate && (rt.replica.restored != nil || rt.replica.state != nil && rt.replica.state.Of == q.Of)
}

// tally looks whether the answers so far decide a retrieval; last: no more will
// come.
func (rt *retrievals) tally(q *query, last bool) {
	if q.done || q.fetch != nil || q.naming != nil || !last && q.full < rt.zones.VotesNeeded() {
		return
	}
	if q.answers == 0 && !rt.continuesAlone(q) {
		rt.end(q, nil)
		return
	}
	if out, votes, decided := rt.ballot.countVotes(q, last); decided || last {
		if q.Kind.Static() {
			rt.fetcher.startNaming(q, out, votes)
		} else {
			rt.fetcher.startFetch(q, out, votes)
		}
	}
}
