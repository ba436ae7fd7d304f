package hostilelab

import (
	"os"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

// The processes of an experiment are this program, started again.
func TestMain(m *testing.M) {
	lab.Child(Children, nodelab.Children)
	os.Exit(m.Run())
}
