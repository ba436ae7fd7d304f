package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAllHostsLost: Ann and Bea stand in a region that three of five nodes host, at the two
// others. The three are killed (kill -9) and their disks deleted. Both read to what state the
// region was restored, what was built before that time is there, and both build on. Linux
// tells the two nodes that the three have ended (decision 166).
func TestAllHostsLost(t *testing.T) {
	nodes := []*server{startNode(t)}
	for range 4 {
		nodes = append(nodes, startNode(t, nodes[0]))
	}
	cleo := newPlayer(t, "Cleo") // shows where people enter
	cleo.open(nodes[4].page())
	cleo.enter()
	here := partAt(cleo.state())
	var members []string
	for i := 0; members == nil; i = (i + 1) % len(nodes) { // one of them knows
		nodes[i].until("status", func(h hosting) bool {
			for _, p := range h.Shards {
				if p.Shard == here && len(p.Members) == 3 {
					members = p.Members
				}
			}
			return true
		})
	}
	var hosts, others []*server
	for _, s := range nodes {
		if id := s.hosting().Node; slices.ContainsFunc(members, func(m string) bool { return strings.HasPrefix(id, m) || strings.HasPrefix(m, id) }) {
			hosts = append(hosts, s)
		} else {
			others = append(others, s)
		}
	}
	if len(hosts) != 3 || len(others) != 2 {
		t.Fatalf("%d nodes host %s, %v", len(hosts), here, members)
	}
	cleo.quit()
	ann, bea := newPlayer(t, "Ann"), newPlayer(t, "Bea")
	ann.open(others[0].page())
	ann.enter()
	bea.open(others[1].page())
	bea.enter()
	together(ann, bea)
	walk(t, bea, ann) // otherwise they would look at each other
	type built struct {
		spot
		at time.Time
	}
	var all []built
	for range 2 {
		all = append(all, built{build(t, ann, bea), time.Now()})
	}
	ann.until("copies of that, which are some seconds old", func(state) bool { return time.Since(all[0].at) >= 12*time.Second })
	all = append(all, built{build(t, ann, bea), time.Now()})

	for _, s := range hosts {
		s.kill()
		if err := os.RemoveAll(s.data); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	const text = "This region lost its hosts. It was restored to its state of "
	var restored time.Time
	for _, p := range []*player{ann, bea} {
		p.until("to read what happened", func(s state) bool {
			for _, l := range s.Chat {
				if at, ok := strings.CutPrefix(l.Text, text); ok {
					restored, _ = time.Parse("2006-01-02 15:04:05 MST.", at)
					return true
				}
			}
			return false
		})
	}
	t.Logf("both have read it after %v: the state of %v, %v before", time.Since(began).Round(time.Millisecond), restored, began.Sub(restored).Round(time.Second))
	all = append(all, built{build(t, ann, bea), time.Time{}}, built{build(t, bea, ann), time.Time{}})
	t.Logf("both have built after %v", time.Since(began).Round(time.Millisecond))
	before := 0
	for _, b := range all {
		if !b.at.IsZero() && !b.at.Before(restored) {
			continue // it may be lost
		}
		before++
		for _, p := range []*player{ann, bea} {
			p.until("to see what was built", func(state) bool { return p.block(b.x, b.y, b.z) == b.block })
		}
	}
	if before < 3 {
		t.Errorf("nothing was built before %v", restored)
	}
	for _, p := range []*player{ann, bea} {
		if s := p.state(); s.Garbage > 0 || len(p.errors) > 0 {
			t.Errorf("%s: %d frames could not be read, exceptions %v", p.name, s.Garbage, p.errors)
		}
	}
}
