package region

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// TickLength is the time of one tick: 20 a second.
const TickLength = 50 * time.Millisecond

// Config is what a region needs to know of the world around it.
type Config struct {
	Pos       world.RegionPos
	Epoch     machine.Time     // when tick 0 was
	Rules     world.AreaConfig // seed, spawn, protection, mobs
	Terrain   *terrain.Generator
	Silent    time.Duration // a player from whom nothing comes for so long is removed; 0: 30 s
	Hibernate time.Duration // a region without subscribers ticks on for so long; 0: 10 s
	// Restored is the time of the copy that the region began with not long ago, since it
	// had lost its hosts; 0: it did not.
	Restored machine.Time
	// Replaced: the host before was convicted of changing the region against its rules.
	Replaced bool
	// Signed says that players sign what they do: nothing else is done for them.
	Signed bool
	// World is the world's id: orders and segments are signed for it.
	World id.ID
	// Rights returns what a player may do, whatever other nodes say; nil: what anybody
	// may who was invited to build.
	Rights func(id.ID) decision.Rights
	// Lands returns the land that players own in a region, the oldest first, and Land the
	// latest word on a piece of it, nil if there is none; nil: nobody owns land.
	Lands func(world.RegionPos) []decision.SignedLand
	Land  func(owner id.ID, name string) *decision.Statement
	// Setting is the statement by which operators have changed a setting, nil: they have not;
	// Warp is a place that they have named, Number a setting. nil: nothing is decided.
	Setting func(name string) *decision.Statement
	Warp    func(name string) (world.Pos, bool)
	Number  func(setting string) int
	// TimeOffset is what is added to the tick for the time of day; nil: nothing.
	TimeOffset func() int64
}

// Generate is the job (machine.Work) that makes a column as it is before
// anybody has changed it.
type Generate struct {
	Terrain *terrain.Generator
	Column  world.ColumnPos
}

// Run implements machine.Work; its result is a *world.Column.
func (g Generate) Run() (any, error) { return g.Terrain.Column(g.Column), nil }

func (c Config) withDefaults() Config {
	if c.Silent == 0 {
		c.Silent = 30 * time.Second
	}
	if c.Hibernate == 0 {
		c.Hibernate = 10 * time.Second
	}
	return c
}

// rights returns what a player may do; no other part is believed that.
func (c *Config) rights(player id.ID) decision.Rights {
	if c.Rights == nil {
		return decision.Rights{Role: decision.RolePlayer}
	}
	return c.Rights(player)
}

// setting is the statement by which operators have changed a setting.
func (c *Config) setting(name string) *decision.Statement {
	if c.Setting == nil {
		return nil
	}
	return c.Setting(name)
}

// applySettings tells an area the settings that its rules depend on.
func (c *Config) applySettings(a *regionlog.Area) {
	a.MoveSpawn(c.setting(decision.SetSpawn))
	a.AllowFire(c.setting(decision.SetFire))
}

// number is the value of a setting.
func (c *Config) number(setting string) int {
	if c.Number == nil {
		return decision.UsualNumber(setting)
	}
	return c.Number(setting)
}

// spawn is where players begin.
func (c *Config) spawn() world.Pos {
	if s := c.setting(decision.SetSpawn); s != nil {
		at, _ := decision.Place(s.Text)
		return at
	}
	return c.Rules.Spawn
}

// operator reports whether a player is an operator.
func (c *Config) operator(player id.ID) bool { return c.rights(player).Role >= decision.RoleOperator }

// authorize gives a player who comes the rights that it has here; invited says that it
// was invited to visit only.
func (c *Config) authorize(p *world.Player, invited bool) {
	r := c.rights(p.ID)
	p.Operator, p.Visitor = r.Role >= decision.RoleOperator, r.Visits(invited)
	p.Jailed, p.Muted = r.Jailed, r.Muted
}

// Space returns the name of the region's space and queue on the disk port.
func Space(pos world.RegionPos) string { return fmt.Sprintf("r.%d.%d", pos.X, pos.Z) }

// TickAt returns the number of the tick that t lies in, in a world of the given
// epoch.
func TickAt(t, epoch machine.Time) uint64 {
	if t < epoch {
		return 0
	}
	return uint64(t.Sub(epoch) / TickLength)
}

// TimeOf returns when a tick begins.
func TimeOf(tick uint64, epoch machine.Time) machine.Time {
	return epoch.Add(time.Duration(tick) * TickLength)
}
