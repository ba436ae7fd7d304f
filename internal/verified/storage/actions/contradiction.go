package actions

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// A player has signed two batches for one interval. If one of them has a certificate, it
// counts: a storer reports the certified batch alone. Otherwise none counts: a storer
// that knows both reports both, tells the other storers and gives no more receipts.

// contradicted notes a second batch b that a player has signed besides the stored one;
// list are valid receipts for b.
func (as *Store) contradicted(s *playerLog, st *intervalLog, b *state.Batch, list []*messages.Receipt) {
	known := st.receipts
	if st.cert != nil {
		known = st.cert.Receipts
	}
	as.faults.contradict(st.batch, b, known, list)
	if st.other == nil {
		st.other = b
		as.passOnLate(s, st)
	}
}

// learnOther notes two contradicting batches that another storer has sent.
func (as *Store) learnOther(s *playerLog, st *intervalLog, a, b *state.Batch) {
	as.faults.contradict(a, b, nil, nil)
	switch {
	case st.other != nil:
		return
	case !st.sealed:
		as.seal(st, a)
		st.other = b
	case state.SameBatch(st.batch, b):
		st.other = a
	default:
		st.other = b
	}
	as.passOnLate(s, st)
}

// passOnLate repeats the exchange of t^a with the other storers, if t^a is past.
func (as *Store) passOnLate(s *playerLog, st *intervalLog) {
	if st.cert == nil && as.Env.Now() > as.Time.Actions(st.of) {
		as.passOn(s, st)
	}
}

// KeepPushed stores a batch that a neighbour has handed over. A signed one counts as
// stored here, since the node that had it in time is gone.
func (as *Store) KeepPushed(b *state.Batch) {
	if !as.Hardened {
		as.actions.merge(b)
		return
	}
	if !as.Time.Accepts(b.Of, as.Env.Now()) {
		return
	}
	s := as.actions.playerLog(b.Player)
	switch st := s.intervalLog(b.Of); {
	case b.Signature == nil && !st.sealed:
		as.actions.merge(b)
	case !as.receipts.signedBatch(b):
	case !st.sealed:
		as.seal(st, b)
	case !state.SameBatch(st.batch, b):
		as.contradicted(s, st, b, nil)
	}
}
