package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// Dialer opens in-process links to a node; *transport.Loop is one.
type Dialer interface {
	Dial(who id.ID) (*transport.Link, error)
}

// Config says which node and which world sessions are for.
type Config struct {
	Node  Dialer
	World id.ID
	Self  id.ID // the node's own; zero if no other can host this world
	Info  wire.WorldInfo
	Spawn world.Pos
	Epoch machine.Time // when tick 0 was
	// Signed says that clients must sign what their players do (region.Config).
	Signed bool
	// Terrain makes the far tiles.
	Terrain *terrain.Generator
	// Pack encodes a frozen column; nil: the node's sessions do it themselves. A
	// node of many knows the bytes with which a column came from another.
	Pack func(*world.Column) *wire.Column
	// Strained reports whether the node does not keep up with what it has to do;
	// nil: it always does.
	Strained func() bool
	// Invite admits a player with the node's own invitation; nil: it needs none.
	Invite func(player id.ID) []byte
	// Command runs a command of an operator at this machine, given in words, and
	// reports false if it is none that concerns the machine; nil: none is.
	Command func(player id.ID, words []string) (answer string, mine bool)
	// OperatorEntered hears that an operator has entered; may be nil.
	OperatorEntered func()
	// Hosts says who hosts the world, as far as the node knows; nil: nobody knows.
	Hosts func() *wire.Hosts
	Log   *slog.Logger // nil: slog.Default()
}

// Node is where sessions begin. What they share is in it: columns and far
// tiles are encoded once for all. It is safe for concurrent use.
type Node struct {
	cfg     Config
	columns *columnCache
	far     *farCache
	hosts   hostsCache

	broadcasts broadcasts
	line       line
	wakes      wakes

	names     names
	newcomers *newcomers
}

// NewNode returns the node of cfg.
func NewNode(cfg Config) *Node {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	n := &Node{
		cfg:       cfg,
		columns:   newColumnCache(cacheBytes, cfg.Pack),
		far:       &farCache{gen: cfg.Terrain, known: map[world.RegionPos][]byte{}},
		hosts:     hostsCache{ask: cfg.Hosts},
		newcomers: newNewcomers(),
		names:     names{of: map[string]id.ID{}},
	}
	n.wakes.init()
	return n
}

// World returns the world's id and what clients are told about it.
func (n *Node) World() (id.ID, wire.WorldInfo) { return n.cfg.World, n.cfg.Info }

// tick returns the number of the current tick.
func (n *Node) tick() uint64 {
	return region.TickAt(machine.Time(time.Now().UnixNano()), n.cfg.Epoch)
}

// Login is a player who wants to come in and whose key has been proven.
type Login struct {
	Player id.ID
	Name   string // as the player has typed and signed it
	Local  bool   // from the machine that the node runs on
	// Address is where the player comes from, for limits; not valid: there are none.
	Address netip.Addr
	// Pass proves the key to other nodes. Only to a world that no other node can
	// host may one come in without.
	Pass *identity.Pass
	// Entrances are other nodes of the world that the player can go on at; nil: there
	// are none.
	Entrances func() *wire.Entrances
	// Invitation is the player's admission (package invitation); nil: the node's own
	// invitation admits the player, if there is one (Config.Invite).
	Invitation []byte
	// Numbered says that frames may be lost on their way to the client: they are
	// numbered, and it says which it has missed.
	Numbered bool
	// Waits hears every few seconds that the player still waits to be let in, and
	// for what. It may be nil.
	Waits func(why *wire.Notice)
}

// Challenge is what a player signs to come in through this node.
func (n *Node) Challenge() *wire.Challenge {
	var salt [4]byte
	rand.Read(salt[:])
	return &wire.Challenge{
		Version: wire.Version, World: n.cfg.World, WorldName: n.cfg.Info.Name,
		Nonce: identity.PassNonce(n.cfg.Self, time.Now().Unix(), salt),
	}
}

// Check returns who said hello and answered a challenge of this node, if the answer is
// right. host is the address of this node that the player is to have dialled.
func (n *Node) Check(hello *wire.Hello, c *wire.Challenge, p *wire.Proof, host string) (Login, error) {
	pass := &identity.Pass{Key: hello.Key, Nonce: c.Nonce, Audience: identity.Audience(host), Sig: p.Signature}
	who := Login{Player: id.Of(hello.Key[:]), Name: hello.Name, Pass: pass}
	return who, pass.Check(who.Player, n.cfg.Self, n.cfg.World, who.Name, time.Now().Unix())
}

// invitation is a player's admission.
func (n *Node) invitation(who Login) []byte {
	if who.Invitation == nil && n.cfg.Invite != nil {
		return n.cfg.Invite(who.Player)
	}
	return who.Invitation
}

// enterTime bounds how long the lobby and the home region may take: a region
// may have to be read from disk and its terrain to be made.
const enterTime = 30 * time.Second

// Enter brings a player into the world. If that is refused the error is a
// *wire.Refused.
func (n *Node) Enter(ctx context.Context, who Login) (*Session, error) {
	if _, err := wire.CleanName(who.Name); err != nil {
		return nil, &wire.Refused{Code: wire.BadName, Text: err.Error()}
	}
	tell := who.Waits
	if tell == nil {
		tell = func(*wire.Notice) {}
	}
	if err := n.line.enter(ctx, func(place int) { tell(inLine(place)) }); err != nil {
		return nil, err
	}
	defer n.line.leave()
	var link id.ID
	rand.Read(link[:])
	k, err := n.cfg.Node.Dial(link)
	if err != nil {
		return nil, fmt.Errorf("link to the node: %w", err)
	}
	s := newSession(n, k, who.Player)
	s.entrances = who.Entrances
	if who.Numbered {
		s.numbers = map[world.RegionPos]uint16{}
	}
	mayBeNew := n.newcomers.reserve(who.Address, time.Now())
	defer func() {
		if mayBeNew && !s.isNew() {
			n.newcomers.release(who.Address, time.Now())
		}
	}()
	s.hello = lobby.Enter{Player: who.Player, Name: who.Name, Local: who.Local, Known: !mayBeNew, Pass: who.Pass, Invitation: n.invitation(who)}
	if who.Address.IsValid() {
		s.send(&node.Origin{Address: who.Address})
	}
	s.send(&s.hello)
	ctx, cancel := context.WithTimeout(ctx, enterTime)
	defer cancel()
	if err := s.settle(ctx, tell); err != nil {
		k.Close()
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, s.late()
		}
		return nil, err
	}
	if n.cfg.OperatorEntered != nil && s.Welcome().Operator {
		n.cfg.OperatorEntered()
	}
	return s, nil
}
