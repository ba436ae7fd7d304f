package region

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// TestAsksOfABlockKeepTheirOrder: an edit waits for the answer to an earlier one
// of the same block, which may yet be sent again, and for no other.
func TestAsksOfABlockKeepTheirOrder(t *testing.T) {
	at, other := world.Pos{X: 1, Y: 70}, world.Pos{X: 2, Y: 70}
	dig, far, put := &world.Remote{Op: 1, At: at}, &world.Remote{Op: 2, At: other}, &world.Remote{Op: 3, At: at}
	a := asks{open: []*world.Remote{dig, far, put}}
	if a.behind(dig) || a.behind(far) || !a.behind(put) {
		t.Errorf("behind: %t %t %t, want only the last", a.behind(dig), a.behind(far), a.behind(put))
	}
	if !a.settle(1) || a.behind(put) {
		t.Error("the answer to the first does not let the second go")
	}
}
