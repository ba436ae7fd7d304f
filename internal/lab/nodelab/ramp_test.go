package nodelab

import (
	"slices"
	"testing"
)

func TestRampStages(t *testing.T) {
	got := rampStages(50, 500)
	want := []int{10, 25, 50, 75, 100, 150, 200, 250, 300, 350, 400, 500}
	if !slices.Equal(got, want) {
		t.Errorf("stages %v, want %v", got, want)
	}
	if got := rampStages(1, 3); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("small stages %v", got)
	}
}
