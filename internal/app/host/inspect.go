package host

import (
	"context"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
)

// Inspect lets a test or an experiment look at the node between two of its
// handlers.
func (h *Host) Inspect(ctx context.Context, look func(*node.Node)) error {
	return h.loop.Call(ctx, func() { look(h.node) })
}
