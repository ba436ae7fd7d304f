package kademlia

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// A path is complete when the k nearest that are left have answered; nodes that are late
// are waited for, unless somebody has named half of k of them.
func TestWhenAPathIsComplete(t *testing.T) {
	const k = 4
	honest, liar := id.ID{1}, id.ID{2}
	for _, c := range []struct {
		name   string
		states []uint8
		by     id.ID // who has named the late ones
		want   bool
	}{
		{"nobody is known", nil, honest, true},
		{"all have answered", []uint8{answered, answered}, honest, true},
		{"one was not asked yet", []uint8{answered, fresh}, honest, false},
		{"one has not answered yet", []uint8{asked, answered}, honest, false},
		{"beyond the k nearest nobody matters", []uint8{answered, answered, answered, answered, fresh, asked}, honest, true},
		{"one is late", []uint8{answered, late}, honest, false},
		{"as many are late that one has named", []uint8{late, late, answered}, liar, true},
	} {
		p := path{late: map[id.ID]int{}}
		for _, s := range c.states {
			p.list = append(p.list, candidate{by: c.by, state: s})
			if s == late {
				p.late[c.by]++
			}
		}
		if got := p.complete(k); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
