package overlay_test

import (
	"slices"
	"testing"
	"time"

	. "github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// TestPendingNeighbour: 4.3.3, a reported neighbour is connected first; until
// then no view is sent, then everybody gets the current one.
func TestPendingNeighbour(t *testing.T) {
	s := newStage(t)
	s.with("ew")
	s.says("e", "on")
	s.did("open n")
	s.says("w", "on")
	s.did()
	s.up("n")
	s.did("view to e: enw", "view to n: enw", "view to w: enw")
}

// TestPendingFails: 4.3.3 and 4.3.5, a node that cannot be reached is let go and
// remembered: it is not tried again, and views that name it are not answered.
func TestPendingFails(t *testing.T) {
	s := newStage(t)
	s.with("ew")
	s.says("e", "on")
	s.did("open n")
	s.lost("n")
	s.log = nil
	s.says("e", "on")
	s.did()
	s.pass(FailedFor + time.Second)
	s.log = nil
	s.says("e", "on")
	s.did("open n")
}

// TestExNeighbour: 4.3.2, who is no longer a neighbour gets the reason before it
// is told that the link is not needed.
func TestExNeighbour(t *testing.T) {
	s := newStage(t)
	s.with("nsE")
	s.says("n", "osEm")
	s.did("open m")
	s.up("m")
	if last := s.log[len(s.log)-1]; last != "wanted false to E" {
		t.Fatalf("%q", s.log)
	}
	s.did("view to E: mns", "view to m: mns", "view to n: mns", "view to s: mns", "wanted false to E")
}

// TestEqualViews: 4.3.4, a view that is as one's own is not answered; another one
// is.
func TestEqualViews(t *testing.T) {
	s := newStage(t)
	s.with("enw")
	s.says("e", s.starOf("e", "oenw"))
	s.did()
	s.says("e", "o")
	s.did("view to e: enw")
}

// TestNegativeInterest: 4.5.7, who no longer needs a link says so and keeps it;
// the link is closed when both have said so.
func TestNegativeInterest(t *testing.T) {
	s := newStage(t)
	s.with("ew")
	s.up("n")
	s.hears("n", &ConnectionInfo{})
	s.did("close n")

	s.hears("e", &ConnectionInfo{}) // a neighbour is still needed here
	s.did()
	s.says("w", s.starOf("w", "oew"))
	s.did()
}

// TestInterestTakenBack: 6.3.2, who said that it does not need a link and then
// does again says that as well, or the other end closes it one day. A close that
// crosses this is no failure: the link is opened again (4.5.7).
func TestInterestTakenBack(t *testing.T) {
	s := newStage(t)
	s.with("enws")
	s.up("E")
	s.hears("E", &Unicast{Route: Route{Origin: at("E"), Dest: at("o").Pos}, Body: "hello"})
	s.pass(ShortcutFor + time.Minute)
	s.did("wanted false to E")
	s.hears("E", &Unicast{Route: Route{Origin: at("E"), Dest: at("o").Pos}, Body: "hello"})
	s.did("wanted true to E")
	s.closed("E")
	s.did("open E")
	s.up("E")
	s.pass(ShortcutFor + time.Minute)
	s.did("wanted false to E")
}

// TestDeparture: 4.3.5, a close without a reason is a failure; the neighbours are
// told what closes the gap, once it is connected (4.7.1: from the stored views,
// at once).
func TestDeparture(t *testing.T) {
	s := newStage(t)
	s.with("mnsw")
	s.says("m", "onsE") // E is behind m
	s.log = nil
	s.closed("m")
	s.did("open E")
	s.up("E")
	s.did("view to E: Ensw", "view to n: Ensw", "view to s: Ensw", "view to w: Ensw")
}

// TestClaimer: 4.7.1 and figure 4.23, the view of a node that takes us for its
// neighbour is kept: when we agree later it will not send it again.
func TestClaimer(t *testing.T) {
	s := newStage(t)
	s.with("mnsw")
	s.up("E")
	s.says("E", s.starOf("E", "onsw")) // E knows already that m is gone
	s.did("view to E: mnsw")
	s.closed("m")
	for _, name := range []string{"n", "s", "w"} {
		s.says(name, s.starOf(name, "onswE"))
	}
	if !s.n.Stable() {
		t.Fatal("o is not stable without another view of E")
	}
}

// TestBuffering: 4.7.1, a message that a node is nearest to waits while the node
// is unstable, and is said to have come when it did.
func TestBuffering(t *testing.T) {
	s := newStage(t)
	s.with("ew")
	s.says("e", "on")
	s.pass(time.Second)
	s.n.Unicast(at("o").Pos, "for me")
	came := s.now
	s.pass(2 * time.Second)
	if len(s.got) != 0 {
		t.Fatal("received while a neighbour is pending")
	}
	s.up("n")
	for _, name := range []string{"e", "n", "w"} {
		s.says(name, s.starOf(name, "oenw"))
	}
	if len(s.got) != 1 {
		t.Fatalf("%d messages after it has become stable", len(s.got))
	}
	if s.came != came || s.now == came {
		t.Errorf("what came at %v came at %v", came, s.came)
	}
}

// TestAbsentNodes: 4.3.6, whoever keeps naming nodes that are not there is
// reported, and its views are ignored for a time.
func TestAbsentNodes(t *testing.T) {
	s := newStage(t)
	s.with("ew")
	for range 20 {
		s.says("e", "on")
		s.lost("n")
		s.says("e", "os")
		s.lost("s")
		s.pass(FailedFor)
	}
	if len(s.faults) == 0 || s.faults[0].Accusation != Absent || s.faults[0].View.Source.ID != at("e").ID {
		t.Fatalf("reports: %+v", s.faults)
	}
}

// TestOmittedNodes: 4.3.6, whoever leaves out others for long is reported, and neither
// keeps the node from having its place nor makes its own cell greater by that.
func TestOmittedNodes(t *testing.T) {
	s := newStage(t)
	s.with("enws")
	whole := s.n.CellOf(at("e").ID, nil)
	s.says("e", "o")
	if s.n.Stable() {
		t.Fatal("o has its place, and its neighbours contradict each other")
	}
	s.pass(2 * time.Minute)
	if !s.n.Stable() {
		t.Error("after two minutes o does not have its place")
	}
	if len(s.faults) == 0 || s.faults[0].Accusation != Missing || s.faults[0].View.Source.ID != at("e").ID || s.faults[0].View.Names(s.faults[0].Node) {
		t.Errorf("reports: %+v", s.faults)
	}
	for range 3 { // it goes on, and tells the truth in between
		s.says("e", s.starOf("e", "onws"))
		s.says("e", "o")
		if cell := s.n.CellOf(at("e").ID, nil); !s.n.Stable() || !slices.Equal(cell, whole) {
			t.Errorf("o has its place: %t; the cell of e is %v, not %v", s.n.Stable(), cell, whole)
		}
		s.pass(time.Minute)
	}
	if len(s.faults) > 20 {
		t.Errorf("one view after the other was reported: %d", len(s.faults))
	}
	// Who comes later is known all the same.
	s.up("E")
	s.says("E", "e")
	for _, name := range []string{"n", "w", "s"} {
		s.says(name, s.starOf(name, "oenwsE"))
	}
	if cell := s.n.CellOf(at("e").ID, nil); !s.n.Stable() || slices.Equal(cell, whole) {
		t.Errorf("with somebody beside it: o has its place: %t; the cell of e is %v", s.n.Stable(), cell)
	}
}
