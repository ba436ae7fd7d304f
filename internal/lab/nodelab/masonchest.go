package nodelab

import (
	"context"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// chestSlot is where a mason carries its chest, and then what it keeps in there.
const chestSlot = 1

// placeChest puts a chest on one of a mason's places, which it does not edit any more.
func (e *Mason) placeChest(ctx context.Context) (at world.Pos, err error) {
	e.mu.Lock()
	body := e.Body()
	eye := body.Eye()
	i := 0
	for i < len(e.spots) && !aims(e.Blocks(), eye, e.spots[i]) {
		i++
	}
	if i == len(e.spots) {
		e.mu.Unlock()
		return at, fmt.Errorf("editor %d has no place for a chest", e.number)
	}
	at = e.spots[i].at
	e.spots = append(e.spots[:i], e.spots[i+1:]...)
	e.mu.Unlock()
	kept := masonBlocks[(e.number+1)%len(masonBlocks)] // not what is in its hand: it would come back there
	for _, a := range []wire.Act{
		{Kind: wire.Pick, A: uint64(world.Chest), B: chestSlot},
		{Kind: wire.Place, X: at.X, Y: at.Y - 1, Z: at.Z, Face: uint8(world.FaceUp), A: chestSlot},
		{Kind: wire.Pick, A: uint64(kept), B: chestSlot},
	} {
		if err := e.do(ctx, a); err != nil {
			return at, fmt.Errorf("a chest at %v: %w", at, err)
		}
	}
	return at, nil
}

// moveThings moves something into a chest and out of it in turn until ctx ends, and returns how
// many moves were acknowledged.
func (e *Mason) moveThings(ctx context.Context, at world.Pos) (moves int) {
	for out := false; lab.Sleep(ctx, editPause) == nil; {
		slot := uint64(chestSlot)
		if out {
			slot = world.ContainerSlots
		}
		open := wire.Act{Kind: wire.Open, X: at.X, Y: at.Y, Z: at.Z}
		move := wire.Act{Kind: wire.Store, X: at.X, Y: at.Y, Z: at.Z, A: slot, B: world.AnySlot | 1<<8}
		late, stop := context.WithTimeout(context.WithoutCancel(ctx), MasonPatience) // one that was begun is heard to its end
		err := e.do(late, open)
		if err == nil {
			err = e.do(late, move)
		}
		stop()
		if err == nil {
			moves++
		}
		out = !out
	}
	return moves
}
