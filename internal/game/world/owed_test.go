package world

import (
	"slices"
	"testing"
)

// TestOwed: who has dug blocks that are in the world again has what is left of them, less
// what it has placed of it; whoever has to give them back loses no more than it carries.
func TestOwed(t *testing.T) {
	back := func(b Block) BlockChange { return BlockChange{Was: Air, Now: b} }
	gone := func(b Block) BlockChange { return BlockChange{Was: b, Now: Air} }
	for what, c := range map[string]struct {
		edits []BlockChange
		want  []Owed
	}{
		"dug":                      {[]BlockChange{back(OakPlanks), back(OakPlanks), back(Stone)}, []Owed{{Info(Stone).Drop, 1}, {OakPlanks, 2}}},
		"dug and placed elsewhere": {[]BlockChange{back(OakPlanks), back(OakPlanks), gone(OakPlanks)}, []Owed{{OakPlanks, 1}}},
		"placed":                   {[]BlockChange{gone(OakPlanks)}, nil},
		"replaced":                 {[]BlockChange{{Was: OakPlanks, Now: Dirt}}, []Owed{{Dirt, 1}}},
		"of which nothing is left": {[]BlockChange{back(Water)}, nil},
	} {
		slices.SortFunc(c.want, func(a, b Owed) int { return int(a.Block) - int(b.Block) })
		if got := OwedFor(c.edits); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", what, got, c.want)
		}
	}
}
