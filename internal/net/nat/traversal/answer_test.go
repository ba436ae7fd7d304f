package traversal

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// answeringNode is a node that answers every question.
type answeringNode struct{ machine.Machine }

func (answeringNode) Answer(q machine.Question) machine.Message { return q }

type testQuestion struct{ machine.Question }

// TestAnswer: strangers' questions are the node's, once it is made and if they
// can have reached it by its own address.
func TestAnswer(t *testing.T) {
	q := testQuestion{}
	for what, c := range map[string]struct {
		r    Agent
		want machine.Message
	}{
		"as it is":              {Agent{core: core{node: answeringNode{}}}, q},
		"not made yet":          {Agent{}, nil},
		"behind a translator":   {Agent{core: core{node: answeringNode{}, hidden: true}}, nil},
		"it answers no strange": {Agent{core: core{node: answeringNode{}.Machine}}, nil},
	} {
		if got := c.r.Answer(q); got != c.want {
			t.Errorf("%s: %v, want %v", what, got, c.want)
		}
	}
}
