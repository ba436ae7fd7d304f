package mmve

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Lengths are in centimetres.
const (
	metre = 100

	npcSpeed    = 4 * metre // a second
	playerSpeed = 6 * metre
	wander      = 40 * metre // how far an NPC goes from home
	hitRange    = 40 * metre // d_i
	around      = 50 * metre // how far from a point of interest one is still at it

	npcSize     = 158   // bytes
	smallest    = 374   // bytes of a character who is new
	largest     = 12534 // and of the richest: 12.24 KB (a KB of 1024 bytes, as 30.8 MB in all shows)
	actionSize  = 30    // bytes
	fullHealth  = 100
	hitStrength = 10

	catchUp = time.Hour
)

// Config says how big the world is. The zero value of each field means the
// thesis' own number.
type Config struct {
	Seed   uint64
	Side   int32 // in metres; 6700, a multiple of 100
	NPCs   int   // 44,890: 1000 for each km²
	Points int   // of interest; 100
}

func (c Config) withDefaults() Config {
	if c.Side == 0 {
		c.Side = 6700
	}
	if c.NPCs == 0 {
		c.NPCs = int(int64(c.Side) * int64(c.Side) / 1000)
	}
	if c.Points == 0 {
		c.Points = 100
	}
	return c
}

// World returns the shape of the world (storage.Rules).
func (w *World) World() state.World {
	return state.World{Side: w.side, Cell: cellSide, Speed: playerSpeed, Range: hitRange}
}

const cellSide = 100 * metre

// How players spend their time (thesis 6.4.1, Modelling Player Behaviour).
const (
	idleShare     = 10 // in 100
	moveShare     = 50
	idleFor       = 10 * time.Minute
	interactFor   = 5 * time.Minute
	nearestPoints = 10

	walkEvery, walkSpread         = time.Second, 4 * time.Second
	interactEvery, interactSpread = 300 * time.Millisecond, 700 * time.Millisecond
)
