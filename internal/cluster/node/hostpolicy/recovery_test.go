package hostpolicy

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

func TestMayContinue(t *testing.T) {
	self, own := id.ID{5}, Log{group.Gen{Number: 1}, 3, 10}
	lost := Quorum{Voters: 3, Dead: 2, Near: 5, Answered: 3}
	survivor := func(who byte, gen, term, last uint64) Survivor {
		return Survivor{ID: id.ID{who}, Member: true, Log: Log{group.Gen{Number: gen}, term, last}}
	}
	for _, c := range []struct {
		name  string
		heard []Survivor
		q     Quorum
		want  bool
	}{
		{"two of three are dead", nil, lost, true},
		{"one of three is dead", nil, Quorum{Voters: 3, Dead: 1, Near: 5, Answered: 3}, false},
		{"half of the nodes near the key answer", nil, Quorum{Voters: 3, Dead: 2, Near: 4, Answered: 2}, false},
		{"somebody leads", []Survivor{{ID: id.ID{9}, Led: true}}, lost, false},
		{"another has a longer log", []Survivor{survivor(9, 1, 3, 11)}, lost, false},
		{"another has a shorter log", []Survivor{survivor(1, 1, 3, 9)}, lost, true},
		{"another has a log of a later term", []Survivor{survivor(9, 1, 4, 1)}, lost, false},
		{"another is of a newer generation", []Survivor{survivor(9, 2, 1, 1)}, lost, false},
		{"another is of an older generation", []Survivor{survivor(1, 0, 9, 99)}, lost, true},
		{"of equal logs the lower id continues", []Survivor{survivor(9, 1, 3, 10)}, lost, true},
		{"which is another", []Survivor{survivor(1, 1, 3, 10)}, lost, false},
		{"a node without a replica does not count", []Survivor{{ID: id.ID{1}, Log: Log{group.Gen{Number: 9}, 9, 9}}}, lost, true},
	} {
		if got := MayContinue(self, own, c.heard, c.q, 0); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A replica with evidence against its leader goes on without those that follow it.
func TestMayReplace(t *testing.T) {
	for _, c := range []struct {
		name string
		r    Replacement
		want bool
	}{
		{"the other one follows", Replacement{Leaderless: ReplaceLeaderAfter, Others: 1, Follow: 1, Near: 5, Answered: 3}, true},
		{"it may check the evidence yet", Replacement{Leaderless: ReplaceLeaderAfter - 1, Others: 1, Follow: 1, Near: 5, Answered: 3}, false},
		{"this replica may be cut off", Replacement{Leaderless: time.Hour, Others: 1, Follow: 1, Near: 6, Answered: 3}, false},
		{"the other one is silent", Replacement{Leaderless: LastHostAfter - 1, Others: 1, Near: 5, Answered: 3}, false},
		{"it was silent for long", Replacement{Leaderless: LastHostAfter, Others: 1, Near: 5, Answered: 3}, true},
		{"the other one was convicted, too", Replacement{Leaderless: ReplaceLeaderAfter, Near: 5, Answered: 3}, true},
		{"the other one follows nobody", Replacement{Leaderless: ReplaceIdleAfter, Others: 1, Idle: 1, Near: 5, Answered: 3}, true},
		{"it may wake yet", Replacement{Leaderless: ReplaceIdleAfter - 1, Others: 1, Idle: 1, Near: 5, Answered: 3}, false},
		{"one follows nobody, one is silent", Replacement{Leaderless: LastHostAfter - 1, Others: 2, Idle: 1, Near: 5, Answered: 3}, false},
		{"somebody names a newer generation", Replacement{Leaderless: LastHostAfter - 1, Newer: true, Near: 5, Answered: 3}, false},
		{"which nobody has proven", Replacement{Leaderless: LastHostAfter, Newer: true, Near: 5, Answered: 3}, true},
		{"this node is alone with the liars", Replacement{Leaderless: ReplaceLeaderAfter, Near: 1, Answered: 1}, true},
	} {
		if got := c.r.MayReplace(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A minority of those who answered delays a recovery, a majority prevents it.
func TestHostileObjections(t *testing.T) {
	self, own := id.ID{5}, Log{group.Gen{Number: 1}, 3, 10}
	lost := Quorum{Voters: 3, Dead: 2, Near: 5, Answered: 4}
	liar, honest := Survivor{ID: id.ID{9}, Led: true}, Survivor{ID: id.ID{8}}
	for _, c := range []struct {
		heard    []Survivor
		objected time.Duration
		want     bool
	}{
		{[]Survivor{liar, honest, honest}, ObjectionFor - 1, false},
		{[]Survivor{liar, honest, honest}, ObjectionFor, true},
		{[]Survivor{liar, liar, honest}, ObjectionFor, true},
		{[]Survivor{liar, liar, liar}, 100 * ObjectionFor, false},
	} {
		if got := MayContinue(self, own, c.heard, lost, c.objected); got != c.want {
			t.Errorf("%d of %d object since %v: %v", Objections(self, own, c.heard), len(c.heard)+1, c.objected, got)
		}
	}
}

func TestProven(t *testing.T) {
	const hours = 6 * time.Hour
	stranger, member := Claimant{}, Claimant{Member: true}
	for _, c := range []struct {
		name     string
		standing Standing
		claims   []Claimant
		want     bool
	}{
		{"nobody claims it", Standing{Voters: 3, GoneAfter: hours}, nil, false},
		{"one stranger", Standing{Voters: 3, GoneAfter: hours}, []Claimant{stranger}, false},
		{"two strangers", Standing{Voters: 3, GoneAfter: hours}, []Claimant{stranger, stranger}, true},
		{"two against three living voters", Standing{Voters: 3, Living: 3, GoneAfter: hours}, []Claimant{stranger, member}, false},
		{"three against three", Standing{Voters: 3, Living: 3, GoneAfter: hours}, []Claimant{stranger, stranger, stranger}, true},
		{"the founder, to an only voter", Standing{Voters: 1, Living: 1, GoneAfter: hours}, []Claimant{{Founder: true}}, true},
		{"the founder, to one of three", Standing{Voters: 3, Living: 3, GoneAfter: hours}, []Claimant{{Founder: true}}, false},
		{"a stranger, after hours of absence", Standing{Voters: 3, JustBack: true, Away: hours, GoneAfter: hours}, []Claimant{stranger}, true},
		{"a member, after minutes of absence", Standing{Voters: 3, JustBack: true, Away: MemberLostAfter, GoneAfter: hours}, []Claimant{member}, true},
		{"a stranger, after minutes of absence", Standing{Voters: 3, JustBack: true, Away: MemberLostAfter, GoneAfter: hours}, []Claimant{stranger}, false},
		{"a member, long ago", Standing{Voters: 3, Away: hours, GoneAfter: hours}, []Claimant{member}, false},
		{"a member, after minutes without a leader", Standing{Voters: 3, Leaderless: MemberLostAfter, GoneAfter: hours}, []Claimant{member}, true},
		{"the other of two that has returned", Standing{Voters: 1, Living: 1, GoneAfter: hours}, []Claimant{{Member: true, Returned: true}}, true},
		{"the other of two that was never away", Standing{Voters: 1, Living: 1, GoneAfter: hours}, []Claimant{member}, false},
	} {
		if got := c.standing.Proven(c.claims); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestLearnerKeepsNobodyFromContinuing: of two replicas with equal logs the one with the
// lower id goes on, but not if it waits for a vote: then nobody would for half an hour.
func TestLearnerKeepsNobodyFromContinuing(t *testing.T) {
	own := Log{Term: 20, Last: 610}
	q := Quorum{Voters: 2, Dead: 1, Near: 5, Answered: 4}
	self := id.ID{2}
	learner := Survivor{ID: id.ID{1}, Member: true, Waits: true, Log: own}
	if !MayContinue(self, own, []Survivor{learner}, q, 0) {
		t.Error("it leaves it to a learner, which does not")
	}
	longer := learner
	longer.Log.Last++
	voter := learner
	voter.Waits = false
	for _, s := range []Survivor{longer, voter} {
		if MayContinue(self, own, []Survivor{s}, q, 0) {
			t.Errorf("it goes on beside %+v", s)
		}
	}
}
