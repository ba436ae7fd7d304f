// Package voxelrules is the voxel world as rules of the replicated storage
// (storage.Rules): the differences of chunks, mobs, items and
// players are its objects, and blocks change only by signed actions of players that
// package world accepts. Whoever replays the same actions holds the same bytes.
//
// # Regions and intervals
//
// The storage's cell is a region of the world, and a step is replayed region by
// region with world.Area, tick by tick. Within a step regions are apart: a
// region sees its neighbours' blocks as they were when the step began, and what
// crosses a border arrives when the step is over. So a region at the end of a
// step depends on the 5×5 regions around it at the beginning and on nothing
// else, exactly (docs/protocols/storage-rules.md).
//
//   - Bodies that have left their region are the next one's from the next step.
//     Nobody gets beyond the next region in one step: farther away nothing is
//     known, and what is not known is a wall.
//   - A block of another region is changed by a request that lies at the block:
//     that region answers it in the next step, and the answer lies there until
//     its player is near.
//   - Blocks that change at a border are noted to the neighbour, whose water and
//     sand look at them in the next step.
//   - A region ticks while a player is in it or within 32 m of it, or a request
//     waits in it. Otherwise it sleeps, bytes unchanged.
//   - The dead come back to life in the middle of their region, for the spawn
//     may be out of reach.
//
// A Rules value remembers what it has computed and belongs to one goroutine.
package voxelrules
