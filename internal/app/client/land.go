package client

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Land returns the columns of a region as they are now, frozen, wherever it is led. It wakes
// the region for that, and makes one that nobody has been in.
func (n *Node) Land(ctx context.Context, r world.RegionPos) ([]*world.Column, error) {
	var who id.ID
	rand.Read(who[:])
	link, err := n.cfg.Node.Dial(who)
	if err != nil {
		return nil, fmt.Errorf("link to the node: %w", err)
	}
	defer link.Close()
	watch := &region.Watch{}
	for i := range watch.Rates {
		watch.Rates[i] = region.RateQuart
	}
	if err := link.Send(&region.To{Region: r, Msg: watch}); err != nil {
		return nil, err
	}
	var have [world.Columns]*world.Column
	for missing := world.Columns; missing > 0; {
		select {
		case <-link.Ready():
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		list, err := link.Take(nil)
		for _, m := range list {
			c, ok := m.(*region.Columns)
			for i := 0; ok && i < len(c.Columns); i++ {
				if col := c.Columns[i].Column; col != nil && col.Pos.Region() == r && have[col.Pos.Index()] == nil {
					have[col.Pos.Index()] = col
					missing--
				}
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return have[:], nil
}
