package overlay

// Views (thesis 4.3.2 to 4.3.4, listings 4.1 and 4.2).

// onView takes a neighbourhood that a linked node reports.
func (n *Node) onView(p *peer, v *NetworkView) {
	if !n.acceptHello(p, v.Source) || !n.consistentView(v) || n.ignoresViewsOf(v.Source.ID) {
		return
	}
	p.view = v
	n.stableNow = unknown
	if !n.watching {
		n.scheduleStabilize()
	}
	n.reconcileWith(v)
	if p.why&asReceiver == 0 && (v.Ask || n.differs(v) && !n.namesFailed(v)) {
		n.queue(p)
	}
	if p.why&asNeighbour == 0 && !v.Names(n.self) {
		p.view = nil // both agree that they are no neighbours (4.7.1)
	}
}

// differs reports whether the sender of a view would have other neighbours, if
// it knew what our answer would tell it (thesis 4.3.4). Pending neighbours
// count: the answer waits for them.
func (n *Node) differs(v *NetworkView) bool {
	s := &n.stars
	s.reset(v.Source)
	s.add(n.self)
	s.addPeers(n.neighbours)
	s.addPeers(n.pending)
	s.addAll(v.Neighbours)
	return !s.starIs(v.Neighbours)
}

// queue remembers that p is to get a view (thesis 4.3.3: the receivers are
// queued, not the views).
func (n *Node) queue(p *peer) {
	if p.why&asReceiver == 0 && p.link == linkUp {
		n.receivers = append(n.receivers, p)
		n.need(p, asReceiver)
	}
}

func (n *Node) queueAll(list []*peer) {
	for _, p := range list {
		n.queue(p)
	}
}

// flush sends the view to all who wait for it; nothing is pending.
func (n *Node) flush() {
	if len(n.receivers) == 0 {
		return
	}
	v := n.currentView()
	for _, p := range n.receivers {
		n.env.Send(p.peer, v)
	}
	for _, p := range n.receivers {
		n.release(p, asReceiver)
	}
	n.receivers = n.receivers[:0]
}

// currentView is what the node reports; it is frozen and shared.
func (n *Node) currentView() *NetworkView {
	if n.view == nil {
		n.view = &NetworkView{
			Source: n.self, Stamp: n.env.Now(),
			Neighbours: n.Neighbours(make([]*Contact, 0, len(n.neighbours))),
		}
		if n.cfg.Sign != nil {
			n.cfg.Sign(n.view)
		}
	}
	return n.view
}

// changed notes that the neighbourhood is another one.
func (n *Node) changed() {
	n.view, n.cell, n.reach = nil, n.cell[:0], 0
	n.stableNow = unknown
	n.scheduleStabilize()
	if n.cfg.Events != nil {
		n.cfg.Events.Neighbourhood()
	}
}
