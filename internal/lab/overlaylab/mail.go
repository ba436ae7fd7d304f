package overlaylab

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// mailbox is who has received what, for a check from outside.
type mailbox struct {
	unicasts, areacasts map[int][]*overlayNode
	hops                []float64       // of unicasts: the links they went over
	depth               map[int]float64 // of areacasts: hops to the last who received it
}

// listener hears what a node receives.
type listener struct {
	net  *overlayNet
	node *overlayNode
}

func (l listener) Joined()                   { l.node.joined = true }
func (l listener) Neighbourhood()            {}
func (l listener) Report(e overlay.Evidence) {}

func (l listener) Received(m *overlay.Unicast, _ machine.Time) {
	k := m.Body.(int)
	l.net.mail.unicasts[k] = append(l.net.mail.unicasts[k], l.node)
	links := 0.0
	if m.Origin != l.node.self {
		links = float64(m.Hops) + 1 // the first link is not counted in the message
	}
	l.net.mail.hops = append(l.net.mail.hops, links)
}

func (l listener) ReceivedArea(m *overlay.Areacast) {
	k := m.Body.(int)
	l.net.mail.areacasts[k] = append(l.net.mail.areacasts[k], l.node)
	l.net.mail.depth[k] = max(l.net.mail.depth[k], float64(m.Hops))
}

func (n *overlayNet) anywhere() geom.Point {
	side := int(n.space.Side())
	return geom.Point{X: int32(n.sim.Rand().Intn(side)), Y: int32(n.sim.Rand().Intn(side))}
}

// sendUnicasts sends messages from anybody to anywhere; each has to be received
// by the nearest node, once (4.2.3).
func (n *overlayNet) sendUnicasts(r *scenarioResult, count int) {
	live := n.live()
	n.mail.unicasts, n.mail.hops = map[int][]*overlayNode{}, nil
	to := make([]geom.Point, count)
	for k := range to {
		to[k] = n.anywhere()
		from := live[n.sim.Rand().Intn(len(live))]
		from.Call(func() { from.machine().Unicast(to[k], k) })
		n.sim.Run(time.Second)
	}
	n.sim.Run(30 * time.Second)
	for k, place := range to {
		best := live[0]
		for _, o := range live {
			if geom.Closer(place, o.self.Pos, best.self.Pos) {
				best = o
			}
		}
		if got := n.mail.unicasts[k]; len(got) != 1 || got[0] != best {
			r.UnicastsWrong++
		}
	}
	r.Unicasts, r.Hops = count, lab.Mean(n.mail.hops)
}

// sendAreacasts sends messages to circles; each has to be received by all nodes
// whose cells overlap it, once, and by nobody else (4.7.2).
func (n *overlayNet) sendAreacasts(r *scenarioResult, count int) {
	live := n.live()
	n.mail.areacasts, n.mail.depth = map[int][]*overlayNode{}, map[int]float64{}
	areas := make([]overlay.Area, count)
	for k := range areas {
		size := 1 + n.sim.Rand().Intn(int(n.space.Side())/6)
		areas[k] = overlay.Area{Circle: geom.Circle{C: n.anywhere(), R: int32(size)}}
		from := live[n.sim.Rand().Intn(len(live))]
		from.Call(func() { from.machine().Areacast(areas[k], k) })
		n.sim.Run(time.Second)
	}
	n.sim.Run(30 * time.Second)
	receivers := 0
	for k := range areas {
		times := map[*overlayNode]int{}
		for _, o := range n.mail.areacasts[k] {
			times[o]++
			receivers++
		}
		for _, o := range live {
			want := 0
			if areas[k].Overlaps(o.machine().Cell(nil)) {
				want = 1
			}
			if times[o] != want {
				r.AreacastsWrong++
				break
			}
		}
	}
	r.Areacasts, r.Receivers = count, float64(receivers)/float64(count)
}
