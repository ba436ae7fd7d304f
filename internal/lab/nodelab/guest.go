package nodelab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// GuestCode is what players must know where nodes are on hosts of their own.
const GuestCode = "chaoscode"

const answerTime = 15 * time.Second

// Guest is a client of a node.
type Guest struct {
	*client.Mirror
	Ended chan struct{}
	why   error         // of the end, once ended is closed
	limit time.Duration // of until
}

var ErrEnded = errors.New("the connection has ended")

// JoinAs joins by a node. What the guest waits for may take as long as limit.
func JoinAs(ctx context.Context, url string, who client.Identity, limit time.Duration) (*Guest, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conn, welcome, err := client.Dial(ctx, url, who, GuestCode) // nobody asks for it on the loopback
	if err != nil {
		return nil, err
	}
	g := &Guest{Mirror: client.NewMirror(conn, welcome, client.Options{}), Ended: make(chan struct{}), limit: limit}
	go func() {
		defer close(g.Ended)
		g.why = g.Run()
	}()
	return g, g.View(wire.MinView, 0)
}

// Until waits for a condition while the connection lasts.
func (g *Guest) Until(ctx context.Context, what string, ok func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, g.limit)
	defer cancel()
	for !ok() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited in vain for %s", what)
		case <-g.Ended:
			return ErrEnded
		case <-time.After(20 * time.Millisecond):
		}
		if _, err := g.Step(world.Input{}); err != nil {
			return err
		}
	}
	return nil
}

// Answer waits for the end of an act; nil: it is not known.
func (g *Guest) Answer(a wire.Act) *wire.ActResult {
	c, err := g.Act(a)
	if err != nil {
		return nil
	}
	select {
	case r := <-c:
		if r.Code == wire.Internal {
			return nil
		}
		return &r
	case <-g.Ended:
		select {
		case r := <-c: // came just before the end
			return &r
		default:
			return nil
		}
	case <-time.After(answerTime):
		return nil
	}
}
