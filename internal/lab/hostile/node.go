package hostile

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
)

// Config says whom the node harms, and how.
type Config struct {
	Seed   uint64
	Self   machine.Peer
	Victim machine.Peer
	// Known are values that the node knows before it has heard anything: ids of
	// players, regions where somebody is.
	Known []any
	// Spares reports whether the node does not agree to host a part of the world.
	Spares func(shards.Shard) bool
	// Leave reports whether a message is not sent; nil: all are.
	Leave func(machine.Message) bool
	Codec *codec.Codec
	Rate  int // messages a second
}

// Node is the machine of a hostile node.
type Node struct {
	cfg    Config
	env    machine.Env
	make   *maker
	heard  []machine.Message // the last messages, to be sent back with changes
	linked bool
	buf    []byte
	due    float64 // messages that are to be sent
	last   machine.Time

	// Sent counts messages by type, Refused those that no codec writes.
	Sent    map[string]int
	Refused int
	Leads   map[shards.Shard]bool // what it has said that it leads, when it was asked
	Links   atomic.Int64          // times that the link came up
	Came    atomic.Int64          // messages of the victim
}

// maxHeard is how many messages are kept to be sent back.
const maxHeard = 256

const every = 10 * time.Millisecond

// New makes a hostile node.
func New(cfg Config, env machine.Env) *Node {
	n := &Node{cfg: cfg, env: env, make: newMaker(cfg.Seed), Sent: map[string]int{}, Leads: map[shards.Shard]bool{}}
	for _, v := range append([]any{cfg.Self, cfg.Victim, cfg.Self.ID, cfg.Victim.ID}, cfg.Known...) {
		n.make.seen.learn(reflect.ValueOf(v))
	}
	return n
}

// Start implements machine.Machine.
func (n *Node) Start() {
	n.last = n.env.Now()
	n.env.Open(n.cfg.Victim)
	n.env.SetTimer(n.env.Now().Add(every), machine.Timer{})
}

// OnLink implements machine.Machine.
func (n *Node) OnLink(_ machine.Peer, ev machine.LinkEvent) {
	if n.linked = ev == machine.LinkUp; n.linked {
		n.Links.Add(1)
		n.env.Send(n.cfg.Victim, &traversal.Hello{Addr: n.cfg.Self.Addr})
	}
}

// OnDone implements machine.Machine.
func (n *Node) OnDone(uint64, any, error) {}

// OnMessage implements machine.Machine: what the victim says is learned from, and
// answered so that it goes on to speak with this node.
func (n *Node) OnMessage(_ machine.Peer, m machine.Message) {
	n.Came.Add(1)
	n.make.seen.learn(reflect.ValueOf(m))
	if len(n.heard) < maxHeard {
		n.heard = append(n.heard, m)
	} else {
		n.heard[n.make.r.Intn(maxHeard)] = m
	}
	switch m := m.(type) {
	case *kademlia.Request:
		r := &kademlia.Reply{Proc: m.Proc} // it is there, and knows nothing
		if n.make.r.OneIn(2) {
			r = n.make.of(reflect.TypeFor[kademlia.Reply]()).(*kademlia.Reply)
		}
		r.RPC = m.RPC
		n.say(r)
	case *node.HostQuery:
		n.say(&node.HostReply{Shard: m.Shard, Room: true})
	case *routing.Generate:
		n.leads(m.Shard)
	case *routing.LeaderQuery:
		n.leads(m.Shard)
	case *verifiedworld.BootstrapQuery:
		n.say(&verifiedworld.BootstrapReply{Nonce: m.Nonce})
	case *verifiedworld.OverlayShare:
		n.say(&verifiedworld.OverlayShare{On: m.On})
	}
}

// leads says that this node leads a part: the victim believes it if it has asked this
// node to find hosts.
func (n *Node) leads(p shards.Shard) {
	if !n.cfg.Spares(p) {
		n.Leads[p] = true
		n.say(&routing.LeaderReply{Shard: p, Leader: n.cfg.Self, Members: []machine.Peer{n.cfg.Self}, Term: 1 << 36})
	}
}

// Say sends a message. Call it from Intruder.Look.
func (n *Node) Say(m machine.Message) { n.say(m) }

// OnTimer implements machine.Machine.
func (n *Node) OnTimer(machine.Timer) {
	now := n.env.Now()
	n.due += float64(n.cfg.Rate) * now.Sub(n.last).Seconds()
	n.last = now
	if !n.linked {
		n.env.Open(n.cfg.Victim)
	}
	for n.due = min(n.due, float64(n.cfg.Rate)); n.due >= 1; n.due-- {
		n.say(n.next())
	}
	n.env.SetTimer(now.Add(every), machine.Timer{})
}

// next is a message of any kind, or one of the victim's with a change.
func (n *Node) next() machine.Message {
	if len(n.heard) > 0 && n.make.r.OneIn(4) {
		return n.make.changed(n.heard[n.make.r.Intn(len(n.heard))])
	}
	return n.make.message()
}

// say sends a message, if there can be such a one.
func (n *Node) say(m machine.Message) {
	if i, ok := m.(*node.HostReply); ok && n.cfg.Spares(i.Shard) {
		*i = node.HostReply{Shard: i.Shard} // nor does it say that it has it
	}
	if n.cfg.Leave != nil && n.cfg.Leave(m) {
		return
	}
	if !n.encodes(m) {
		n.Refused++
		return
	}
	if _, datagram := m.(machine.Datagram); !datagram && !n.linked || datagram && len(n.buf) > maxDatagram {
		return
	}
	n.Sent[fmt.Sprintf("%T", m)]++
	n.env.Send(n.cfg.Victim, m)
}

// encodes encodes a message into buf and reports whether the codec could. Encoders
// may panic at values that no honest node makes, an object of another kind of world
// say: such messages cannot be sent.
func (n *Node) encodes(m machine.Message) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	var err error
	n.buf, err = n.cfg.Codec.Append(n.buf[:0], m)
	return err == nil
}

// maxDatagram is what goes into one packet.
const maxDatagram = 1100
