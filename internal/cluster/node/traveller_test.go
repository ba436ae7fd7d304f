package node

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// traveller is an operator who comes in by a node and has itself brought to one
// place after another: each time the lobby must know where it is, that region let
// it go, the next take it, and the land come. It asks again as a person and a
// client.Session do.
type traveller struct {
	session
	places []world.Pos // that it has not been to
	asked  machine.Time
	looked machine.Time
	heard  machine.Time
	said   string // by the lobby, last
}

func newTraveller(env machine.Env) *traveller {
	w := &traveller{session: newSession(env, machine.Peer{}, "traveller")}
	w.orders = true
	return w
}

func (w *traveller) Start() {
	w.env.SetTimer(w.env.Now().Add(region.TickLength), machine.Timer{Kind: timerStep})
}

// come enters by a node, to see places.
func (w *traveller) come(by machine.Peer, places []world.Pos) {
	w.node, w.places = by, places
	clear(w.columns)
	w.env.Open(by)
}

func (w *traveller) leave() {
	if w.link {
		w.env.Close(w.node)
	}
	w.OnLink(w.node, machine.LinkClosed)
	w.node = machine.Peer{}
}

func (w *traveller) OnLink(p machine.Peer, ev machine.LinkEvent) {
	if p != w.node {
		return
	}
	w.heard, w.looked = w.env.Now(), 0
	w.link, w.in, w.takes, w.admitted = ev == machine.LinkUp, false, false, false
	w.acts.Discard()
	clear(w.watching)
	if w.link {
		w.hello()
	}
}

// hello enters the lobby, as the founder's own player if it is by that node.
func (w *traveller) hello() {
	w.say(&lobby.Enter{Player: w.player(), Name: w.name, Local: true, Resume: w.admitted})
}

func (w *traveller) OnMessage(from machine.Peer, m machine.Message) {
	if from != w.node {
		return
	}
	if _, ok := m.(*lobby.NewHost); ok {
		w.hello()
		return
	}
	w.receive(m)
	switch m := m.(type) {
	case *lobby.Chat:
		w.said = m.Text
	case *region.Entered:
		w.heard = w.env.Now()
	case *region.Frame:
		if m.Region == w.home && w.takes && (m.Own.HasAck || m.Own.Corrected) {
			w.heard = w.env.Now()
		}
	}
}

func (w *traveller) OnTimer(t machine.Timer) {
	now := w.env.Now()
	w.env.SetTimer(now.Add(region.TickLength), t)
	if !w.link || !w.admitted {
		return
	}
	if now.Sub(w.heard) > settlerSilence { // as client.Session.recover
		w.heard, w.looked = now, 0
		w.newHost(w.home)
	}
	if !w.in {
		return
	}
	w.step(world.Input{})
	if len(w.places) == 0 {
		return
	}
	to := w.places[0]
	d := to.Centre().Sub(w.pos)
	switch remote := max(d.X.Abs(), d.Z.Abs()) > 2*fixed.One; {
	case w.columns[to.Column()] != nil && !remote:
		w.places, w.looked = w.places[1:], 0
		clear(w.columns)
	case remote && now.Sub(w.asked) > 3*time.Second: // it may be lost with a host
		w.asked = now
		w.say(&lobby.Say{Text: fmt.Sprintf("/tp %d %d %d", to.X, to.Y, to.Z)})
	case !remote && now.Sub(w.looked) > 10*time.Second: // as client.Session.watchLate
		for r, rate := range w.watching {
			if r != to.Region() && rate != region.RateNone {
				w.watch(r, region.RateNone)
			}
		}
		w.looked = now
		w.watch(to.Region(), region.RateNone)
		w.watch(to.Region(), region.RateEvery)
	}
}

func (w *traveller) String() string {
	return fmt.Sprintf("link %v, admitted %v, in %v, home %v, heard %v ago, at %v, watches %v, %v, refused %v",
		w.link, w.admitted, w.in, w.home, w.env.Now().Sub(w.heard), w.pos.Block(), w.watching, w.said, w.refused)
}

// sights are where the traveller goes: all sides of the corner, a step beyond its
// borders, and where nobody else was.
var sights = []world.Pos{
	corner.Add(-20, 0, -20), corner.Add(-20, 0, 1), corner.Add(20, 0, -20), corner.Add(-1, 0, 20), corner.Add(20, 0, 20), corner.Add(300, 0, 0),
}

// addTraveller makes the traveller an operator, by the founder's node.
func (c *cluster) addTraveller(founder int) *traveller {
	n := c.s.AddAs(machine.Peer{ID: id.Of([]byte("traveller"))}, func(env machine.Env) machine.Machine { return newTraveller(env) })
	w := n.Machine().(*traveller)
	c.s.Run(time.Millisecond)
	w.come(nodePeer(founder), sights[:1])
	if !c.s.RunUntil(func() bool { return len(w.places) == 0 }, time.Minute) {
		c.Fatalf("by the founder's node the traveller does not see %v: %v", sights[0], w)
	}
	w.leave()
	return w
}

// travel lets the traveller come in by each node in turn, and see everything.
func (c *cluster) travel(w *traveller) {
	c.Helper()
	for i := range c.nodes {
		w.come(nodePeer(i), sights)
		if !c.s.RunUntil(func() bool { return len(w.places) == 0 }, 3*time.Minute) {
			to := w.places[0]
			c.Errorf("by node %d the traveller does not see %v in %v: %v", i, to, to.Region(), w)
			c.dump(shards.Lobby)
			c.dump(shards.Shard{Region: to.Region()})
			c.dump(shards.Shard{Region: w.home})
		}
		w.leave()
		c.s.Run(2 * time.Second)
	}
}
