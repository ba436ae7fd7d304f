package storage

// What a storer does about a player who has signed two batches for one interval. If one
// of them has a certificate, that one counts, for whoever asks first is told of it and
// no more. Otherwise nothing counts that the player has done in the interval: a storer
// that knows both says both, tells the other storers, and gives no more receipts.

// contradicted notes that a player has signed another batch than the one that is stored
// here; list are good receipts for that one.
func (as *actionStore) contradicted(s *playerLog, st *intervalLog, b *Batch, list []*Receipt) {
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

// learnOther notes two batches of which somebody else has told.
func (as *actionStore) learnOther(s *playerLog, st *intervalLog, a, b *Batch) {
	as.faults.contradict(a, b, nil, nil)
	switch {
	case st.other != nil:
		return
	case !st.sealed:
		as.seal(st, a)
		st.other = b
	case sameBatch(st.batch, b):
		st.other = a
	default:
		st.other = b
	}
	as.passOnLate(s, st)
}

// passOnLate tells the other storers what they were to be told at t^a, if that is past.
func (as *actionStore) passOnLate(s *playerLog, st *intervalLog) {
	if st.cert == nil && as.env.Now() > as.time.actions(st.of) {
		as.passOn(s, st)
	}
}

// keepPushed stores a batch that a neighbour has handed over: what its player has signed
// counts as stored here, for the one who had it in time is gone.
func (as *actionStore) keepPushed(b *Batch) {
	if !as.hardened() {
		as.actions.merge(b)
		return
	}
	if !as.time.accepts(b.Of, as.env.Now()) {
		return
	}
	s := as.actions.playerLog(b.Player)
	switch st := s.intervalLog(b.Of); {
	case b.Signature == nil && !st.sealed:
		as.actions.merge(b)
	case !as.receipts.signedBatch(b):
	case !st.sealed:
		as.seal(st, b)
	case !sameBatch(st.batch, b):
		as.contradicted(s, st, b, nil)
	}
}
