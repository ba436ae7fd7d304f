package overlay

import "github.com/voxelpopuli/voxelpopuli/internal/core/id"

// peerSet finds peers by their ids. A node looks up two for every message, so
// the key is the first 64 bits of the id; ids that begin alike, which only
// somebody makes on purpose, hang in a chain.
type peerSet struct{ first id.Table[peer] }

func (s *peerSet) get(who id.ID) *peer {
	p := s.first.Get(who.Head())
	for p != nil && p.peer.ID != who {
		p = p.alike
	}
	return p
}

// put adds a peer that is not there yet.
func (s *peerSet) put(p *peer) {
	head := p.peer.ID.Head()
	p.alike = s.first.Get(head)
	s.first.Put(head, p)
}

func (s *peerSet) remove(p *peer) {
	head := p.peer.ID.Head()
	switch first := s.first.Get(head); {
	case first != p:
		for q := first; q != nil; q = q.alike {
			if q.alike == p {
				q.alike = p.alike
			}
		}
	case p.alike == nil:
		s.first.Delete(head)
	default:
		s.first.Put(head, p.alike)
	}
}

func (s *peerSet) empty() bool { return s.first.Len() == 0 }
