package nodelab

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Mason is a player who stands where it came in and puts blocks down and digs
// them up around it, one place after the other. It remembers what was
// acknowledged.
type Mason struct {
	*client.Mirror
	number int
	Ended  chan error

	mu    sync.Mutex
	told  map[wire.Code]bool // notices
	spots []*spot
	next  int
	block world.Block // that is in its hand
}

// spot is a place that one mason changes.
type spot struct {
	at   world.Pos // that is changed
	has  world.Block
	sure bool // has was acknowledged, and nothing was asked for since
	busy bool
}

// Edit is one change that was asked for.
type Edit struct {
	Sent, Done time.Time
	OK         bool
	Code       wire.Code
}

// editPause is as often as the world's rules let a player change a block.
const editPause = 155 * time.Millisecond

// masonBlocks are what editors put down: each its own.
var masonBlocks = []world.Block{world.Bricks, world.OakPlanks, world.Glass, world.Cobblestone}

// JoinMason brings a mason into the world of a node's gateway. Editors take
// turns at the columns around the spawn: of every four the same one is theirs.
func JoinMason(ctx context.Context, addr string, who client.Identity, number int) (*Mason, error) {
	conn, welcome, err := client.Dial(ctx, addr, who, "")
	if err != nil {
		return nil, err
	}
	e := &Mason{number: number, Ended: make(chan error, 1), told: map[wire.Code]bool{}}
	e.Mirror = client.NewMirror(conn, welcome, client.Options{Heard: e.hear})
	go func() { e.Ended <- e.Run() }()
	if err = e.View(View, 0); err == nil {
		err = e.ready(ctx)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// hear notes what the mason is told.
func (e *Mason) hear(m wire.Message) {
	if n, ok := m.(*wire.Notice); ok {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.told[n.Code] = true
	}
}

// Told reports whether the mason was told something.
func (e *Mason) Told(code wire.Code) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.told[code]
}

// ready waits for the ground, all that is within reach: of a world that comes
// slowly a mason would see one place first, and have that alone for good. And it
// takes blocks in hand.
func (e *Mason) ready(ctx context.Context) error {
	for end := time.Now().Add(SettleTime); ; {
		spots, all := e.look()
		if e.spots = spots; all && len(spots) > 0 {
			break
		}
		if time.Now().After(end) {
			return fmt.Errorf("editor %d has seen %d places to build on, and not all of the ground around it", e.number, len(spots))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-e.Ended:
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
	e.block = masonBlocks[e.number%len(masonBlocks)]
	if err := e.do(ctx, wire.Act{Kind: wire.Pick, A: uint64(e.block), B: 0}); err != nil {
		return err
	}
	return e.do(ctx, wire.Act{Kind: wire.Select, A: 0})
}

// look finds places within reach: air above ground. All: everything there is known.
func (e *Mason) look() (out []*spot, all bool) {
	feet := e.Body().Pos.Block()
	mine := func(at world.Pos) bool { return int(at.X&1+at.Z&1<<1) == e.number%MaxMasons }
	all = true
	for z := int32(-4); z <= 4; z++ {
		for x := int32(-4); x <= 4; x++ {
			if _, known := e.Blocks().Block(feet.Add(x, 0, z)); !known {
				all = false
			}
			if max(x, -x) < 2 && max(z, -z) < 2 || !mine(feet.Add(x, 0, z)) {
				continue // where players stand, or somebody else's
			}
			for y := int32(2); y > -4; y-- {
				ground, ok := e.Blocks().Block(feet.Add(x, y-1, z))
				above, there := e.Blocks().Block(feet.Add(x, y, z))
				if ok && there && ground.Opaque() && above == world.Air {
					out = append(out, &spot{at: feet.Add(x, y, z), has: above})
					break
				}
			}
		}
	}
	return out, all
}

var errUnanswered = errors.New("an act was not answered")

// do acts and waits for the answer.
func (e *Mason) do(ctx context.Context, a wire.Act) error {
	r, err := e.Act(a)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case got := <-r:
		if !got.OK {
			return fmt.Errorf("editor %d: act %d: %s", e.number, a.Kind, got.Code)
		}
		return nil
	case <-time.After(SettleTime):
		return errUnanswered
	}
}

// Begin asks for the next edit and returns it with the channel that it comes to
// when it was answered; false if there is no place left that does not wait for
// an answer, or the connection has ended.
func (e *Mason) Begin(report chan<- Edit) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	body, blocks := e.Body(), e.Blocks()
	eye := body.Eye()
	for range e.spots {
		s := e.spots[e.next%len(e.spots)]
		e.next++
		if s.busy || !aims(blocks, eye, s) {
			continue
		}
		act, want := wire.Act{Kind: wire.Place, X: s.at.X, Y: s.at.Y - 1, Z: s.at.Z, Face: uint8(world.FaceUp)}, e.block
		if s.has != world.Air {
			act, want = wire.Act{Kind: wire.Dig, X: s.at.X, Y: s.at.Y, Z: s.at.Z}, world.Air
		}
		sent := time.Now()
		answer, err := e.Act(act)
		if err != nil {
			return false
		}
		s.busy, s.sure = true, false
		go e.await(s, want, sent, answer, report)
		return true
	}
	return true
}

// aims reports whether a player with an eye can point at a place, to change it. The
// world's rules refuse whoever builds or digs where nothing can be seen, behind what
// others have built.
func aims(blocks world.Blocks, eye world.Vec, s *spot) bool {
	return world.Sees(blocks, eye, s.at) && (s.has != world.Air || world.Sees(blocks, eye, s.at.Add(0, -1, 0)))
}

// MasonPatience is how long a mason waits for an answer.
const MasonPatience = 10 * time.Second

// await takes the answer to an edit.
func (e *Mason) await(s *spot, want world.Block, sent time.Time, answer <-chan wire.ActResult, report chan<- Edit) {
	out := Edit{Sent: sent}
	select {
	case r := <-answer:
		out.OK, out.Code = r.OK, r.Code
	case <-time.After(MasonPatience):
		out.Code = "unanswered"
	}
	out.Done = time.Now()
	e.mu.Lock()
	if s.busy = false; out.OK {
		s.has, s.sure = want, true
	} else if b, ok := e.Blocks().Block(s.at); ok {
		s.has = b // what the node says is there; an answer that is missing says nothing
	}
	e.mu.Unlock()
	report <- out
}

// Acknowledged returns what must be in the world: the places whose last edit
// was acknowledged.
func (e *Mason) Acknowledged() map[world.Pos]world.Block {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := map[world.Pos]world.Block{}
	for _, s := range e.spots {
		if s.sure && !s.busy {
			out[s.at] = s.has
		}
	}
	return out
}
