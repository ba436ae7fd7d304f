package decision

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestDawn: players say that a night is over and nothing else about the time of day, not
// where operators do not want it; one such word is kept, whatever order they come in.
func TestDawn(t *testing.T) {
	root, ann, bo, cy := someone("root"), someone("ann"), someone("bo"), someone("cy")
	time24 := func(p *person, text string) *Statement { return p.says(Statement{Topic: Time, On: true, Text: text}) }
	tickAt := func(at machine.Time) int64 { return int64(time.Duration(at)/(50*time.Millisecond)) - 1_700_000_000*20 }
	of := func(l *Log, s *Statement) int64 {
		return ((tickAt(s.Issued())+l.TimeOffset(24000, tickAt))%24000 + 24000) % 24000
	}

	op, midnight := root.op(ann), time24(ann, "midnight")
	first, second := time24(bo, Dawn), time24(cy, Dawn)
	night, third := time24(ann, "night"), time24(bo, Dawn)
	all := []*Statement{op, midnight, first, second, night, third}
	one := New(testWorld, root.public())
	merge(t, one, nil, all...)
	if got := of(one, third); got != 1000 {
		t.Errorf("after the last night it is %d", got)
	}
	if n := len(one.All()); n != 3 { // the operator, its last time of day, and the last dawn
		t.Errorf("%d statements are kept", n)
	}
	for turn := range len(all) {
		other := New(testWorld, root.public())
		merge(t, other, nil, op)
		for _, s := range slices.Concat(all[turn:], all[:turn]) {
			_, _ = other.Merge([]*Statement{s}, start.Add(time.Hour)) // old ones are refused
		}
		if other.Digest() != one.Digest() {
			t.Errorf("from %d on another log", turn)
		}
	}

	merge(t, one, ErrAuthority, time24(bo, "noon"))
	merge(t, one, nil, ann.says(Statement{Topic: Appoint, On: true, Subject: cy.id, Text: "visitor"}))
	merge(t, one, ErrAuthority, time24(cy, Dawn))
	merge(t, one, nil, ann.says(Statement{Topic: Setting, On: true, Name: SetSleep, Text: "0"}))
	merge(t, one, ErrAuthority, time24(bo, Dawn))
	if s := one.Current(Time, id.ID{}, ""); s != third {
		t.Error("what was slept before does not count any more")
	}
	merge(t, one, nil, ann.says(Statement{Topic: Setting, On: true, Name: SetSleep, Text: "50"}))
	merge(t, one, nil, time24(bo, Dawn))
}
