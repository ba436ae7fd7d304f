package hostpolicy

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// near returns the node with the n-th smallest distance to the zero key.
func near(n byte) machine.Peer { return machine.Peer{ID: id.ID{n}} }

func peers(n ...byte) (out []machine.Peer) {
	for _, b := range n {
		out = append(out, near(b))
	}
	return out
}

func nearestFirst(nodes []machine.Peer) { Nearest(id.ID{}, nodes) }

func TestMembers(t *testing.T) {
	member := func(n byte, silent time.Duration) Member { return Member{Peer: near(n), Silent: silent} }
	spare := func(n ...byte) (out []Candidate) {
		for _, b := range n {
			out = append(out, Candidate{Peer: near(b)})
		}
		return out
	}
	former := func(n byte) Candidate { return Candidate{Peer: near(n), Former: true} }
	for _, c := range []struct {
		name    string
		members []Member
		spare   []Candidate
		want    []machine.Peer
	}{
		{"a full group stays", []Member{member(3, 0), member(1, 0), member(2, 0)}, spare(9), peers(1, 2, 3)},
		{"nearer nodes displace nobody", []Member{member(7, 0), member(9, 0), member(8, 0)}, spare(1, 2, 3), peers(7, 8, 9)},
		{"a silent member is replaced by the nearest", []Member{member(3, ReplaceAfter), member(1, 0), member(2, 0)}, spare(8, 9), peers(8, 1, 2)},
		{"or by a former member", []Member{member(3, ReplaceAfter), member(1, 0), member(2, 0)}, append(spare(4, 5), former(9)), peers(9, 1, 2)},
		{"only one silent member at a time", []Member{member(3, ReplaceAfter), member(1, 0), member(2, ReplaceAfter)}, spare(8, 9), peers(8, 1, 2)},
		{"not before its time", []Member{member(3, ReplaceAfter-1), member(1, 0), member(2, 0)}, spare(8), peers(1, 2, 3)},
		{"nobody replaces it: it stays", []Member{member(3, ReplaceAfter), member(1, 0), member(2, 0)}, nil, peers(1, 2, 3)},
		{"one host takes a second", []Member{member(3, 0)}, spare(1), peers(3, 1)},
		{"one host takes two", []Member{member(3, 0)}, spare(1, 2, 4), peers(3, 1, 2)},
		{"former members first", []Member{member(3, 0)}, append(spare(1, 2), former(4)), peers(3, 4, 1)},
		{"one host alone", []Member{member(3, 0)}, nil, peers(3)},
		{"too many: the farthest go", []Member{member(3, 0), member(1, 0), member(2, 0), member(4, 0)}, nil, peers(1, 2, 3)},
		{"nobody", nil, nil, nil},
	} {
		if got := Members(nearestFirst, c.members, c.spare, 3); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestRemaining(t *testing.T) {
	got := Remaining([]Member{{Peer: near(1)}, {Peer: near(2), Silent: ReduceAfter - 1}, {Peer: near(3), Silent: ReduceAfter}})
	if want := []Member{{Peer: near(1)}, {Peer: near(2), Silent: ReduceAfter - 1}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestFirstHosts(t *testing.T) {
	room := func(n byte, led uint32) Offer { return Offer{Peer: near(n), Room: true, Led: led} }
	stored := Offer{Peer: near(9), Stored: true, Led: 7}
	for _, c := range []struct {
		name   string
		offers []Offer
		want   []machine.Peer
	}{
		{"the nearest three", []Offer{room(1, 0), room(2, 0), room(3, 0), room(4, 0)}, peers(1, 2, 3)},
		{"an odd number", []Offer{room(1, 0), room(2, 0)}, peers(1)},
		{"the least loaded leads", []Offer{room(1, 2), room(2, 1), room(3, 1)}, peers(2, 1, 3)},
		{"no room", []Offer{{Peer: near(1)}, room(2, 0)}, peers(2)},
		{"a node that has the shard leads", []Offer{room(1, 0), room(2, 0), stored}, peers(9, 1, 2)},
		{"nobody has room", []Offer{{Peer: near(1)}}, nil},
	} {
		if got := FirstHosts(c.offers, 3); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestLeader(t *testing.T) {
	load := func(n byte, led uint32) Load { return Load{near(n), led} }
	for _, c := range []struct {
		name     string
		eligible []Load
		want     byte
	}{
		{"equal loads", []Load{load(1, 5), load(5, 5), load(9, 5)}, 5},
		{"the nearest leads one fewer", []Load{load(1, 4), load(5, 5)}, 1},
		{"a farther one leads one fewer", []Load{load(5, 5), load(9, 4)}, 5},
		{"a farther one leads two fewer", []Load{load(5, 5), load(9, 3)}, 9},
		{"nobody else is eligible", nil, 5},
	} {
		if got := Leader(load(5, 5), c.eligible); got != near(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got.ID.Short(), near(c.want).ID.Short())
		}
	}
}

func TestVoteMoves(t *testing.T) {
	for _, c := range []struct {
		name string
		vote Vote
		want bool
	}{
		{"the owner plays there", Vote{Here: Used, There: Owned, Ready: true}, true},
		{"but the link is new", Vote{Here: Used, There: Owned}, false},
		{"the owner plays here", Vote{Here: Owned, There: Used, Ready: true, Quiet: true, Nearer: true}, false},
		{"equal, quiet and nearer", Vote{Ready: true, Quiet: true, Nearer: true}, true},
		{"equal and in use", Vote{Ready: true, Nearer: true}, false},
		{"equal and farther", Vote{Ready: true, Quiet: true}, false},
	} {
		if got := c.vote.Moves(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// at is a node in a network.
func at(n, network byte) machine.Peer {
	p := near(n)
	copy(p.Addr[:], []byte{10: 0xff, 11: 0xff, 12: 10, 13: 0, 14: network, 15: n})
	return p
}

func TestRanked(t *testing.T) {
	former := Candidate{Peer: at(9, 1), Former: true}
	nearNew, farNew := Candidate{Peer: at(1, 1), Newcomer: true}, Candidate{Peer: at(2, 2), Newcomer: true}
	nearOld, farOld := Candidate{Peer: at(3, 1)}, Candidate{Peer: at(4, 2)}
	got := Ranked([]Candidate{nearNew, farNew, nearOld, farOld, former}, []machine.Peer{at(7, 1)})
	if want := []Candidate{former, farOld, nearOld, farNew, nearNew}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := Ranked([]Candidate{nearNew, farNew}, []machine.Peer{near(7)}); got[0] != nearNew {
		t.Errorf("without known networks the nearest is not the first: %v", got)
	}
}

// TestSearchedKeysGetNoMajority: three newcomers are nearer to the key than everybody
// else, while a host of a group dies every ten minutes and comes back an hour later. As
// long as others are there they get no place; among nodes that are all new, those of one
// network get one.
func TestSearchedKeysGetNoMajority(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	attackers := peers(1, 2, 3)
	for _, established := range []bool{true, false} {
		members, most := []machine.Peer{at(20, 20), at(21, 21), at(22, 22)}, 0
		for range 1000 {
			var spare []Candidate
			for _, p := range attackers {
				spare = append(spare, Candidate{Peer: at(p.ID[0], 9), Newcomer: true})
			}
			for n := byte(20); n < 40; n++ {
				if !slices.Contains(members, at(n, n)) {
					spare = append(spare, Candidate{Peer: at(n, n), Newcomer: !established})
				}
			}
			spare = slices.DeleteFunc(spare, func(c Candidate) bool { return slices.Contains(members, c.Peer) })
			var now []Member
			dead := r.IntN(3)
			for i, p := range members {
				m := Member{Peer: p}
				if i == dead {
					m.Silent = ReplaceAfter
				}
				now = append(now, m)
			}
			members = Members(nearestFirst, now, spare, 3)
			count := 0
			for _, p := range members {
				if p.ID[0] < 20 {
					count++
				}
			}
			most = max(most, count)
		}
		if limit := map[bool]int{true: 0, false: 1}[established]; most > limit {
			t.Errorf("others are established: %v; %d of 3 are attackers", established, most)
		}
	}
}

// TestNewcomersAreNoMajority: three established hosts fail one after the other, and nobody
// but newcomers is there. One gets a place; the next place stays with its silent member,
// since nodes that came together would be most of the group. In a world of so few nodes
// that nobody else is known, somebody has to be trusted.
func TestNewcomersAreNoMajority(t *testing.T) {
	old := func(n byte, silent time.Duration) Member { return Member{Peer: at(n, n), Silent: silent} }
	newcomer := Member{Peer: at(1, 1), Newcomer: true}
	others := []Candidate{{Peer: at(2, 2), Newcomer: true}, {Peer: at(3, 3), Newcomer: true, Former: true}}
	for _, c := range []struct {
		name    string
		members []Member
		spare   []Candidate
		want    []machine.Peer
	}{
		{"the first newcomer", []Member{old(7, 0), old(8, 0), old(9, ReplaceAfter)}, others[:1],
			[]machine.Peer{at(7, 7), at(8, 8), at(2, 2)}},
		{"no second one, even if it was a member before", []Member{newcomer, old(8, 0), old(9, ReplaceAfter)}, append(others, Candidate{Peer: at(20, 20)})[:3],
			[]machine.Peer{newcomer.Peer, at(8, 8), at(20, 20)}},
		{"the silent newcomer itself is replaced", []Member{{Peer: at(1, 1), Newcomer: true, Silent: ReplaceAfter}, old(8, 0), old(9, 0)}, append(others[:1:1], Candidate{Peer: at(20, 20)}),
			[]machine.Peer{at(20, 20), at(8, 8), at(9, 9)}},
		{"nobody else has room", []Member{newcomer, old(8, 0), old(9, 0), old(10, ReplaceAfter)}, others,
			[]machine.Peer{newcomer.Peer, at(8, 8), at(9, 9)}},
		{"one host of a young world takes two", []Member{old(9, 0)}, others, []machine.Peer{at(9, 9), at(3, 3), at(2, 2)}},
		{"of two that came together one", []Member{old(9, 0)}, []Candidate{others[0], others[1], {Peer: at(20, 20)}, {Peer: at(21, 21)}},
			[]machine.Peer{at(9, 9), at(3, 3), at(20, 20)}},
	} {
		if got := Members(nearestFirst, c.members, c.spare, 3); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestNewcomer(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		known, here time.Duration
		want        bool
	}{
		{EstablishedAfter - 1, 0, true},
		{EstablishedAfter, EstablishedAfter, false},
		{day - 1, 2 * day, true},
		{day, 2 * day, false},
		{EstablishedBy, 100 * day, false},
		{EstablishedBy - 1, 100 * day, true},
	} {
		if got := Newcomer(c.known, c.here); got != c.want {
			t.Errorf("known for %v to one that has been here for %v: %v", c.known, c.here, got)
		}
	}
}

// TestInvitationsCountAsOne: nodes that one invitation admitted get one place while others
// want it, however near they are; where there are no others, they get them all.
func TestInvitationsCountAsOne(t *testing.T) {
	by := func(n byte) id.ID { return id.ID{100 + n} }
	kin := func(n ...byte) (out []Candidate) {
		for _, b := range n {
			out = append(out, Candidate{Peer: near(b), Invitation: by(1)})
		}
		return out
	}
	others := []Candidate{{Peer: near(8), Invitation: by(2)}, {Peer: near(9)}}
	member := Member{Peer: near(7), Invitation: by(1)}
	for _, c := range []struct {
		name    string
		members []Member
		spare   []Candidate
		want    []machine.Peer
	}{
		{"one beside others", nil, append(kin(1, 2, 3), others...), peers(1, 8, 9)},
		{"none beside one", []Member{member}, append(kin(1, 2, 3), others...), peers(7, 8, 9)},
		{"nobody else", []Member{member}, kin(1, 2, 3), peers(7, 1, 2)},
		{"for who is silent", []Member{member, {Peer: near(4), Silent: ReplaceAfter}, {Peer: near(5)}}, append(kin(1, 2), others...), peers(7, 8, 5)},
		{"who is silent does not count", []Member{{Peer: near(7), Invitation: by(1), Silent: ReplaceAfter}, {Peer: near(4)}, {Peer: near(5)}}, kin(1), peers(1, 4, 5)},
	} {
		if got := Members(nearestFirst, c.members, c.spare, 3); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	offers := []Offer{{Peer: near(1), Room: true, Invitation: by(1)}, {Peer: near(2), Room: true, Invitation: by(1)}, {Peer: near(3), Room: true, Invitation: by(1)}, {Peer: near(4), Room: true, Invitation: by(2)}, {Peer: near(5), Room: true}}
	if got := FirstHosts(offers, 3); !slices.Equal(got, peers(1, 4, 5)) {
		t.Errorf("first hosts: %v", got)
	}
	if got := FirstHosts(offers[:3], 3); !slices.Equal(got, peers(1, 2, 3)) {
		t.Errorf("first hosts without others: %v", got)
	}
}
