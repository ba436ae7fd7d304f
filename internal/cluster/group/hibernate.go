package group

// Sleep. A group whose space nobody uses sends nothing and sets no timers. The
// leader lets it sleep when all living members have everything; a member wakes
// when something happens, and gives the leader a lease's time before it
// looks for another. A sleeping leader does not lead: its lease runs out.

type hibernation struct {
	wanted bool // by the leader's owner
	asleep bool
}

// Hibernate lets the group sleep once all living members have everything. Only
// the leader's has an effect; it leads no more (OnFollow with ErrHibernating) until
// Wake.
func (r *Replica) Hibernate() {
	defer r.begin()()
	if r.phase == member && r.raftStatus().leader && r.lead.transferredTerm != r.raftStatus().term {
		r.hibernation.wanted = true
	}
}

// Wake ends it, on any member. The leader goes on if it is there, otherwise
// another is elected.
func (r *Replica) Wake() {
	defer r.begin()()
	if r.phase != member {
		return
	}
	was := r.hibernation.wanted || r.hibernation.asleep
	r.hibernation.wanted = false
	now := r.raftStatus()
	switch {
	case now.leader:
		if was {
			r.wakeUp()
		}
	case now.lead != 0:
		if p, ok := r.addressOf(now.lead); ok {
			r.sendKind(KindWake, now.lead, p)
		}
		r.wakeUp()
	default:
		r.wakeUp()
	}
}

// wakeUp goes on as if the leader had just been heard.
func (r *Replica) wakeUp() {
	if !r.hibernation.asleep {
		return
	}
	r.hibernation.asleep = false
	r.emit(r.ev.OnChange)
	if r.raftStatus().leader {
		r.tick(r.env.Now())
		return
	}
	r.grantLease(max(r.clock.leaseDuration, r.cfg.Election))
}

// requestWake is a message to the leader: somebody needs it.
func (r *Replica) requestWake(wanted bool) {
	if r.phase != member {
		return
	}
	if wanted {
		r.hibernation.wanted = false
	}
	r.wakeUp()
}

// wakeOnMessage wakes a member by what it hears. A leader sleeps through answers.
func (r *Replica) wakeOnMessage(m *Message) {
	if !r.hibernation.asleep {
		return
	}
	now := r.raftStatus()
	if now.leader && m.AckSentAt != 0 {
		return
	}
	r.wakeUp()
	if p, ok := r.addressOf(now.lead); ok && !now.leader && now.lead != m.From {
		r.sendKind(KindCatchUp, now.lead, p)
	}
}

// hibernateIfIdle lets the group sleep when nothing is left to do.
func (r *Replica) hibernateIfIdle() {
	if r.phase != member || !r.hibernation.wanted || r.hibernation.asleep || !r.isEstablishedLeader() || !r.props.idle() || len(r.snaps.transfers) > 0 {
		return
	}
	if _, _, more := r.nextChange(); more && len(r.st.Wanted) > 0 || r.env.Now() < r.membership.until {
		return
	}
	pr := r.progress()
	last := pr[r.st.Self].match
	if r.st.Applied < last {
		return
	}
	for m := range r.others() {
		if !r.isDead(m.ID) && pr[m.ID].match < last {
			return
		}
	}
	r.tick(r.env.Now()) // tells how far is committed
	r.pump()
	r.flushOutbox()
	for m := range r.others() {
		if p, ok := r.addressOf(m.ID); ok && r.link(p) {
			r.env.Send(p, &Message{
				Space: r.cfg.Space, Kind: KindHibernate, Gen: r.st.Gen, From: r.st.Self, To: m.ID,
				Term: r.raftStatus().term, Index: last,
			})
		}
	}
	r.hibernation.asleep = true
	r.emit(r.ev.OnChange)
}

// onHibernate sleeps if this member has everything.
func (r *Replica) onHibernate(m *Message) {
	now := r.raftStatus()
	if now.leader || now.lead != m.From || now.term != m.Term || r.st.Applied < m.Index {
		return
	}
	r.hibernation.asleep = true
	r.emit(r.ev.OnChange)
}
