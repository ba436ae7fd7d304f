package group

// hibernation: a group whose space nobody uses sends nothing and sets no timers. The
// leader begins it when all living members have everything. A member wakes on any
// message or on Wake, and waits for one lease before it campaigns. A hibernating
// leader does not lead: its lease expires.
type hibernation struct {
	component
	raft       *raftNode
	election   *election
	leadership *leadership
	transfer   *transfer
	membership *membership
	detector   *failureDetector
	proposals  *proposals
	snapshots  *snapshotSender
	outbox     *outbox
	leader     interface{ tick() }

	wanted bool // by the leader's owner
	asleep bool
}

func (h *hibernation) reset() { h.wanted, h.asleep = false, false }

// isAsleep reports whether the group hibernates.
func (h *hibernation) isAsleep() bool { return h.asleep }

// active reports whether the group hibernates, or is about to.
func (h *hibernation) active() bool { return h.wanted || h.asleep }

// want lets a leader hibernate when it can.
func (h *hibernation) want() {
	if now := h.raft.status(); now.leader && !h.transfer.completedIn(now.term) {
		h.wanted = true
	}
}

// stop ends hibernation by the owner's wish, and wakes the leader too.
func (h *hibernation) stop() {
	h.wanted = false
	if now := h.raft.status(); !now.leader && now.lead != 0 {
		h.outbox.sendKind(KindWake, now.lead)
	}
	h.wake()
}

// wake continues as if the leader had just been heard.
func (h *hibernation) wake() {
	if !h.asleep {
		return
	}
	h.asleep = false
	h.events.changed()
	if h.raft.status().leader {
		h.leader.tick()
		return
	}
	h.election.regrant()
}

// rouse wakes this member because of a message and, unless the leader sent it, the
// leader: a follower without a vote would wait for one for ever.
func (h *hibernation) rouse(by uint64, kind Kind) {
	if !h.asleep {
		return
	}
	now := h.raft.status()
	h.wake()
	if !now.leader && now.lead != by {
		h.outbox.sendKind(kind, now.lead)
	}
}

// onWake is a member's request to wake. After KindWake the group is awake until
// Hibernate is called again.
func (h *hibernation) onWake(m *Message) {
	if !h.raft.active() {
		return
	}
	if m.Kind == KindWake {
		h.wanted = false
	}
	h.rouse(m.From, m.Kind)
}

// answersLeader reports whether a message acknowledges a lease of this member. A leader
// that hibernates ignores that.
func (h *hibernation) answersLeader(m *Message) bool {
	return m.AckSentAt != 0 && h.raft.status().leader
}

// wokenBy reports whether a message may wake this member, of whatever generation it is:
// one of a newer generation makes the owner wake the group.
func (h *hibernation) wokenBy(m *Message) bool {
	switch m.Kind {
	case KindHibernate, KindRemoved, KindLogLost:
		return m.Gen != h.st.Gen
	case KindRaft:
		return m.Gen != h.st.Gen || m.To != h.st.Self || !h.answersLeader(m)
	}
	return true
}

// onMessage wakes a member by a message.
func (h *hibernation) onMessage(m *Message) {
	if !h.answersLeader(m) {
		h.rouse(m.From, KindCatchUp)
	}
}

// beginIfIdle lets the group hibernate if nothing is left to do.
func (h *hibernation) beginIfIdle() {
	if !h.raft.active() || !h.wanted || h.asleep || !h.leadership.isEstablished() ||
		!h.proposals.idle() || h.snapshots.sending() || h.membership.pending() {
		return
	}
	last, ok := h.allHaveAll()
	if !ok {
		return
	}
	h.leader.tick() // its messages say up to which index entries are committed
	h.raft.pump()
	h.outbox.flush()
	for m := range h.st.others() {
		msg := h.outbox.message(KindHibernate, m.ID)
		msg.Index = last
		h.outbox.post(m.ID, msg)
	}
	h.sleep()
}

// allHaveAll reports whether all living members have every entry up to the last
// one, and this replica has applied it.
func (h *hibernation) allHaveAll() (last uint64, ok bool) {
	pr := h.raft.progress()
	last = pr[h.st.Self].match
	if h.st.Applied < last {
		return 0, false
	}
	for m := range h.st.others() {
		if !h.detector.isDead(m.ID) && pr[m.ID].match < last {
			return 0, false
		}
	}
	return last, true
}

func (h *hibernation) sleep() {
	h.asleep = true
	h.events.changed()
}

// onHibernate is the leader's request to hibernate, which counts if this member has
// everything.
func (h *hibernation) onHibernate(m *Message) {
	now := h.raft.status()
	if now.leader || now.lead != m.From || now.term != m.Term || h.st.Applied < m.Index {
		return
	}
	h.sleep()
}
