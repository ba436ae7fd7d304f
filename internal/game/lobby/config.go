package lobby

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Config is what the lobby needs to know of its world.
type Config struct {
	Name       string
	Seed       string       // as people read it
	Epoch      machine.Time // when tick 0 was
	Day        int64        // ticks of a day
	Spawn      world.Pos    // the block that new players stand in
	Mode       uint8        // how newcomers play
	MaxPlayers int          // 0: as many as a list of players holds
	Signed     bool         // players sign what they say
	Passes     bool         // and show by a pass that they have signed their name
	Stored     bool         // the world is kept in the storage, whose rules know what players have won
	// Restored is the time of the copy that the lobby began with not long ago, since it
	// had lost its hosts; 0: it did not.
	Restored machine.Time
	// Whitelist reports whether the founder admits listed players only,
	// whatever operators decide (/whitelist); nil: never.
	Whitelist func() bool

	// Decisions says who is an operator, who is banned and who is on the whitelist.
	// The lobby does not change it: Decide gives it signed statements, and the node
	// tells the lobby of whatever has changed by a Decided. nil: nobody is an operator.
	Decisions *decision.Log
	Decide    func(...*decision.Statement) error
}

// spawn is where players begin.
func (c *Config) spawn() world.Pos { return c.Decisions.Spawn(c.Spawn) }

func (c Config) withDefaults() Config {
	if c.MaxPlayers <= 0 || c.MaxPlayers > wire.MaxPlayers {
		c.MaxPlayers = wire.MaxPlayers
	}
	if c.Day <= 0 {
		c.Day = 24000
	}
	if c.Decisions == nil {
		c.Decisions = decision.New(id.ID{}, [32]byte{})
	}
	if c.Whitelist == nil {
		c.Whitelist = func() bool { return false }
	}
	return c
}
