// Package lists brings lists that one key signs for the whole world to every node: the
// founder's access list, and the authority's revocations. A node verifies a list before it
// keeps it and passes it on, so only signed lists spread; of two the higher version counts.
package lists

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

// Sync brings a signed list to every node: two nodes that open a link
// exchange the versions that they have, and the one with the newer list sends
// it. A node that receives a newer list verifies it and sends it over all its
// links, so only signed lists spread. A nil one spreads nothing.
type Sync struct {
	part.Part
	Links   *peers.Links
	Disk    Disk
	List    SignedList
	Name    string // of the list, for people
	Key     string // of the list on the disk
	Message func(version uint64, list []byte) machine.Message
	Enforce func() // applies a list that was taken
}

// Disk is the node's own space on its disk (nodeStore).
type Disk interface {
	Put(key string, value []byte)
}

// Version is that of the list in force; 0: none.
func (s *Sync) Version() uint64 {
	v, _ := s.List.Current()
	return v
}

// Greet tells a node which version is in force here.
func (s *Sync) Greet(f *peers.Remote) {
	if s != nil {
		s.Env.Send(f.Peer, s.Message(s.Version(), nil))
	}
}

// Received compares a node's version with ours, and takes a newer list.
func (s *Sync) Received(f *peers.Remote, version uint64, list []byte) {
	if s == nil || !f.IsUp() {
		return
	}
	switch own, mine := s.List.Current(); {
	case version < own:
		s.Env.Send(f.Peer, s.Message(own, mine))
	case version == own || len(list) == 0: // it gives us the list when it hears of ours
	default:
		if err := s.Adopt(list, f); err != nil {
			s.Accused.Accuse(f.Peer.ID, "a false %s: %v", s.Name, err)
			s.Links.Disconnect(f)
		}
	}
}

// Recall takes the list that is on the disk.
func (s *Sync) Recall(list []byte) {
	if s == nil {
		return
	}
	before := s.Version()
	if _, err := s.List.Take(list); err != nil && before == 0 {
		s.Note(fmt.Sprintf("The %s on the disk cannot be used: %v", s.Name, err))
		return
	}
	s.Enforce()
}

// Adopt puts a newer list in force, keeps it and passes it on. The links to nodes
// that are not admitted any more are closed after that: they hear why.
func (s *Sync) Adopt(list []byte, from *peers.Remote) error {
	said, err := s.List.Take(list)
	if err != nil {
		return err
	}
	s.Disk.Put(s.Key, list)
	s.Links.TellAll(s.Message(s.List.Current()), from)
	s.Note(said)
	s.Enforce()
	return nil
}
