package overlay

// Bootstrapping and join (thesis 4.4): the joining node asks one node of each
// zone, each by way of the place in its zone that mirrors the joining node's
// own, so that the requests come from different directions and end at different
// future neighbours.

// joiner finds the network and asks to join it.
type joiner struct {
	*core
	router     *router
	hood       *neighbourhood
	links      *links
	departures *departures
	routing    *routingTable

	boot          []*peer // from the bootstrapping service, while joining
	bootstrapping bool    // the service has been asked
}

func (j *joiner) findBootstrapNode() {
	if j.cfg.Seek == nil || j.bootstrapping {
		return
	}
	j.bootstrapping = true
	j.env.Do("", jobSeek, j.cfg.Seek())
}

// onBootstrapNode has the bootstrapping service's answer. Without anybody in it the node
// is the first one, and asks again in a while in case it is not.
func (j *joiner) onBootstrapNode(result any, err error) {
	j.bootstrapping = false
	if err != nil {
		return
	}
	boot, _ := result.([]*Contact)
	if j.joined && len(j.hood.neighbours) > 0 {
		boot = j.pickUnlinked(boot)
	}
	for _, c := range boot {
		if c.ID == j.self.ID || j.departures.hasFailed(c) {
			continue
		}
		j.joinBy(c)
	}
	if j.peers.empty() && j.cfg.Announce != nil {
		j.env.Do("", jobAnnounce, j.cfg.Announce(true))
	}
}

// joinBy has a node pass on a JoinRequest of this one.
func (j *joiner) joinBy(c *Contact) {
	p := j.links.know(c)
	if p.why&asBoot == 0 {
		j.boot = append(j.boot, p)
	}
	j.links.need(p, asBoot)
	if p.link == linkUp {
		j.onBootUp(p)
	}
}

// pickUnlinked returns one of the contacts, or none if the node drawn is linked
// already.
func (j *joiner) pickUnlinked(list []*Contact) []*Contact {
	if len(list) == 0 {
		return nil
	}
	i := j.env.Rand().Intn(len(list))
	if j.peers.get(list[i].ID) != nil {
		return nil
	}
	return list[i : i+1]
}

// onBootUp sends the request over a bootstrapping node's link.
func (j *joiner) onBootUp(p *peer) {
	j.routing.offer(p.Contact) // the first entries of the table (4.5.5)
	m := &JoinRequest{Route{Origin: j.self, Seq: j.nextSeq(), Dest: j.self.Pos}}
	if zone := j.cfg.Space.Zone(p.Pos); zone != j.cfg.Space.Zone(j.self.Pos) {
		m.Via, m.HasVia = j.cfg.Space.Mirror(j.self.Pos, zone), true
	}
	j.env.Send(p.peer, m)
}

func (co *core) nextSeq() uint64 {
	co.seq++
	return co.seq
}

// onJoinRequest receives the request if the origin will be a neighbour here;
// connecting to it is the answer, for neighbours tell each other their views.
// Otherwise it goes on towards the origin's place. On its way to the
// intermediate destination it is not received, or all paths would end at once.
func (j *joiner) onJoinRequest(m *JoinRequest) {
	if m.Hops >= maxHops {
		return
	}
	delete(j.departures.failed, m.Origin.ID)
	if m.HasVia {
		if next := j.router.nextHop(m.Via, m.Origin); next != nil {
			j.env.Send(next.peer, m.onward(true))
			return
		}
	}
	if j.hood.wouldBeNeighbour(m.Origin) {
		j.hood.reconcileWith(&NetworkView{Source: m.Origin})
		return
	}
	if next := j.router.nextHop(m.Dest, m.Origin); next != nil {
		j.env.Send(next.peer, m.onward(false))
	}
}

// releaseBoot lets the bootstrapping nodes go once the node has its place and
// they have got its request.
func (j *joiner) releaseBoot() {
	var wait []*peer
	for _, p := range j.boot {
		switch {
		case p.why&asBoot != 0 && p.link == opening:
			wait = append(wait, p)
		case p.why&asBoot != 0:
			j.links.release(p, asBoot)
		}
	}
	j.boot = wait
}

// onJoined is when the node has its place for the first time.
func (j *joiner) onJoined() {
	j.joined = true
	j.routing.fillAll()
	if j.cfg.Announce != nil {
		j.env.Do("", jobAnnounce, j.cfg.Announce(true))
	}
	if j.cfg.Events != nil {
		j.cfg.Events.Joined()
	}
}
