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
func (nb *neighbourhood) Stable() bool {
	if len(nb.pending) > 0 || len(nb.neighbours) == 0 {
		return false
	}
	if nb.stableNow == unknown {
		nb.stableNow = yes
		for _, p := range nb.neighbours {
			if nb.inconsistentView(p) {
				nb.stableNow = no
				break
			}
		}
	}
	return nb.stableNow == yes
}

// inconsistentView reports whether a neighbour's view is missing or is not what the
// views of all others make it.
func (nb *neighbourhood) inconsistentView(p *peer) bool {
	if p.view == nil {
		return true
	}
	if p.omits > 0 {
		nb.completeView(p)
		return false
	}
	nb.gather(p)
	return !nb.stars.starIs(p.view.Neighbours)
}

// gather puts all that the neighbours' views name into the star builder, for the star
// of one of them.
func (nb *neighbourhood) gather(p *peer) {
	s := &nb.stars
	s.reset(p.Contact)
	s.add(nb.self)
	s.addPeers(nb.neighbours)
	for _, q := range nb.neighbours {
		if q.view != nil {
			nb.addLive(q.view.Neighbours)
		}
	}
}

// requestInconsistentViews asks everybody whose view does not fit, and, as one old view can
// put all others in doubt, everybody else as well.
func (nb *neighbourhood) requestInconsistentViews() {
	v := *nb.currentView()
	v.Ask = true
	for _, p := range nb.neighbours {
		nb.env.Send(p.peer, &v)
	}
}
