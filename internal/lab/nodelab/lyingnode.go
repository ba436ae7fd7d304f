package nodelab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// errNobodyHome is for a region that just has another leader: its players enter again.
var errNobodyHome = errors.New("nobody is at home in the region")

// lyingNode is a node that follows the rules until it is told to lie.
type lyingNode struct {
	tells atomic.Pointer[telling]
	env   machine.Env
}

// telling is a lie that is told. Its methods are called in the node's handlers.
type telling struct {
	*lie
	env     machine.Env // of the node
	world   id.ID
	self    machine.Peer
	region  world.RegionPos
	leader  machine.Peer   // of the region
	linked  []machine.Peer // nodes
	built   world.Pos      // where an edit of a player was acknowledged
	players []id.ID        // whom the lie may be about

	whom  machine.Peer // the session or node that is lied to, or the player that is lied about
	seen  machine.Peer // another session at the node of whom
	told  map[id.ID]bool
	forge forgedProof

	forged atomic.Int64 // messages
}

// around makes a configured host the lying node.
func (l *lyingNode) around(f *host.FaultInjection) {
	f.Node = func(env machine.Env, create func(machine.Env) *node.Node) machine.Machine {
		l.env = env
		return hearingNode{create(sendingEnv{env, l}), l}
	}
	f.RegionEnv = func(pos world.RegionPos, env machine.Env) machine.Env { return showingEnv{env, l, pos} }
}

// hearingNode is the node with what it does not want to hear left out.
type hearingNode struct {
	*node.Node
	lying *lyingNode
}

// OnMessage implements machine.Machine.
func (h hearingNode) OnMessage(from machine.Peer, m machine.Message) {
	if t := h.lying.tells.Load(); t == nil || t.hears == nil || t.hears(t, from, m) {
		h.Node.OnMessage(from, m)
	}
}

// sendingEnv is the environment of the node, which sends other messages than the node says.
type sendingEnv struct {
	machine.Env
	lying *lyingNode
}

func (e sendingEnv) Send(to machine.Peer, m machine.Message) {
	if t := e.lying.tells.Load(); t != nil && t.sends != nil {
		m = t.sends(t, to, m)
	}
	if m != nil {
		e.Env.Send(to, m)
	}
}

// Backlog implements machine.Backlogger.
func (e sendingEnv) Backlog(to machine.Peer) (waiting, limit int) { return machine.Backlog(e.Env, to) }

// Relayed implements machine.Relayer.
func (e sendingEnv) Relayed(p machine.Peer) bool { return machine.Relayed(e.Env, p) }

// showingEnv is what a region sees of the node.
type showingEnv struct {
	machine.Env
	lying *lyingNode
	pos   world.RegionPos
}

// telling is the lie about the region; nil: none is told.
func (e showingEnv) telling() *telling {
	if t := e.lying.tells.Load(); t != nil && t.region == e.pos {
		return t
	}
	return nil
}

func (e showingEnv) Send(to machine.Peer, m machine.Message) {
	if t := e.telling(); t != nil && t.shows != nil {
		m = t.shows(t, to, m)
	}
	e.Env.Send(to, m)
}

func (e showingEnv) SetTimer(at machine.Time, timer machine.Timer) {
	if t := e.telling(); t == nil || !t.stops {
		e.Env.SetTimer(at, timer)
	}
}

// Backlog implements machine.Backlogger.
func (e showingEnv) Backlog(to machine.Peer) (waiting, limit int) { return machine.Backlog(e.Env, to) }

// tell lets the node lie.
func (l *lyingNode) tell(h *host.Host, o *NodeOrder) error {
	i := slices.IndexFunc(lies, func(l lie) bool { return l.name == o.Lie })
	if i < 0 || o.Region == nil || o.Place == nil {
		return fmt.Errorf("no lie %q", o.Lie)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	t := &telling{lie: &lies[i], env: l.env, world: h.World().ID, region: *o.Region, built: *o.Place, players: o.Players, told: map[id.ID]bool{}}
	leads, empty := false, false
	err := h.Inspect(ctx, func(n *node.Node) {
		s := n.Stats()
		t.self, t.linked = s.Self, s.Linked
		for _, p := range s.Shards {
			if p.Shard == (shards.Shard{Region: t.region}) {
				t.leader = p.Leader
			}
		}
		leads = n.WithArea(t.region, func(a *regionlog.Area) {
			if empty = len(a.Players()) == 0; !empty && t.tell != nil {
				t.tell(a, t.built)
			}
		})
		if leads == t.follows || empty {
			return
		}
		l.tells.Store(t)
		if t.acts != nil {
			t.acts(t)
		}
	})
	if err == nil && empty {
		err = errNobodyHome
	} else if err == nil && leads == t.follows {
		err = fmt.Errorf("a node that %q must lead the region, or follow who does: %v", t.name, !t.follows)
	}
	return err
}

// forged is how many messages the node has forged.
func (l *lyingNode) forged() int64 {
	if t := l.tells.Load(); t != nil {
		return t.forged.Load()
	}
	return 0
}

// elsewhere reports whether a session is at another node.
func (t *telling) elsewhere(session machine.Peer) bool {
	return session.Addr != (machine.Addr{}) && session.Addr != peers.TagOf(t.self.ID)
}
