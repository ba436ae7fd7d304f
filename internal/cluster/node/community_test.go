package node

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestCommunity: reports, mutes, jails, the log of what operators did, homes and warps among
// players of three nodes, over the borders of regions.
func TestCommunity(t *testing.T) {
	c := changedCluster(t, 7, 3, func(_ int, n *Net) { n.Founder = nodePeer(0).ID })
	w := &town{cluster: c, ann: c.addGuest(0), bo: c.addGuest(1), eve: c.addGuest(2)}
	w.ann.local, w.bo.orders, w.eve.orders = true, true, true
	for _, g := range []*wanderer{w.ann, w.bo, w.eve} {
		g.drive = func() { g.step(world.Input{}) }
	}
	w.until("all are in", func() bool { return w.ann.in && w.bo.in && w.eve.in })
	w.until("Ann is an operator everywhere", func() bool { return len(c.operators(w.ann.player())) == 3 })
	heard := func(who *wanderer, line string) bool {
		return slices.ContainsFunc(who.told, func(l string) bool { return strings.Contains(l, line) })
	}
	says := func(who *wanderer, line string) {
		w.s.Run(1500 * time.Millisecond)
		w.guests[who.index].Call(func() { who.say(&lobby.Say{Text: line}) })
		w.s.Run(1500 * time.Millisecond)
	}
	eve := w.eve.name

	says(w.bo, "/report "+eve+" has dug up my garden")
	w.tells(w.ann, "/reports", "has dug up my garden")

	says(w.eve, "good morning")
	says(w.ann, "/mute "+eve+" 10m shouting")
	says(w.eve, "buy my gold")
	if !heard(w.bo, "good morning") || heard(w.bo, "buy my gold") {
		t.Errorf("Bo has heard %q", w.bo.told)
	}
	says(w.ann, "/unmute "+eve)
	says(w.eve, "good evening")
	if !heard(w.bo, "good evening") {
		t.Errorf("who is not mute any more is not heard: %q", w.bo.told)
	}

	digs := func(want string) {
		t.Helper()
		answers := map[string]int{}
		w.does(w.eve, acts(w.eve, answers, world.ActDig, w.eve.pos.Block().Add(1, -1, 0), 0))
		if answers[want] != 1 {
			t.Errorf("Eve digs: %v, want %q", answers, want)
		}
	}
	digs("")
	says(w.ann, "/jail "+eve+" 10m")
	digs(string(world.Jailed))
	says(w.ann, "/free "+eve)

	near := func(who *wanderer, what string, at world.Pos) {
		t.Helper()
		w.until(what, func() bool {
			p := who.pos.Block()
			return who.in && max(p.X-at.X, at.X-p.X, p.Z-at.Z, at.Z-p.Z) <= 1
		})
	}
	home := w.eve.pos.Block()
	says(w.eve, "/sethome nest")
	says(w.ann, "/tp "+eve+" 400 70 -300")
	near(w.eve, "Eve is far away", world.Pos{X: 400, Z: -300})
	says(w.ann, "/tp 300 70 300")
	near(w.ann, "Ann is at the market", world.Pos{X: 300, Z: 300})
	says(w.ann, "/setwarp market")
	says(w.eve, "/home nest")
	near(w.eve, "Eve is at home", home)
	says(w.bo, "/warp market")
	near(w.bo, "Bo is at the market", w.ann.pos.Block())

	for _, did := range []string{"mute", "jail"} {
		w.tells(w.ann, "/audit", did)
	}
	if w.node(2).decisions.log.RoleOf(w.eve.player()) != decision.RolePlayer {
		t.Error("Eve has another role")
	}
}
