package overlay

// Bootstrapping and join (thesis 4.4): the joining node asks one node of each
// zone, each by way of the place in its zone that mirrors the joining node's
// own, so that the requests come from different directions and end at different
// future neighbours.

func (n *Node) findBootstrapNode() {
	if n.cfg.Seek == nil || n.bootstrapping {
		return
	}
	n.bootstrapping = true
	n.env.Do("", jobSeek, n.cfg.Seek())
}

// onBootstrapNode has the bootstrapping service's answer. Without anybody in it the node
// is the first one, and asks again in a while in case it is not.
func (n *Node) onBootstrapNode(result any, err error) {
	n.bootstrapping = false
	if err != nil {
		return
	}
	boot, _ := result.([]*Contact)
	if n.joined && len(n.neighbours) > 0 {
		boot = n.pickUnlinked(boot)
	}
	for _, c := range boot {
		if c.ID == n.self.ID || n.hasFailed(c) {
			continue
		}
		n.joinBy(c)
	}
	if n.peers.empty() && n.cfg.Announce != nil {
		n.env.Do("", jobAnnounce, n.cfg.Announce(true))
	}
}

// joinBy has a node pass on a JoinRequest of this one.
func (n *Node) joinBy(c *Contact) {
	p := n.know(c)
	if p.why&asBoot == 0 {
		n.boot = append(n.boot, p)
	}
	n.need(p, asBoot)
	if p.link == linkUp {
		n.onBootUp(p)
	}
}

// pickUnlinked returns one of the contacts, or none if the node drawn is linked
// already.
func (n *Node) pickUnlinked(list []*Contact) []*Contact {
	if len(list) == 0 {
		return nil
	}
	i := n.env.Rand().Intn(len(list))
	if n.peers.get(list[i].ID) != nil {
		return nil
	}
	return list[i : i+1]
}

// onBootUp sends the request over a bootstrapping node's link.
func (n *Node) onBootUp(p *peer) {
	n.offer(p.Contact) // the first entries of the table (4.5.5)
	m := &JoinRequest{Route{Origin: n.self, Seq: n.nextSeq(), Dest: n.self.Pos}}
	if zone := n.cfg.Space.Zone(p.Pos); zone != n.cfg.Space.Zone(n.self.Pos) {
		m.Via, m.HasVia = n.cfg.Space.Mirror(n.self.Pos, zone), true
	}
	n.env.Send(p.peer, m)
}

func (n *Node) nextSeq() uint64 {
	n.seq++
	return n.seq
}

// onJoinRequest receives the request if the origin will be a neighbour here;
// connecting to it is the answer, for neighbours tell each other their views.
// Otherwise it goes on towards the origin's place. On its way to the
// intermediate destination it is not received, or all paths would end at once.
func (n *Node) onJoinRequest(m *JoinRequest) {
	if m.Hops >= maxHops {
		return
	}
	delete(n.failed, m.Origin.ID)
	if m.HasVia {
		if next := n.nextHop(m.Via, m.Origin); next != nil {
			n.env.Send(next.peer, m.onward(true))
			return
		}
	}
	if n.wouldBeNeighbour(m.Origin) {
		n.reconcileWith(&NetworkView{Source: m.Origin})
		return
	}
	if next := n.nextHop(m.Dest, m.Origin); next != nil {
		n.env.Send(next.peer, m.onward(false))
	}
}

func (n *Node) wouldBeNeighbour(c *Contact) bool {
	s := &n.stars
	s.reset(n.self)
	s.addPeers(n.neighbours)
	s.add(c)
	if !hasPlace(s.star(), c.Pos) {
		return false
	}
	for _, s := range n.star(&NetworkView{Source: c}) {
		if s.ID == c.ID {
			return true
		}
	}
	return false
}

// releaseBoot lets the bootstrapping nodes go once the node has its place and
// they have got its request.
func (n *Node) releaseBoot() {
	var wait []*peer
	for _, p := range n.boot {
		switch {
		case p.why&asBoot != 0 && p.link == opening:
			wait = append(wait, p)
		case p.why&asBoot != 0:
			n.release(p, asBoot)
		}
	}
	n.boot = wait
}

// onJoined is when the node has its place for the first time.
func (n *Node) onJoined() {
	n.joined = true
	n.fillAll()
	if n.cfg.Announce != nil {
		n.env.Do("", jobAnnounce, n.cfg.Announce(true))
	}
	if n.cfg.Events != nil {
		n.cfg.Events.Joined()
	}
}
