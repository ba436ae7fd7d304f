package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/id"

// state is what the rules of a region share: its blocks, who and what is in it, the
// time, and what has changed in this tick. It has no rules of its own.
type state struct {
	cfg AreaConfig
	clock
	regionBlocks
	blockSchedule
	entities
	containers
	texts [Columns]int // signs with a text in each column

	spawn   Pos     // where players come back to life
	zones   []Zone  // where only operators build
	lands   []Land  // that players own
	noFire  bool    // nothing catches fire
	changes Changes // of this tick
	actor   id.ID   // who does what is being run; zero: nobody
	undoes  bool    // what is being run takes back edits
	did     *Remote // what the act that is being run has done to a block
}

// The rules: what players, mobs, items and blocks do. Each part sees the state and, of
// the other parts, only those that it names.
type (
	playerRules struct {
		*state
		blockRules *blockRules
		mobRules   *mobRules
		itemRules  *itemRules
	}
	mobRules struct {
		*state
		playerRules *playerRules // whom mobs strike
		itemRules   *itemRules   // what they shoot
		paths       pathfinder
	}
	itemRules struct {
		*state
		playerRules *playerRules // whom what is shot strikes
		mobRules    *mobRules
	}
	blockRules struct {
		*state
		itemRules *itemRules
		caught    int // blocks that have caught fire in this tick
	}
)
