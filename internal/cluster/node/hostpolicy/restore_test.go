package hostpolicy

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
)

func TestMayRestore(t *testing.T) {
	for _, c := range []struct {
		name string
		lost Lost
		want bool
	}{
		{"only the hosts are silent", Lost{Near: 3, Answered: 3, Others: 5}, true},
		{"a host is there", Lost{Hosting: true, Near: 3, Answered: 3, Others: 5}, false},
		{"half of those near answer", Lost{Near: 4, Answered: 2, Others: 5}, false},
		{"one of four others is silent", Lost{Near: 5, Answered: 4, Others: 4, Silent: 1}, true},
		{"two of four others are silent", Lost{Near: 5, Answered: 3, Others: 4, Silent: 2}, false},
		{"nobody else was there", Lost{Near: 1, Answered: 1}, true},
		{"more answer than were hosts", Lost{Near: 4, Answered: 4, Others: 3, Hosts: 3}, true},
		{"as many answer as were hosts", Lost{Near: 3, Answered: 3, Others: 2, Hosts: 3}, false},
		{"fewer answer, and the hosts have ended", Lost{Near: 2, Answered: 2, Others: 1, Hosts: 3, Ended: true}, true},
		{"they have ended, but half of those near answer", Lost{Near: 4, Answered: 2, Others: 1, Hosts: 3, Ended: true}, false},
		{"they have ended, but one is heard", Lost{Hosting: true, Near: 2, Answered: 2, Others: 1, Hosts: 3, Ended: true}, false},
		{"fewer answer, and the hosts have been away for hours", Lost{Near: 2, Answered: 2, Others: 1, Hosts: 3, Gone: true}, true},
	} {
		if got := c.lost.MayRestore(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestNewest(t *testing.T) {
	older, newer := group.Gen{Number: 1, Fork: 9}, group.Gen{Number: 2}
	for _, c := range []struct {
		name   string
		states []Log
		want   int
	}{
		{"none", []Log{{}, {}}, -1},
		{"the longer log", []Log{{older, 2, 7}, {older, 2, 8}, {}}, 1},
		{"the later term", []Log{{older, 3, 1}, {older, 2, 8}}, 0},
		{"the later generation", []Log{{older, 3, 9}, {newer, 1, 1}}, 1},
		{"of equal ones the first", []Log{{}, {older, 3, 9}, {older, 3, 9}}, 1},
	} {
		if got := Newest(c.states); got != c.want {
			t.Errorf("%s: %d", c.name, got)
		}
	}
}

func TestObjectionHolds(t *testing.T) {
	for _, c := range []struct {
		what string
		o    Objection
		want bool
	}{
		{"nobody", Objection{}, false},
		{"most hosts, always", Objection{Most: true, Backed: 2 * ObjectionFor}, true},
		{"one host", Objection{Backed: ObjectionFor - 1}, true},
		{"one host, for long", Objection{Backed: ObjectionFor}, false},
		{"somebody", Objection{Bare: LastHostAfter - 1}, true},
		{"somebody, for long", Objection{Bare: LastHostAfter}, false},
		{"both", Objection{Backed: time.Minute, Bare: time.Hour}, true},
	} {
		if got := c.o.Holds(); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}
