package node

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// seldom are the messages of regions and the lobby that the other tests of
// countries, in which people walk and build, do not send to other nodes.
var seldom = []string{
	"lobby.Arrived", "lobby.Awake", "lobby.Asleep", "lobby.Chat", "lobby.Departed", "lobby.Leave", "lobby.Located", "lobby.Propose", "lobby.Signed", "node.Decisions",
	"lobby.Players", "lobby.Say", "lobby.Saved", "lobby.TimeOffset", "lobby.Vouch", "lobby.Vouched",
	"region.Heard", "region.Locate", "region.MobOver", "region.MobOverDone", "region.NearChat", "region.Notice",
	"region.Order", "region.SaveAll",
}

// TestLongEverythingTravels: people on several nodes talk, are brought about, fall and are
// given things, animals stray over borders, somebody leaves and comes again, and each
// message comes to the other node as what the codec reads of what it wrote.
func TestLongEverythingTravels(t *testing.T) {
	simtest.Long(t)
	carried := map[string]bool{}
	bytes := overBytes(nil)
	c := newClusterOn(t, 1, 0, sim.Config{Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond, Carry: func(m machine.Message) machine.Message {
		note(carried, m)
		return bytes(m)
	}})
	c.mobs = 16
	c.change = func(_ int, n *Net) { n.Founder = nodePeer(0).ID }
	for i := range 4 {
		c.addNode(i)
	}
	c.s.Run(5 * time.Second)
	c.enterFounder(0)
	for i := 1; i < 4; i++ {
		c.addGuest(i)
	}
	c.until("everybody is in", func() bool { return c.wanderer(1).in && c.wanderer(2).in && c.wanderer(3).in })
	say := func(who int, text string) {
		c.guests[who].Call(func() { c.wanderer(who).say(&lobby.Say{Text: text}) })
		c.s.Run(time.Second)
	}
	missing := func() (names []string) {
		for _, name := range seldom {
			if !carried[name] {
				names = append(names, name)
			}
		}
		return names
	}
	for round := 0; round < 10 && len(missing()) > 0; round++ { // which way an animal goes is chance
		say(1, "hello")
		say(2, "/near is anybody here")
		say(0, fmt.Sprintf("/tp b-wanderer 134 %d %d", ground+1, 120+round))
		say(0, "/tp c-wanderer b-wanderer")
		say(0, "/gamemode survival c-wanderer")
		say(0, fmt.Sprintf("/tp c-wanderer 130 %d 130", ground+80)) // and down it falls
		say(0, "/give d-wanderer bricks 3")
		say(0, "/time set noon")
		say(0, "/save")
		say(0, "/op d-wanderer")
		say(0, "/deop d-wanderer")
		say(0, fmt.Sprintf("/tp d-wanderer %d %d 600", 600+200*round, ground+1)) // where a region sleeps when it has gone
		c.s.Run(10 * time.Second)
		c.guests[3].Call(func() {
			g := c.wanderer(3)
			g.tell(g.home, &region.Leave{Player: g.player()})
			g.say(&lobby.Leave{})
		})
		c.s.Run(10 * time.Second)
	}
	if names := missing(); len(names) > 0 {
		t.Errorf("nobody has said %q to another node", names)
	}
}

// note notes the name of a message, and of those in it.
func note(names map[string]bool, m machine.Message) {
	v := reflect.ValueOf(m).Elem()
	names[v.Type().String()] = true
	for i := range v.NumField() {
		if f := v.Field(i); f.Type() == reflect.TypeFor[machine.Message]() && !f.IsNil() {
			note(names, f.Interface())
		}
	}
}
