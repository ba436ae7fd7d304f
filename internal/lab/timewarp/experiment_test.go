package timewarp

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/replay"
)

// Thesis 3.1.2: nodes that exchange actions only end in the same state, however late
// the actions come; local lag makes late ones rare, and so does less work again.
func TestTimeWarp(t *testing.T) {
	var late, again []float64
	for _, lag := range []int{0, 150} {
		r, err := warpRun{Nodes: 6, Seconds: 10, Lag: lag, Seed: 3}.Do(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Diverged != 0 || r.Refused != 0 {
			t.Errorf("lag %d ms: %d nodes diverged, %d actions were refused", lag, r.Diverged, r.Refused)
		}
		late = append(late, share(r.Late, r.Received))
		again = append(again, float64(r.Again))
	}
	if late[0] < 90 || late[1] > 20 || again[0] < 4*again[1] || again[1] == 0 {
		t.Errorf("late %% with a lag of 0 and 150 ms: %.1f; events run again: %v", late, again)
	}
}

// The judge notices a node that lacks one action, and pictures that are wrong.
func TestTimeWarpIsJudged(t *testing.T) {
	net := &warpNet{model: warpModel{players: 3, animals: 3}}
	action := replay.Event[warpEvent]{At: 100, What: warpEvent{kind: 'w', who: 1, number: 1, vx: 3000}}
	net.actions = []replay.Event[warpEvent]{action}
	net.end = 1e9
	for i := range 2 {
		n := &warpNode{net: net, me: i}
		n.engine = replay.New(replay.Config{Ahead: 1e10, Every: warpEvery, Keep: warpKeep}, net.model, 0, net.model.start())
		if i == 0 {
			if err := n.engine.Add(action); err != nil {
				t.Fatal(err)
			}
		}
		n.engine.Advance(1e9)
		n.shown = []warpPicture{{1e9, i, n.engine.Sample(1e9).characters}}
		n.received = i
		net.nodes = append(net.nodes, n)
	}
	var r warpResult
	net.judge(&r)
	// Node 0 shows two characters, node 1 two, of which one has walked three metres
	// elsewhere; but node 1 does not look at its own.
	if r.Diverged != 1 || r.Shown != 4 || r.Wrong != 0 {
		t.Errorf("%+v", r)
	}
	net.nodes[1].shown[0].by = 2
	r = warpResult{}
	net.judge(&r)
	if r.Wrong != 1 || r.Off < 2900 || r.Off > 3100 {
		t.Errorf("a wrong picture: %+v", r)
	}
}
