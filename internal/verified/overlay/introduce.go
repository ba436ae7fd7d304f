package overlay

// Introduce is for who has heard of a node that should be a neighbour (thesis
// 5.5.3): the node is asked to pass on a JoinRequest, as a bootstrapping node is,
// so that all who should be neighbours hear of this one.
func (n *Node) Introduce(c *Contact) {
	if n.stopped || !n.validContact(c) || c.ID == n.self.ID || n.departures.hasFailed(c) {
		return
	}
	n.joins.joinBy(c)
	n.finishHandler()
}
