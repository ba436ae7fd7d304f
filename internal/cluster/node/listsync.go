package node

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// SignedList is a list that one key signs for the whole world, such as the
// authority's revocations. Of two lists the higher version counts. It may be used
// from everywhere.
type SignedList interface {
	// Current is the list in force, encoded, and its version; 0: none yet.
	Current() (version uint64, list []byte)
	// Take verifies a list and puts it in force. It returns a sentence about it for
	// the people who run the node; an error says why it is not valid.
	Take(list []byte) (said string, err error)
}

// listSync brings a signed list to every node: two nodes that open a link
// exchange the versions that they have, and the one with the newer list sends
// it. A node that receives a newer list verifies it and sends it over all its
// links, so only signed lists spread. A nil one spreads nothing.
type listSync struct {
	part.Part
	links   *peers.Links
	disk    nodeDisk
	list    SignedList
	name    string // of the list, for people
	key     string // of the list on the disk
	message func(version uint64, list []byte) machine.Message
	enforce func() // applies a list that was taken
}

// nodeDisk is the node's own space on its disk (nodeStore).
type nodeDisk interface {
	put(key string, value []byte)
}

// version is that of the list in force; 0: none.
func (s *listSync) version() uint64 {
	v, _ := s.list.Current()
	return v
}

// greet tells a node which version is in force here.
func (s *listSync) greet(f *peers.Remote) {
	if s != nil {
		s.Env.Send(f.Peer, s.message(s.version(), nil))
	}
}

// received compares a node's version with ours, and takes a newer list.
func (s *listSync) received(f *peers.Remote, version uint64, list []byte) {
	if s == nil || !f.IsUp() {
		return
	}
	switch own, mine := s.list.Current(); {
	case version < own:
		s.Env.Send(f.Peer, s.message(own, mine))
	case version == own || len(list) == 0: // it gives us the list when it hears of ours
	default:
		if err := s.take(list, f); err != nil {
			s.Accused.Accuse(f.Peer.ID, "a false %s: %v", s.name, err)
			s.links.Disconnect(f)
		}
	}
}

// recall takes the list that is on the disk.
func (s *listSync) recall(list []byte) {
	if s == nil {
		return
	}
	before := s.version()
	if _, err := s.list.Take(list); err != nil && before == 0 {
		s.Note(fmt.Sprintf("The %s on the disk cannot be used: %v", s.name, err))
		return
	}
	s.enforce()
}

// take puts a newer list in force, keeps it and passes it on. The links to nodes
// that are not admitted any more are closed after that: they hear why.
func (s *listSync) take(list []byte, from *peers.Remote) error {
	said, err := s.list.Take(list)
	if err != nil {
		return err
	}
	s.disk.put(s.key, list)
	s.links.TellAll(s.message(s.list.Current()), from)
	s.Note(said)
	s.enforce()
	return nil
}
