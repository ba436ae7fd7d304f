package gateway

import (
	"strings"
	"testing"
)

// TestStatusPage: all that a node knows is on the page, and nothing of it is markup.
func TestStatusPage(t *testing.T) {
	s := Status{Sharing: &Sharing{Pages: []string{"http://a/#code=<i>"}, Invitation: "vp-<i>"}, Slowest: []RegionLoad{{X: -4321, P99: 1.5}}}
	s.World.Name = "<i>home"
	s.Hosting = Hosting{
		Node: "<i>node", Address: "<i>at", Peers: []PeerNode{{Node: "<i>peer", Trip: 2.25}},
		Shards:  []Shard{{Shard: "<i>shard", Role: "leads", Members: []string{"<i>member"}}},
		Overlay: &Overlay{Cell: [][2]int32{{7, -8}}, Neighbours: []Neighbour{{Node: "<i>neighbour"}}},
	}
	page := statusPage(&s)
	for _, want := range []string{"home", "node", "at", "peer", "shard", "member", "neighbour"} {
		if !strings.Contains(page, "&lt;i&gt;"+want) {
			t.Errorf("no %s on the page", want)
		}
	}
	for _, want := range []string{"code=&lt;", "vp-&lt;", "-4321", "1.50 ms", "2.25 ms", "(asleep)", "(7, -8)"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s on the page", want)
		}
	}
	if strings.Contains(page, "<i>") {
		t.Errorf("markup of others: %s", page)
	}
}
