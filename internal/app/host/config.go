package host

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	pion "github.com/pion/transport/v5"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// Defaults of Config.
const (
	DefaultWorld  = "home"
	DefaultListen = "127.0.0.1"
	DefaultPort   = 4747
	// DefaultMobs is how many mobs live in a region at most.
	DefaultMobs = 8
)

// Modes are how newcomers may play, numbered as on the wire.
var Modes = []string{"survival", "creative"}

// Maps are what the page /map may show: nothing, land and who owns it, or players as well.
var Maps = []string{"off", "land", "players"}

// Config says which world a host runs and who may come. Its zero value is the
// world "home" in the user's data folder, for this machine alone.
type Config struct {
	Data  string // folder; empty: DefaultData
	World string // empty: DefaultWorld
	// Create makes the world if there is none; Seed and Mode are for that.
	Create bool
	Seed   string // empty: random
	Mode   string // empty: survival
	// Hosting says which nodes may host a new world, one of genesis.Hostings;
	// empty: invited ones.
	Hosting string

	Listen string // HOST or HOST:PORT; empty: DefaultListen
	Port   int    // when Listen has none; 0: DefaultPort, negative: any that is free
	TLS    TLS    // HTTPS for players; its zero value: none

	// Nodes is the UDP address for other nodes, HOST:PORT; empty: the world has
	// this node only. Join are addresses of nodes, HOST or HOST:PORT, whose world
	// this one is to host too; World is then a name for its folder.
	Nodes string
	// Widen lets Nodes be all addresses of the machine if other machines host the
	// world already.
	Widen bool
	Join  []string
	// Invitation is what the world is joined by; nil: none, or the one of last time.
	Invitation *invitation.Invitation
	// Share admits others with an invitation, which is made if there is none.
	Share       bool
	Certificate string // file: the authority's for this node, if the world has one
	// Revocations is a file with the authority's list; it is read again when it
	// has changed.
	Revocations string
	// Authority is an authority of this machine, the world's: the node revokes with its
	// key who is guilty by a proof.
	Authority string
	// MapPort asks the home's router to open the ports for other nodes and for players;
	// Router says where it is, by itself it is looked for.
	MapPort bool
	Router  nat.RouterConfig
	// NoPortMapping: it is not asked either when Nodes is widened.
	NoPortMapping bool
	NoRelay       bool // carry no packets between two nodes that cannot reach each other
	// Network is where other nodes are; nil: the machine's own. Simulations have
	// others.
	Network pion.Net

	JoinCode string // what those from other machines must know; empty: none
	// Code makes a join code where one is needed and there is none: if the world asks
	// for no invitations; nil: there stays none.
	Code       func() string
	Owner      id.ID // a player who counts as the owner of this machine; zero: nobody
	Whitelist  bool  // only listed players may enter
	MaxPlayers int   // 0: as many as there is room for
	Capacity         // what the node may carry of the world

	Searching  Searching      // hears how the search for the node's key goes; may be nil
	Hosts      []string       // names that the gateway is reached by, besides addresses
	Page       string         // URL of a page that is no node's, for links; empty: there is none
	Proxies    []netip.Prefix // that are believed where requests come from
	OpenStatus bool           // show /status and /metrics to everybody, not only to this machine's owner
	Limits     gateway.Limits
	// Map is what the page /map shows to everybody who reaches it, one of Maps; empty: the
	// land, if nobody needs a code or an invitation to come in.
	Map string

	BackupEvery time.Duration // 0: no backups by itself
	BackupKeep  int           // the newest that stay; 0: all

	NTP []string // servers to ask for the time; empty: none

	Log *slog.Logger // nil: slog.Default()

	Faults FaultInjection // for experiments
}

func (c Config) withDefaults() Config {
	if c.Data == "" {
		c.Data = DefaultData()
	}
	if c.World == "" {
		c.World = DefaultWorld
	}
	if c.Listen == "" {
		c.Listen = DefaultListen
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// address returns what to listen on.
func (c Config) address() (string, error) {
	name, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		name, port = strings.Trim(c.Listen, "[]"), ""
	}
	if port == "" {
		switch {
		case c.Port < 0:
			port = "0"
		case c.Port == 0:
			port = strconv.Itoa(DefaultPort)
		default:
			port = strconv.Itoa(c.Port)
		}
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", fmt.Errorf("%w: port %q: want 1 to 65535", ErrUsage, port)
	}
	return net.JoinHostPort(name, port), nil
}

// openWorld opens the world, making it if it may.
func (c Config) openWorld(p *peers) (*worldfs.Folder, *worldfs.World, error) {
	folder, err := worldfs.OpenFolder(c.Data)
	if err != nil {
		return nil, nil, err
	}
	folder.FS = c.Faults.Disk
	if p != nil {
		w, err := c.openJoined(folder, p)
		return folder, w, err
	}
	w, err := folder.Open(c.World)
	if isNoWorld(err) && c.Create {
		if _, err = CreateWorld(folder, NewWorld{Name: c.World, Seed: c.Seed, Mode: c.Mode, Hosting: c.Hosting, Searching: c.Searching}); err != nil {
			return nil, nil, err
		}
		w, err = folder.Open(c.World)
	}
	return folder, w, err
}

// NewWorld is what a world is made from.
type NewWorld struct {
	Name    string // empty: DefaultWorld
	Seed    string // empty: random
	Mode    string // empty: survival
	Protect int32  // blocks around the spawn that only operators change
	// Peaceful: no monsters come, and nobody gets hungry.
	Peaceful bool
	// Drops: who dies leaves what it carried where it died.
	Drops bool
	// Genesis says who may take part as a node; zero: an open world whose
	// nodes' ids solve the default puzzle.
	Genesis identity.Genesis
	// Hosting says which nodes may host it, one of genesis.Hostings; empty: invited
	// ones. With an authority that decides.
	Hosting string
	// Storage gives a world with an authority its replicated storage; nil: it has
	// none.
	Storage *Storage
	// Searching hears how the search for this machine's key goes; may be nil.
	Searching Searching
	Spawn     world.Pos // zero: a good place is looked for
	// Packs are the content packs that it has besides the base pack.
	Packs []pack.Files
}

// CreateWorld makes a world in a data folder: it finds the place where
// newcomers stand, and signs with this machine's node key how the world begins.
func CreateWorld(folder *worldfs.Folder, n NewWorld) (worldfs.Meta, error) {
	m, err := n.meta(folder)
	if err != nil {
		return m, err
	}
	return folder.Create(m)
}

// meta is what a new world begins with; this machine's node is its founder.
func (n *NewWorld) meta(folder *worldfs.Folder) (worldfs.Meta, error) {
	m := worldfs.Meta{Name: n.Name, Genesis: n.Genesis, Seed: n.Seed, Mode: n.Mode, Rules: worldfs.Rules{Protect: max(0, n.Protect), Peaceful: n.Peaceful, Drops: n.Drops}}
	if m.Name == "" {
		m.Name = DefaultWorld
	}
	if m.Mode == "" {
		m.Mode = Modes[0]
	}
	if !slices.Contains(Modes, m.Mode) {
		return m, fmt.Errorf("%w: mode %q: want %s", ErrUsage, m.Mode, strings.Join(Modes, " or "))
	}
	if m.Rules.Hosting = n.Hosting; n.Hosting == "" && !n.Genesis.Verified() {
		m.Rules.Hosting = hostingInvited
	}
	if err := checkHosting(&m); err != nil {
		return m, err
	}
	if m.Seed == "" {
		m.Seed = randomSeed()
	}
	if n.Storage != nil {
		if err := n.Storage.check(n.Genesis); err != nil {
			return m, err
		}
		m.Rules.Storage = n.Storage.rules()
	}
	if m.Spawn = n.Spawn; m.Spawn == (world.Pos{}) {
		m.Spawn = spawnOf(&m)
	}
	if err := worldfs.CheckName(m.Name); err != nil {
		return m, err
	}
	if err := newPacks(folder, &m, n.Packs); err != nil {
		return m, err
	}
	if !m.Genesis.Verified() {
		if err := createGenesis(folder, &m, n.Searching); err != nil {
			return m, err
		}
	}
	m.Signed, m.SignedTime = true, true
	return m, nil
}

// hostingInvited is the hosting of a new world, unless its founder chooses another.
const hostingInvited = "invited"

func checkHosting(m *worldfs.Meta) error {
	switch _, known := genesis.Hostings[m.Rules.Hosting]; {
	case m.Genesis.Verified() && m.Rules.Hosting != "":
		return fmt.Errorf("%w: hosting %q: the authority of this world decides which nodes host it", ErrUsage, m.Rules.Hosting)
	case !m.Genesis.Verified() && !known:
		return fmt.Errorf("%w: hosting %q: want invited or open", ErrUsage, m.Rules.Hosting)
	}
	return nil
}

// spawnOf is where newcomers begin: within the world that is stored, if one is,
// and not at its rim, where nobody could build on one side.
func spawnOf(m *worldfs.Meta) world.Pos {
	g := terrain.New(m.SeedNumber())
	half := m.Rules.Storage.Regions / 2
	if half == 0 {
		return g.Spawn()
	}
	rim := int32(1)
	if half <= rim {
		rim = 0
	}
	return g.SpawnWithin(func(r world.RegionPos) bool {
		return r.X >= rim-half && r.Z >= rim-half && r.X < half-rim && r.Z < half-rim
	})
}
