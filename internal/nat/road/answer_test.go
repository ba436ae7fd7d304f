package road

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// told is a node that answers every question.
type told struct{ machine.Machine }

func (told) Answer(q machine.Question) machine.Message { return q }

type anything struct{ machine.Question }

// TestAnswer: strangers' questions are the node's, once it is made and if they
// can have reached it by its own address.
func TestAnswer(t *testing.T) {
	q := anything{}
	for what, c := range map[string]struct {
		r    Road
		want machine.Message
	}{
		"as it is":              {Road{node: told{}}, q},
		"not made yet":          {Road{}, nil},
		"behind a translator":   {Road{node: told{}, hidden: true}, nil},
		"it answers no strange": {Road{node: told{}.Machine}, nil},
	} {
		if got := c.r.Answer(q); got != c.want {
			t.Errorf("%s: %v, want %v", what, got, c.want)
		}
	}
}
