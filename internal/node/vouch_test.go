package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/hall"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
)

// impostor is a country in which a guest plays at a node that leads neither
// the hall nor the guest's home, and another node wants to play the guest.
type impostor struct {
	*country
	guest   *wanderer
	liar    int
	entries int // of the guest, before the liar speaks
}

// newImpostor makes one; passes says whether nodes look at passes: the liar has
// none.
func newImpostor(t *testing.T, passes bool) *impostor {
	c := newCountry(t, 2, 0)
	i := &impostor{country: c}
	c.change = func(_ int, n *Net) {
		n.CheckPass = func(_ *identity.Pass, player, stone id.ID) error {
			if passes && i.liar > 0 && player == i.guest.player() && stone == nodePeer(i.liar).ID {
				return identity.ErrPass
			}
			return nil
		}
	}
	for n := range 4 {
		c.addNode(n)
	}
	c.s.Run(3 * time.Second)
	i.guest = c.addGuest(0)
	c.until("the guest is in", func() bool { return i.guest.in })
	c.s.Run(10 * time.Second)
	for n := range c.nodes {
		if n != c.leaderOf(theHall) && n != c.leaderOf(Part{Region: i.guest.home}) && n != 0 {
			i.liar = n
		}
	}
	if i.liar == 0 {
		t.Fatal("every node leads something of the guest's")
	}
	i.entries = i.guest.entries
	return i
}

// say brings a message in the name of a session of the liar to a part.
func (i *impostor) say(to Part, m machine.Message) {
	l := i.node(i.liar)
	i.nodes[i.liar].Call(func() {
		l.net.send(nodePeer(i.leaderOf(to)), &Routed{To: to, Session: id.Of([]byte("false")), Msg: m})
	})
	i.s.Run(8 * time.Second)
}

// unharmed fails if the guest has lost anything to the liar.
func (i *impostor) unharmed() {
	i.Helper()
	if !i.guest.in || i.guest.refused != nil {
		i.Errorf("the guest was thrown out: in %v, %v", i.guest.in, i.guest.refused)
	}
	if i.guest.entries != i.entries {
		i.Errorf("the guest had to enter again: the liar has played it")
	}
	i.checkPresence()
}

// TestNoPass: a node cannot let a player into the world who has not given it a
// pass (DESIGN 10.5).
func TestNoPass(t *testing.T) {
	i := newImpostor(t, true)
	i.say(theHall, &hall.Enter{Player: i.guest.player(), Name: i.guest.name})
	i.unharmed()
}

// TestNotAdmitted: a region lets no session of another node in that the hall
// has not admitted as that player, whatever the node says of it.
func TestNotAdmitted(t *testing.T) {
	i := newImpostor(t, false)
	king := &region.Enter{Player: i.guest.player(), Name: "king", Operator: true}
	i.say(Part{Region: i.guest.home}, king)
	i.say(theHall, &hall.Enter{Player: id.Of([]byte("somebody")), Name: "somebody"})
	i.say(Part{Region: i.guest.home}, king)
	i.unharmed()
}
