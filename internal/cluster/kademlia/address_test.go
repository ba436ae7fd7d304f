package kademlia

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// elsewhere is a node by another of its addresses.
func elsewhere(p machine.Peer, addr byte) machine.Peer {
	p.Addr[0] = addr
	return p
}

// TestAnswersFromAnotherAddress: a node that was asked at one of its addresses
// answers from another. The lookup counts it, and both the result and the table
// have it at the address that it answers from.
func TestAnswersFromAnotherAddress(t *testing.T) {
	w := newNetwork(t)
	founder := w.add("founder", Config{})
	founder.self = elsewhere(founder.self, 1)
	joiner := w.add("joiner", Config{})
	joiner.self = elsewhere(joiner.self, 2)

	joiner.node.Join([]machine.Peer{elsewhere(founder.self, 3)})
	joiner.node.Lookup(1, id.ID{})
	w.run(time.Second)
	if got := joiner.found[1]; got.Failed != 0 || !slices.Equal(got.Closest, []machine.Peer{founder.self}) {
		t.Errorf("the lookup found %+v, want the founder at the address that it answers from", got)
	}
	if got := joiner.node.Table().Contacts(nil); !slices.Equal(got, []machine.Peer{founder.self}) {
		t.Errorf("the contacts are %v, want the founder at the address that it answers from", got)
	}
	// Joining again by the other address does not bring that back.
	joiner.node.Join([]machine.Peer{elsewhere(founder.self, 3)})
	if got := joiner.node.Table().Contacts(nil); !slices.Equal(got, []machine.Peer{founder.self}) {
		t.Errorf("joining again made the contacts %v", got)
	}
}

// TestJoinTakesTheGivenAddressOfTheSilent: a contact that does not answer any more
// is asked at the address that the node is told to join by.
func TestJoinTakesTheGivenAddressOfTheSilent(t *testing.T) {
	w := newNetwork(t)
	founder, joiner := w.add("founder", Config{}), w.add("joiner", Config{})
	joiner.node.seen(elsewhere(founder.self, 1))
	joiner.node.Table().Failed(founder.self.ID, w.now)
	moved := elsewhere(founder.self, 3)
	joiner.node.Join([]machine.Peer{moved})
	if got := joiner.node.Table().Contacts(nil); !slices.Equal(got, []machine.Peer{moved}) {
		t.Errorf("the contacts are %v, want the address to join by", got)
	}
}

// TestContactsWithoutIds: an answer that names "whoever is at this address" makes
// nobody ask there, and nodes do not join so.
func TestContactsWithoutIds(t *testing.T) {
	w := newNetwork(t)
	e, far := w.add("asker", Config{}), w.add("other", Config{})
	nobody := elsewhere(machine.Peer{}, 9)
	w.drop = func(_, to *end, m machine.Message) bool {
		r, ok := m.(*Request)
		if ok && to == far {
			w.after(time.Millisecond, func() {
				e.node.OnMessage(far.self, &Reply{RPC: r.RPC, Proc: r.Proc, Contacts: []machine.Peer{nobody}})
			})
			return true
		}
		return false
	}
	e.node.Join([]machine.Peer{nobody, far.self})
	e.node.Lookup(1, id.ID{})
	w.run(5 * time.Second)
	if got := e.found[1]; len(got.Closest) != 1 || got.Failed != 0 {
		t.Errorf("the lookup found %+v, want the other node alone", got)
	}
	if e.node.Table().Contains(id.ID{}) {
		t.Error("a contact without an id is in the table")
	}
}
