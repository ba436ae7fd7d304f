package overlay

// verdict is a cached answer.
type verdict uint8

const (
	unknown verdict = iota
	no
	yes
)

// Stable reports whether the node has its place (thesis 4.7.1): nothing is
// pending, there is a view of every neighbour, and the Delaunay graph of all
// these views is what each of them says.
func (n *Node) Stable() bool {
	if len(n.pending) > 0 || len(n.neighbours) == 0 {
		return false
	}
	if n.stableNow == unknown {
		n.stableNow = yes
		for _, p := range n.neighbours {
			if n.inconsistentView(p) {
				n.stableNow = no
				break
			}
		}
	}
	return n.stableNow == yes
}

// inconsistentView reports whether a neighbour's view is missing or is not what the
// views of all others make it.
func (n *Node) inconsistentView(p *peer) bool {
	if p.view == nil {
		return true
	}
	n.gather(p)
	return !n.stars.starIs(p.view.Neighbours)
}

// gather puts all that the neighbours' views name into the star builder, for the star
// of one of them.
func (n *Node) gather(p *peer) {
	s := &n.stars
	s.reset(p.Contact)
	s.add(n.self)
	s.addPeers(n.neighbours)
	for _, q := range n.neighbours {
		if q.view != nil {
			n.addLive(q.view.Neighbours)
		}
	}
}

// requestInconsistentViews asks everybody whose view does not fit, and, as one old view can
// put all others in doubt, everybody else as well.
func (n *Node) requestInconsistentViews() {
	v := *n.currentView()
	v.Ask = true
	for _, p := range n.neighbours {
		n.env.Send(p.peer, &v)
	}
}
