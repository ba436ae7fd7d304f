package node

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// TestLongSleep: players at three nodes sleep through a night; all nodes have the same time
// of day afterwards. Then the leader of the region in which they lie dies while they do.
func TestLongSleep(t *testing.T) {
	simtest.Long(t)
	c := newCluster(t, 1, 0)
	c.change = func(_ int, n *Net) { n.Founder = nodePeer(0).ID }
	for i := range 3 {
		c.addNode(i)
	}
	c.s.Run(5 * time.Second)
	ann := c.enterFounder(0)
	all := []*wanderer{ann}
	for i := 1; i < 3; i++ {
		all = append(all, c.addGuest(i))
		all[i].orders = true
	}
	for i := range all {
		g := c.wanderer(i)
		g.drive = func() { g.step(world.Input{}) }
	}
	c.until("all are in", func() bool { return all[1].in && all[2].in })
	say := func(text string) {
		c.guests[0].Call(func() { ann.say(&lobby.Say{Text: text}) })
		c.s.Run(time.Second)
	}
	heard := func(text string) bool {
		return !slices.ContainsFunc(all, func(g *wanderer) bool {
			return !slices.ContainsFunc(g.told, func(line string) bool { return strings.Contains(line, text) })
		})
	}
	does := func(i int, kind world.ActKind, at world.Pos, a, b int) {
		var seq uint32
		c.guests[i].Call(func() { seq = all[i].act(kind, at, world.FaceUp, a, b) })
		c.until("what was asked", func() bool { return all[i].results[seq] != nil })
		if res := all[i].results[seq]; !res.OK {
			t.Fatalf("%d: act %d: %s %s", i, kind, res.Reason, res.Text)
		}
	}
	say("/time set midnight")
	beds := make([]world.Pos, len(all))
	for i, g := range all {
		beds[i] = g.pos.Block().Add(2, 0, 0)
		say("/tp " + g.name + " " + decision.PlaceText(g.pos.Block().Add(0, 0, int32(6*i))))
		c.s.Run(time.Second)
		beds[i] = g.pos.Block().Add(2, 0, 0)
		does(i, world.ActPick, world.Pos{}, int(world.RedBed), 0)
		does(i, world.ActPlace, beds[i].Add(0, -1, 0), 0, 0)
	}
	day := func() bool {
		first := c.node(0).decisions.timeOffset
		tick := int64(region.TickAt(c.s.Now(), c.node(0).cfg.Region.Epoch))
		for i := range c.nodes {
			if c.node(i).decisions.timeOffset != first {
				return false
			}
		}
		return (tick+first)%world.DayLength < world.DayLength/2
	}
	if day() {
		t.Fatal("it is day")
	}
	does(0, world.ActOpen, beds[0], 0, 0)
	does(1, world.ActOpen, beds[1], 0, 0)
	c.until("all read who sleeps", func() bool { return heard("2 of 3 players are sleeping.") })
	c.s.Run(20 * time.Second)
	if day() {
		t.Fatal("two of three have ended the night")
	}
	does(2, world.ActOpen, beds[2], 0, 0)
	c.until("morning", func() bool { return heard("Good morning") && day() })

	for _, g := range all {
		g.told = nil
	}
	say("/time set midnight")
	does(0, world.ActOpen, beds[0], 0, 0)
	does(1, world.ActOpen, beds[1], 0, 0)
	does(2, world.ActOpen, beds[2], 0, 0)
	dies := c.leaderOf(shards.Shard{Region: beds[0].Region()})
	c.s.Run(time.Second)
	c.nodes[dies].Crash()
	c.s.Run(5 * time.Second)
	c.nodes[dies].Restart()
	c.until("all are back", func() bool { return all[0].in && all[1].in && all[2].in })
	for i := range all {
		does(i, world.ActOpen, beds[i], 0, 0)
	}
	c.until("morning again", func() bool { return heard("Good morning") && day() })
}
