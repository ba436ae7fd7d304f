package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/group"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// TestHostileInvitation: a node that does not host a part makes nobody a member of a
// group of it, and is not believed to speak in the part's name.
func TestHostileInvitation(t *testing.T) {
	c := newCountry(t, 1, 7)
	c.s.Run(3 * time.Second)
	g := c.addGuest(0)
	c.until("the guest is in", func() bool { return g.in })
	c.s.Run(10 * time.Second)
	victim := c.node(0).net
	// A part that others host, and many that nobody does.
	var parts []Part
	liar := -1
	for i := 1; i < len(c.nodes) && liar < 0; i++ {
		for _, p := range sortedParts(c.node(i).net.hosts) {
			for l := 1; l < len(c.nodes); l++ {
				if victim.hosted(p) == nil && c.node(l).net.hosted(p) == nil && liar < 0 {
					parts, liar = append(parts, p), l
				}
			}
		}
	}
	if liar < 0 {
		t.Fatal("everybody hosts everything")
	}
	for i := range int32(2 * maxInvitations) {
		parts = append(parts, Part{Region: world.RegionPos{X: 500 + i}})
	}
	had := len(victim.hosts)
	for range 5 {
		c.nodes[liar].Call(func() {
			for _, p := range parts {
				c.node(liar).net.send(nodePeer(0), &group.Message{Space: p.space(), Gen: group.Gen{Number: 1, Fork: 1}, From: 1, To: 2, Term: 2, Fresh: true, Stamp: 1, Promise: 1})
			}
		})
		c.s.Run(time.Second)
		if n := len(victim.invitations); n > maxInvitations {
			t.Fatalf("%d invitations are remembered", n)
		}
	}
	for _, p := range parts {
		if victim.hosted(p) != nil || victim.speaksFor(nodePeer(liar), p) && c.node(liar).net.hosted(p) == nil {
			t.Errorf("the victim has become a host of %v, with the liar", p)
		}
	}
	if n := len(victim.hosts); n > had+3 {
		t.Errorf("it hosted %d parts and hosts %d", had, n)
	}
	c.s.Run(2 * invitedFor)
	if n := len(victim.invitations); n > 0 {
		t.Errorf("%d invitations are still remembered", n)
	}
}
