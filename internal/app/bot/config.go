package bot

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Behaviours are what bots can do.
var Behaviours = []string{"wander", "build", "crowd", "mine"}

// Join opens a connection for a player.
type Join func(ctx context.Context, who client.Identity) (client.Conn, *wire.Welcome, error)

// Config is a run of bots. Its zero value is ten bots that wander about the
// node on this machine until the context ends.
type Config struct {
	Addr string // of the gateway; empty: 127.0.0.1:4747
	Code string // join code
	// Join opens connections instead of Addr and Code: for a node in this process.
	Join Join

	Players   int           // 0: 10
	Behaviour string        // one of Behaviours; empty: wander
	Duration  time.Duration // from when all are in or wait for room; 0: until the context ends
	Ramp      float64       // joins a second; 0: 20
	View      int           // columns; 0: 4, crowd 3
	Name      string        // names are this and a number; empty: "Bot"
	Chatter   time.Duration // each bot says something this often; 0: never
	Seed      uint64        // of what they do
	// Identity gives a bot its name and key; nil: a new key each time, so that it
	// is a new player.
	Identity func(name string) (client.Identity, error)
	Gather   *world.Pos // where a crowd meets; nil: where the first bot came in
	Radius   int        // of the crowd in metres; 0: so that there is a square metre and a half for each

	// Measuring is called when the measured time begins (true) and when it has
	// ended, if it is not nil.
	Measuring func(on bool)
	Progress  func(Progress) // called each second; nil: nobody asks
	Log       *slog.Logger   // nil: slog.Default()
}

// DefaultAddr is where a node's gateway listens unless told otherwise.
const DefaultAddr = "127.0.0.1:4747"

func (c Config) withDefaults() (Config, error) {
	if c.Addr == "" {
		c.Addr = DefaultAddr
	}
	if c.Join == nil {
		c.Join = func(ctx context.Context, who client.Identity) (client.Conn, *wire.Welcome, error) {
			var last string
			return client.DialTelling(ctx, c.Addr, who, c.Code, func(why *wire.Notice) {
				if why.Text != last {
					last = why.Text
					c.Log.Warn("not in yet: "+why.Text, "bot", who.Name, "code", why.Code)
				}
			})
		}
	}
	if c.Identity == nil {
		c.Identity = client.NewIdentity
	}
	if c.Players <= 0 {
		c.Players = 10
	}
	if c.Behaviour == "" {
		c.Behaviour = Behaviours[0]
	}
	if !slices.Contains(Behaviours, c.Behaviour) {
		return c, fmt.Errorf("behaviour %q: want one of %s", c.Behaviour, strings.Join(Behaviours, ", "))
	}
	if c.Ramp <= 0 {
		c.Ramp = 20
	}
	if c.View == 0 {
		c.View = 4
		if c.Behaviour == "crowd" {
			c.View = 3 // all of a large crowd
		}
	}
	if c.Name == "" {
		c.Name = "Bot"
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c, nil
}
