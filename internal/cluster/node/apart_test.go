package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// invitedAs is an access list that knows by which invitations nodes came, and bars nobody.
type invitedAs map[id.ID]id.ID

func (a invitedAs) Invitation(node id.ID) id.ID    { return a[node] }
func (invitedAs) Bars(id.ID) bool                  { return false }
func (invitedAs) Visit([]byte, id.ID, id.ID) error { return nil }
func (invitedAs) Current() (uint64, []byte)        { return 0, nil }
func (invitedAs) Take([]byte) (string, error)      { return "", nil }

// TestOneInvitationIsOneHost: of nine nodes six came by one invitation. They get one of the
// three places of every shard.
func TestOneInvitationIsOneHost(t *testing.T) {
	by := invitedAs{}
	for i := 3; i < 9; i++ {
		by[nodePeer(i).ID] = id.ID{1}
	}
	c := changedCluster(t, 1, 9, func(_ int, n *Net) { n.Access = by })
	c.enterGuest(0)
	c.s.Run(30 * time.Second)
	seen := 0
	for i := range c.nodes {
		for p, h := range c.node(i).net.hosting.replicas {
			kin, hosts := 0, h.group.Members()
			for _, m := range hosts {
				if !by[m.ID].IsZero() {
					kin++
				}
			}
			if len(hosts) == 3 {
				seen++
				if kin > 1 {
					t.Errorf("%v: %d of its hosts came by one invitation", p, kin)
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d replicas were looked at", seen)
	}
}
