package group

// Sleep. A group whose space nobody uses sends nothing and sets no timers. The
// leader lets it sleep when all living members have everything; a member wakes
// when something happens, and gives the leader a promise's time before it
// looks for another. A sleeping leader does not lead: its lease runs out.

type sleeping struct {
	wanted bool // by the leader's owner
	asleep bool
}

// Hibernate lets the group sleep once all living members have everything. Only
// the leader's has an effect; it leads no more (OnFollow with ErrAsleep) until
// Wake.
func (r *Replica) Hibernate() {
	defer r.begin()()
	if r.phase == member && r.now().leader && r.lead.yielded != r.now().term {
		r.sleep.wanted = true
	}
}

// Wake ends it, on any member. The leader goes on if it is there, otherwise
// another is elected.
func (r *Replica) Wake() {
	defer r.begin()()
	if r.phase != member {
		return
	}
	was := r.sleep.wanted || r.sleep.asleep
	r.sleep.wanted = false
	now := r.now()
	switch {
	case now.leader:
		if was {
			r.getUp()
		}
	case now.lead != 0:
		if p, ok := r.where(now.lead); ok {
			r.tell(KindWake, now.lead, p)
		}
		r.getUp()
	default:
		r.getUp()
	}
}

// getUp goes on as if the leader had just been heard.
func (r *Replica) getUp() {
	if !r.sleep.asleep {
		return
	}
	r.sleep.asleep = false
	r.emit(r.ev.OnChange)
	if r.now().leader {
		r.tick(r.env.Now())
		return
	}
	r.promise(max(r.clock.asked, r.cfg.Election))
}

// stir is a message to the leader: somebody needs it.
func (r *Replica) stir(wanted bool) {
	if r.phase != member {
		return
	}
	if wanted {
		r.sleep.wanted = false
	}
	r.getUp()
}

// rouse wakes a member by what it hears. A leader sleeps through answers.
func (r *Replica) rouse(m *Message) {
	if !r.sleep.asleep {
		return
	}
	now := r.now()
	if now.leader && m.Echo != 0 {
		return
	}
	r.getUp()
	if p, ok := r.where(now.lead); ok && !now.leader && now.lead != m.From {
		r.tell(KindStir, now.lead, p)
	}
}

// sleepIfQuiet lets the group sleep when nothing is left to do.
func (r *Replica) sleepIfQuiet() {
	if r.phase != member || !r.sleep.wanted || r.sleep.asleep || !r.rules() || !r.props.idle() || len(r.snaps.streams) > 0 {
		return
	}
	if _, _, more := r.nextChange(); more && len(r.st.Wanted) > 0 || r.env.Now() < r.shape.until {
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
	r.post()
	for m := range r.others() {
		if p, ok := r.where(m.ID); ok && r.link(p) {
			r.env.Send(p, &Message{
				Space: r.cfg.Space, Kind: KindSleep, Gen: r.st.Gen, From: r.st.Self, To: m.ID,
				Term: r.now().term, Index: last,
			})
		}
	}
	r.sleep.asleep = true
	r.emit(r.ev.OnChange)
}

// onSleep sleeps if this member has everything.
func (r *Replica) onSleep(m *Message) {
	now := r.now()
	if now.leader || now.lead != m.From || now.term != m.Term || r.st.Applied < m.Index {
		return
	}
	r.sleep.asleep = true
	r.emit(r.ev.OnChange)
}
