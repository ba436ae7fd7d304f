package overlay

// Views (thesis 4.3.2 to 4.3.4, listings 4.1 and 4.2).

// onView takes a neighbourhood that a linked node reports.
func (nb *neighbourhood) onView(p *peer, v *NetworkView) {
	if !nb.hello.acceptHello(p, v.Source) || !nb.hello.consistentView(v) || nb.falseViews.ignoresViewsOf(v.Source.ID) {
		return
	}
	p.view = v
	nb.stableNow = unknown
	if !nb.stabilizer.watching {
		nb.stabilizer.scheduleStabilize()
	}
	nb.reconcileWith(v)
	if p.why&asReceiver == 0 && (v.Ask || nb.differs(v) && !nb.departures.namesFailed(v)) {
		nb.queue(p)
	}
	switch {
	case p.why&asNeighbour == 0 && !v.Names(nb.self):
		p.view = nil // both agree that they are no neighbours (4.7.1)
	case p.why&asNeighbour != 0 && p.omits > 0:
		if nb.env.Now().Sub(p.omits) > disputeAfter {
			nb.falseViews.reportOmission(p)
		}
		nb.completeView(p)
	}
}

// differs reports whether the sender of a view would have other neighbours, if
// it knew what our answer would tell it (thesis 4.3.4). Pending neighbours
// count: the answer waits for them.
func (nb *neighbourhood) differs(v *NetworkView) bool {
	s := &nb.stars
	s.reset(v.Source)
	s.add(nb.self)
	s.addPeers(nb.neighbours)
	s.addPeers(nb.pending)
	s.addAll(v.Neighbours)
	return !s.starIs(v.Neighbours)
}

// queue remembers that p is to get a view (thesis 4.3.3: the receivers are
// queued, not the views).
func (nb *neighbourhood) queue(p *peer) {
	if p.why&asReceiver == 0 && p.link == linkUp {
		nb.receivers = append(nb.receivers, p)
		nb.links.need(p, asReceiver)
	}
}

func (nb *neighbourhood) queueAll(list []*peer) {
	for _, p := range list {
		nb.queue(p)
	}
}

// flush sends the view to all who wait for it; nothing is pending.
func (nb *neighbourhood) flush() {
	if len(nb.receivers) == 0 {
		return
	}
	v := nb.currentView()
	for _, p := range nb.receivers {
		nb.env.Send(p.peer, v)
	}
	for _, p := range nb.receivers {
		nb.links.release(p, asReceiver)
	}
	nb.receivers = nb.receivers[:0]
}

// currentView is what the node reports; it is frozen and shared.
func (nb *neighbourhood) currentView() *NetworkView {
	if nb.view == nil {
		nb.view = &NetworkView{
			Source: nb.self, Stamp: nb.env.Now(),
			Neighbours: nb.Neighbours(make([]*Contact, 0, len(nb.neighbours))),
		}
		if nb.cfg.Sign != nil {
			nb.cfg.Sign(nb.view)
		}
	}
	return nb.view
}

// changed notes that the neighbourhood is another one.
func (nb *neighbourhood) changed() {
	nb.view, nb.cell, nb.reach = nil, nb.cell[:0], 0
	nb.stableNow = unknown
	nb.stabilizer.scheduleStabilize()
	if nb.cfg.Events != nil {
		nb.cfg.Events.Neighbourhood()
	}
}
