package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
	"github.com/voxelpopuli/voxelpopuli/web"
)

// Session is a player as the gateway needs it; *client.Session is one.
type Session interface {
	Welcome() *wire.Welcome
	Handle(b []byte) error
	Next(ctx context.Context, to client.Sink) error
	// Entrances says where else the player can enter the world; nil: it is not known.
	Entrances() *wire.Entrances
	Close()
}

// Game is where players go; see Node.
type Game interface {
	World() (id.ID, wire.WorldInfo)
	// Challenge is what a player has to sign, and Check says who has.
	// host is the address of this node that the player has dialled.
	Challenge() *wire.Challenge
	Check(hello *wire.Hello, c *wire.Challenge, p *wire.Proof, host string) (client.Login, error)
	Enter(ctx context.Context, who client.Login) (Session, error)
}

// Node makes a Game of a node in this process.
type Node struct{ *client.Node }

// Enter implements Game.
func (n Node) Enter(ctx context.Context, who client.Login) (Session, error) {
	s, err := n.Node.Enter(ctx, who)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Config says what a gateway serves and to whom. Only Game is needed.
type Config struct {
	Game Game
	// Code must be known to join; empty: no code is asked for.
	Code string
	// Invited says that a code is asked for even if Code is empty: one that Guest
	// knows.
	Invited bool
	// Guest says who has another code than Code, such as an invitation; false:
	// nobody. nil: there are no others.
	Guest func(code string) (Guest, bool)
	// Owner is a player who counts as local, wherever from; zero: nobody does. Its key
	// proves who it is.
	Owner id.ID
	// Sharing is what the owner passes on to those who are to join; nil, or what it
	// returns: there is nothing.
	Sharing func() *Sharing
	// Console opens a console of the world; nil: there is none.
	Console func() (Console, error)
	// Map paints the world for the page /map; nil: there is no map.
	Map Map
	// Content is what the world's packs define; nil: the base pack alone.
	Content *pack.Content
	// Inviter manages invitations for the owner; nil: nobody does.
	Inviter Inviter
	// Whitelist says that the lobby lets only listed players in, so that a
	// network may be listened on without a code.
	Whitelist bool
	// Hosts are names that the gateway is reached by, besides localhost and
	// addresses: "example.org", without a port.
	Hosts []string
	// Outer are the addresses outside at which a router has opened the port; nil, or
	// none: they are not known.
	Outer func() []netip.Addr
	// Entrances are the other nodes that let players into the world, or did within
	// hours; nil: there are none.
	Entrances func() []Entrance
	// Local is the secret of the data folder: a client that shows it is local.
	// Empty: nobody is.
	Local keyring.LocalSecret
	// Proxies are believed what they say in X-Forwarded-For about the address that
	// a request came from.
	Proxies []netip.Prefix
	// Open shows /status and /metrics to everybody and not only to local
	// clients.
	Open   bool
	Limits Limits
	Files  []web.File // the browser client; nil: the embedded one
	// Stats reads the node's figures for /status and /metrics; nil: there are none.
	Stats func(context.Context) (Stats, error)
	// Metrics is what /metrics shows, besides the gateway's own; nil: a new one
	// with the Go runtime's.
	Metrics *prometheus.Registry
	Log     *slog.Logger // nil: slog.Default()
}

// Sharing is what the owner of a world passes on to others. It is a secret.
type Sharing struct {
	Pages      []string `json:"pages"`                // for players, with the code
	Invitation string   `json:"invitation,omitempty"` // for nodes; empty: they need none
}

// Guest is what a code permits.
type Guest struct {
	// Invite admits the player with the invitation that the code is, and returns nil
	// if the code is not for this player. Invite is nil if the code is no invitation.
	Invite func(player id.ID) []byte
	// Owner says that a player with the code counts as one at this machine.
	Owner bool
	// Entered hears that the guest is in the world; may be nil.
	Entered func(operator bool)
}

// Limits keep connections within bounds. Zero values mean the defaults.
type Limits struct {
	Connections int // at a time; default 4096
	// PerAddress is how many connections an address (IPv6: a /64) may have;
	// default 32. Local ones are only counted among all.
	PerAddress int
	// Pending is how many connections may be open that nobody has shown a token on,
	// PendingPerAddress how many of them of an address; default 1024, 64. One more
	// takes the place of an idle one.
	Pending, PendingPerAddress int

	Messages  int           // a second from each connection, with bursts of 3 s, WebSocket pings and pongs among them; default 60
	Bytes     int           // likewise, with the heads of frames; default 32 kB
	Handshake time.Duration // from the socket's opening to the proof; default 10 s
	Idle      time.Duration // without a message; default 60 s
	Stall     time.Duration // without room for what is to be sent; default 20 s
}

func (l Limits) withDefaults() Limits {
	set(&l.Connections, 4096)
	set(&l.PerAddress, 32)
	set(&l.Pending, 1024)
	set(&l.PendingPerAddress, 64)
	set(&l.Messages, 60)
	set(&l.Bytes, 32<<10)
	set(&l.Handshake, 10*time.Second)
	set(&l.Idle, time.Minute)
	set(&l.Stall, 20*time.Second)
	return l
}

func set[T int | time.Duration](v *T, to T) {
	if *v == 0 {
		*v = to
	}
}

// ErrUnprotected refuses to listen on a network without a code or a whitelist.
var ErrUnprotected = errors.New("everybody on the network could join: set a join code or use a whitelist")

// CheckListen reports whether the gateway of cfg may listen on addr (host:port).
func (c Config) CheckListen(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	if c.Code != "" || c.Invited || c.Whitelist || host == "localhost" {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		return nil
	}
	return ErrUnprotected
}
