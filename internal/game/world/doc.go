// Package world is the voxel world itself: blocks, chunks, bodies and the rules;
// package terrain generates its columns. It is pure and deterministic: integers and
// fixed point only, no map iteration, random numbers keyed by (seed, place, tick),
// commands sorted by (player, sequence). The same commands give the same bytes on
// every machine. Region servers run it live, the replicated storage replays it,
// clients predict with it.
//
// x and z are horizontal, y is up. A block is 1 m; a chunk 32×32×32 blocks; a
// column 8 chunks high; a region 4×4 columns.
package world
