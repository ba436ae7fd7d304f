package overlay

import "github.com/voxelpopuli/voxelpopuli/internal/id"

// peerSet finds peers by their ids. A node looks up two for every message, so
// the key is the first 64 bits of the id, which hash and compare faster; ids that
// begin alike, which only somebody makes on purpose, hang in a chain.
type peerSet struct{ first map[uint64]*peer }

func newPeerSet() peerSet { return peerSet{map[uint64]*peer{}} }

func (s *peerSet) get(who id.ID) *peer {
	p := s.first[who.Head()]
	for p != nil && p.peer.ID != who {
		p = p.alike
	}
	return p
}

// put adds a peer that is not there yet.
func (s *peerSet) put(p *peer) {
	head := p.peer.ID.Head()
	p.alike = s.first[head]
	s.first[head] = p
}

func (s *peerSet) remove(p *peer) {
	head := p.peer.ID.Head()
	if s.first[head] == p {
		if s.first[head] = p.alike; p.alike == nil {
			delete(s.first, head)
		}
		return
	}
	for q := s.first[head]; q != nil; q = q.alike {
		if q.alike == p {
			q.alike = p.alike
		}
	}
}

func (s *peerSet) empty() bool { return len(s.first) == 0 }
