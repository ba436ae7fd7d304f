package timewarp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/replay"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

var Experiment = lab.Experiment{
	Name:          "time-warp",
	Shows:         "what nodes see that exchange only their players' actions: how many come late, how much is replayed for them, how often the picture was wrong, and that all end in the same state",
	Source:        "thesis 3.1: local lag of 150 ms is not noticed, late actions are put in their place (no figures)",
	Deterministic: true,
	Many:          true,
	Settings: []lab.Setting{
		{Name: "nodes", Default: "20", Text: "nodes, each with a player"},
		{Name: "lag", Default: "0,50,100,150,200,300", Unit: "ms", Text: "local lag: how long after its input an own action happens"},
		{Name: "seconds", Default: "60", Unit: "s", Text: "how long players act, one action a second each"},
	},
	Run: runTimeWarp,
}

const (
	warpStep  = 50 * time.Millisecond  // between two looks at the clock
	warpFrame = 200 * time.Millisecond // between two pictures that are compared
	// Actions come at most as late as the slowest message (5 s) and the difference of
	// clocks: checkpoints reach back further.
	warpEvery, warpKeep = 250 * time.Millisecond, 29
	warpHandshakes      = time.Minute // for links to be made before players act
	warpWrong           = 500         // mm: a character that was shown farther from its place
)

// warpRun is one network, as a value.
type warpRun struct {
	Nodes, Seconds, Lag int // milliseconds
	Seed                uint64
}

func (o warpRun) Name() string {
	return fmt.Sprintf("time-warp-n%d-l%d-s%d-seed%d", o.Nodes, o.Lag, o.Seconds, o.Seed)
}

type warpResult struct {
	Actions, Received, Late, Refused int
	Rollbacks, Run, Again            uint64
	Shown, Wrong                     int     // characters in pictures
	Off                              float64 // mm, of all of them
	Diverged                         int     // nodes whose state at the end is not that of the actions in order
}

// warpNode advances a replica of the world by its own clock and exchanges actions.
type warpNode struct {
	env     machine.Env
	net     *warpNet
	me      int
	engine  *replay.Engine[*warpWorld, warpEvent]
	number  uint64
	picture machine.Time // of the next picture
	shown   []warpPicture

	received, late, refused int
}

// warpPicture is what a node showed of the other players' characters.
type warpPicture struct {
	at         machine.Time
	by         int
	characters []warpBody
}

type warpNet struct {
	model   warpModel
	peers   []machine.Peer
	nodes   []*warpNode
	actions []replay.Event[warpEvent] // all, as they were issued
	begin   machine.Time
	end     machine.Time // players act until then
}

// warpAction is an action on the wire: time, kind, speed, number and a signature.
type warpAction struct{ event replay.Event[warpEvent] }

// Size implements sim.Sizer.
func (*warpAction) Size() int { return 8 + 1 + 4 + 8 + 64 }

// Kinds of timers.
const (
	warpConnect = iota
	warpAdvance
)

func (n *warpNode) Start() {
	n.env.SetTimer(n.net.begin.Add(-warpHandshakes), machine.Timer{Kind: warpConnect})
	n.env.SetTimer(n.net.begin, machine.Timer{Kind: warpAdvance})
}

func (n *warpNode) OnTimer(t machine.Timer) {
	if t.Kind == warpConnect {
		for _, p := range n.net.peers[n.me+1:] {
			n.env.Open(p)
		}
		return
	}
	now := n.env.Now()
	n.engine.Advance(now)
	if now > n.net.begin && now < n.net.end && n.env.Rand().OneIn(int(time.Second/warpStep)) {
		n.act()
	}
	if now >= n.picture && now < n.net.end {
		n.picture = now.Add(warpFrame)
		n.shown = append(n.shown, warpPicture{now, n.me, n.engine.Sample(now).characters})
	}
	n.env.SetTimer(now.Add(warpStep), machine.Timer{Kind: warpAdvance})
}

// act issues an action of the node's player and sends it to everybody.
func (n *warpNode) act() {
	r := n.env.Rand()
	n.number++
	what := warpEvent{kind: 'w', who: n.me, number: n.number, vx: int64(r.Intn(9)-4) * 1000, vy: int64(r.Intn(9)-4) * 1000}
	if r.OneIn(3) {
		what.kind, what.vx, what.vy = 'c', 0, 0
	}
	ev, err := n.engine.Issue(what)
	if err != nil {
		n.refused++
		return
	}
	n.net.actions = append(n.net.actions, ev)
	for i, p := range n.net.peers {
		if i != n.me {
			n.env.Send(p, &warpAction{ev})
		}
	}
}

func (n *warpNode) OnMessage(_ machine.Peer, m machine.Message) {
	n.engine.Advance(n.env.Now())
	event := m.(*warpAction).event
	n.received++
	if event.At <= n.engine.Now() {
		n.late++
	}
	if n.engine.Add(event) != nil {
		n.refused++
	}
}

func (*warpNode) OnLink(machine.Peer, machine.LinkEvent) {}

func (*warpNode) OnDone(uint64, any, error) {}

func (o warpRun) Do(ctx context.Context) (r warpResult, err error) {
	in := sim.ThesisInternet()
	in.Clocks = sim.ThesisClocks()
	s := sim.NewWith(o.Seed, sim.Config{Internet: in, Start: machine.Time(time.Hour)})
	net := &warpNet{model: warpModel{players: o.Nodes, animals: o.Nodes}}
	net.begin = s.Now().Add(time.Second + warpHandshakes)
	net.end = net.begin.Add(time.Duration(o.Seconds) * time.Second)
	lag := time.Duration(o.Lag) * time.Millisecond
	for i := range o.Nodes {
		node := s.Add(func(env machine.Env) machine.Machine {
			n := &warpNode{env: env, net: net, me: i, picture: net.begin}
			n.engine = replay.New(replay.Config{Lag: lag, Ahead: time.Minute, Every: warpEvery, Keep: warpKeep}, net.model, net.begin, net.model.start())
			net.nodes = append(net.nodes, n)
			return n
		})
		net.peers = append(net.peers, node.Peer())
	}
	for s.Now() < net.end.Add(6*time.Second) { // until the last message must have come
		if err := ctx.Err(); err != nil {
			return r, err
		}
		s.Run(time.Second)
	}
	net.judge(&r)
	return r, nil
}

// judge compares what nodes have shown, and the states they ended in, with the world
// in which all actions were known from the beginning.
func (net *warpNet) judge(r *warpResult) {
	truth := replay.New(replay.Config{Ahead: 2 * time.Hour, Every: time.Hour, Keep: 1}, net.model, net.begin, net.model.start())
	for _, a := range net.actions {
		if err := truth.Add(a); err != nil {
			panic(fmt.Sprintf("lab: an action that was issued is refused by the replay in order: %v", err))
		}
	}
	var shown []warpPicture
	for _, n := range net.nodes {
		shown = append(shown, n.shown...)
		stats := n.engine.Stats()
		r.Received += n.received
		r.Late += n.late
		r.Rollbacks += stats.Rollbacks
		r.Run += stats.Run
		r.Again += stats.Again
		r.Refused += n.refused
	}
	r.Actions = len(net.actions)
	if want := r.Actions * (len(net.nodes) - 1); r.Received != want {
		panic(fmt.Sprintf("lab: %d actions were received, want %d: the simulated network has lost some", r.Received, want))
	}
	slices.SortStableFunc(shown, func(a, b warpPicture) int { return int(min(max(a.at-b.at, -1), 1)) })
	for _, p := range shown {
		truth.Advance(p.at)
		for i, is := range truth.Sample(p.at).characters {
			if i == p.by {
				continue
			}
			was := p.characters[i]
			off := math.Hypot(float64(away(is.x, was.x)), float64(away(is.y, was.y)))
			r.Shown++
			r.Off += off
			if off > warpWrong {
				r.Wrong++
			}
		}
	}
	last := net.end.Add(time.Second)
	want := truth.Sample(last).digest()
	for _, n := range net.nodes {
		if n.engine.Sample(last).digest() != want {
			r.Diverged++
		}
	}
}

func runTimeWarp(t *lab.Trial) error {
	nodes, lags, seconds := t.Int("nodes", 2), t.Ints("lag", 0), t.Int("seconds", 1)
	if err := t.Settings(); err != nil {
		return err
	}
	var runs []warpRun
	for _, lag := range lags {
		for k := range t.Runs {
			runs = append(runs, warpRun{nodes, seconds, lag, t.Seed + uint64(k)})
		}
	}
	return lab.ReportAll(t, runs, reportTimeWarp)
}

func reportTimeWarp(t *lab.Trial, runs []warpRun, results []warpResult) (failed error) {
	table := lab.Table{Name: "time-warp", Title: fmt.Sprintf("%d nodes; each has one action a second; the thesis' latencies", runs[0].Nodes),
		Columns: []string{"lag ms", "actions", "late %", "rollbacks a s and node", "events run again %", "characters shown wrongly %", "mean error m", "refused", "diverged"}}
	lateLine, againLine := lab.Series{Name: "actions that came late"}, lab.Series{Name: "events run again"}
	for i := 0; i < len(runs); i += t.Runs {
		var sum warpResult
		for _, r := range results[i : i+t.Runs] {
			sum.add(r)
		}
		run := runs[i]
		late := share(sum.Late, sum.Received)
		again := 100 * float64(sum.Again) / float64(max(sum.Run-sum.Again, 1))
		wrong := share(sum.Wrong, sum.Shown)
		rollbacks := float64(sum.Rollbacks) / float64(run.Nodes*run.Seconds*t.Runs)
		table.Row(run.Lag, sum.Actions, late, rollbacks, again, wrong, sum.Off/float64(max(sum.Shown, 1))/1000, sum.Refused, sum.Diverged)
		lateLine.Points = append(lateLine.Points, [2]float64{float64(run.Lag), late})
		againLine.Points = append(againLine.Points, [2]float64{float64(run.Lag), again})
		at := fmt.Sprintf("_lag%d", run.Lag)
		t.Metric("late_share"+at, late, "%")
		t.Metric("again_share"+at, again, "%")
		t.Metric("wrong_share"+at, wrong, "%")
		t.Metric("diverged"+at, float64(sum.Diverged), "nodes")
		if sum.Diverged > 0 || sum.Refused > 0 {
			failed = fmt.Errorf("%s: %d nodes ended in another state, %d actions were refused", run.Name(), sum.Diverged, sum.Refused)
		}
	}
	t.Table(table)
	t.Plot(lab.Plot{Name: "time-warp", Title: "Time Warp by local lag", X: "local lag, ms", Y: "%", Series: []lab.Series{lateLine, againLine}})
	return failed
}

func (r *warpResult) add(o warpResult) {
	r.Actions += o.Actions
	r.Received += o.Received
	r.Late += o.Late
	r.Refused += o.Refused
	r.Rollbacks += o.Rollbacks
	r.Run += o.Run
	r.Again += o.Again
	r.Shown += o.Shown
	r.Wrong += o.Wrong
	r.Off += o.Off
	r.Diverged += o.Diverged
}

// share is a part of a whole in per cent.
func share(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }
