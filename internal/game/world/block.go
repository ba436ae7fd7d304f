package world

// Block is an entry of the block table: a kind of block together with its state
// (a water level, a direction). The base pack gives the ids (package pack); the
// constants in blockids.go are generated from it. Air, Stone, Grass and Dirt keep the
// ids of the dissertation's table 3.2. Ids are part of the file and wire formats: new
// blocks go to the end.
type Block uint16

//go:generate go run ./blockgen -go blockids.go -ts ../../../web/src/gen/blocks.ts -mobs ../../../web/src/gen/mobs.ts
