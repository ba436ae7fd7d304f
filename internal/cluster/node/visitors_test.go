package node

import (
	"bytes"
	"crypto/ed25519"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestVisitorsThroughTheirOwnNode: somebody who was invited to look around changes nothing
// in a region of another node, though the own node does not say to the region that it is
// a visitor's (sessions of tests never do).
func TestVisitorsThroughTheirOwnNode(t *testing.T) {
	c := newClusterOn(t, 8, 6, wide())
	c.s.Run(3 * time.Second)
	builder := c.addGuest(0)
	c.until("the builder is in", func() bool { return builder.in })
	c.s.Run(20 * time.Second)
	leads := map[int]bool{c.leaderOf(shards.Lobby): true}
	for x := range int32(2) { // the spawn is near a corner of four regions
		for z := range int32(2) {
			leads[c.leaderOf(shards.Shard{Region: world.RegionPos{X: x, Z: z}})] = true
		}
	}
	own := 0
	for leads[own] {
		own++
	}
	if own == len(c.nodes) {
		t.Fatal("every node leads a region around the spawn: take another seed")
	}
	founder := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32))
	i, err := invitation.New(bytes.NewReader(make([]byte, 64)), founder, id.Of([]byte("world")), invitation.Terms{Permits: invitation.Visit})
	if err != nil {
		t.Fatal(err)
	}
	visitor := c.addGuest(own)
	visitor.invitation = i.AdmitPlayer(visitor.player())
	c.until("the visitor is in", func() bool { return visitor.in })
	c.s.Run(20 * time.Second)
	refused := 0
	for _, r := range visitor.results {
		if r.Reason == string(world.Visiting) {
			refused++
		}
	}
	if builder.acted == 0 || visitor.acted > 0 || refused == 0 {
		t.Errorf("the builder changed %d blocks, the visitor %d; %d acts of the visitor were refused", builder.acted, visitor.acted, refused)
	}
}
