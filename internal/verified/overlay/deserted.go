package overlay

import "time"

// desertedAfter is how long nobody of a zone has been known when it counts as
// deserted: longer than it takes to ask for an entry that was lost twice.
const desertedAfter = 30 * time.Second

// Deserted reports whether a zone is without nodes as far as this one can tell: it
// has asked for its entry of that zone over all others, in vain and for some time,
// and none of its neighbours and links leads there. Only the nodes' own tables count,
// not what anybody says; somebody who stands there is heard of at once, by the
// requests with which it fills its own table.
func (n *Node) Deserted(zone int) bool {
	s := n.cfg.Space
	if zone == s.Zone(n.self.Pos) || !n.joined {
		return false
	}
	e := n.routing.table.entries[zone] // of layer 0
	if e.cur != nil || e.next != nil || n.env.Now().Sub(e.lost) < desertedAfter {
		return false
	}
	area := s.SubArea(zone)
	for _, list := range [...][]*peer{n.hood.neighbours, n.links.linked} {
		for _, p := range list {
			if p.Contact != nil && area.Contains(p.Pos) {
				return false
			}
		}
	}
	return true
}
