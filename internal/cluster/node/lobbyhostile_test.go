package node

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// besieged is a world of several nodes. Eve stands at home with honest ones; the others
// send what they may not, about her and in her name.
type besieged struct {
	*cluster
	eve, mallory *wanderer
	home, own    shards.Shard // Eve's home; a region that a hostile node hosts
	gateway      int          // where Eve plays
	leader       int          // of the lobby

	stranger int // hosts neither the lobby nor Eve's home; Mallory plays there
	regional int // hosts own, but neither the lobby nor Eve's home
	member   int // hosts the lobby, does not lead it

	said   []machine.Message // in the name of Eve's home, by others
	passed []part.Call       // that came to the lobby
	told   []machine.Message // to Eve, in the lobby's name
}

// lobbyAttack is how a message of the lobby's protocol is abused. One of them is set.
type lobbyAttack struct {
	session func(*besieged) machine.Message                    // to the lobby, as if of a session
	region  func(*besieged, world.RegionPos) []machine.Message // to the lobby, as if of a region
	order   func(*besieged) []machine.Message                  // to Eve's home, as if of the lobby
	show    func(*besieged) machine.Message                    // to Eve's session, as if of the lobby
}

// later is an epoch that Eve may have at her next home.
func (x *besieged) later() uint32 { return x.eve.epoch + 1 }

// forged is a statement in the founder's name that makes Mallory an operator.
func (x *besieged) forged() []byte {
	s := &decision.Statement{World: id.Of([]byte("country")), Seq: uint64(x.s.Now()) / 1e6, Topic: decision.Operator, On: true, Subject: x.mallory.player()}
	s.Sign(evilKey)
	s.Issuer = founderPublic
	return s.Append(nil)
}

// falseSession is one that exists nowhere.
var falseSession = id.Of([]byte("false"))

var lobbyAttacks = map[reflect.Type]lobbyAttack{
	reflect.TypeFor[lobby.Enter](): {session: func(x *besieged) machine.Message {
		return &lobby.Enter{Player: x.eve.player(), Name: x.eve.name, Local: true, Resume: true}
	}},
	reflect.TypeFor[lobby.Say]():     {session: func(x *besieged) machine.Message { return &lobby.Say{Text: "/op " + x.mallory.name} }},
	reflect.TypeFor[lobby.Signed]():  {session: func(x *besieged) machine.Message { return &lobby.Signed{Statement: x.forged()} }},
	reflect.TypeFor[lobby.Skin]():    {session: func(*besieged) machine.Message { return &lobby.Skin{Skin: []byte{1}} }},
	reflect.TypeFor[lobby.AskSkin](): {session: func(*besieged) machine.Message { return &lobby.AskSkin{Entity: 1} }},
	reflect.TypeFor[lobby.Leave]():   {session: func(*besieged) machine.Message { return &lobby.Leave{} }},

	reflect.TypeFor[lobby.Awake]():  ofRegion(func(_ *besieged, r world.RegionPos) machine.Message { return &lobby.Awake{Region: r} }),
	reflect.TypeFor[lobby.Asleep](): ofRegion(func(_ *besieged, r world.RegionPos) machine.Message { return &lobby.Asleep{Region: r} }),
	reflect.TypeFor[lobby.Departed](): ofRegion(func(x *besieged, r world.RegionPos) machine.Message {
		return &lobby.Departed{Region: r, Player: x.eve.player(), Epoch: x.later()}
	}),
	reflect.TypeFor[lobby.Sleeping](): ofRegion(func(x *besieged, r world.RegionPos) machine.Message {
		return &lobby.Sleeping{Region: r, Players: []id.ID{x.eve.player()}}
	}),
	reflect.TypeFor[lobby.Died](): ofRegion(func(x *besieged, r world.RegionPos) machine.Message {
		return &lobby.Died{Region: r, Player: x.eve.player(), Cause: world.ByFall}
	}),
	reflect.TypeFor[lobby.Claim](): ofRegion(func(x *besieged, r world.RegionPos) machine.Message {
		return &lobby.Claim{Region: r, From: x.own.Region, Player: x.eve.player(), Epoch: x.later()}
	}),
	reflect.TypeFor[lobby.Vouch](): ofRegion(func(x *besieged, r world.RegionPos) machine.Message {
		return &lobby.Vouch{Region: r, Session: machine.Peer{ID: falseSession, Addr: peers.TagOf(nodePeer(x.stranger).ID)}, Player: x.eve.player()}
	}),
	reflect.TypeFor[lobby.Saved](): ofRegion(func(_ *besieged, r world.RegionPos) machine.Message { return &lobby.Saved{Region: r, Tag: 1} }),
	reflect.TypeFor[lobby.Undone](): ofRegion(func(_ *besieged, r world.RegionPos) machine.Message {
		return &lobby.Undone{Region: r, Tag: 1, OK: true, Count: 9}
	}),
	// Who asks whether Eve is at home where she is has not been given her. While the lobby
	// looks where she is, the answers are guessed.
	reflect.TypeFor[lobby.Arrived](): {region: func(x *besieged, r world.RegionPos) []machine.Message {
		return []machine.Message{
			&lobby.Claim{Region: r, From: x.home.Region, Player: x.eve.player(), Epoch: x.later()},
			&lobby.Arrived{Region: r, Player: x.eve.player(), Epoch: x.later()},
		}
	}},
	reflect.TypeFor[lobby.Located](): {region: func(x *besieged, r world.RegionPos) (out []machine.Message) {
		out = append(out, &lobby.Arrived{Region: r, Player: x.eve.player(), Epoch: x.later()})
		for tag := range uint64(20) {
			out = append(out, &lobby.Located{Region: r, Player: x.eve.player(), Tag: tag, Found: true, Epoch: x.later()})
		}
		return out
	}},
	reflect.TypeFor[lobby.NotHere](): {region: func(x *besieged, r world.RegionPos) (out []machine.Message) {
		out = append(out, &lobby.Arrived{Region: r, Player: x.eve.player(), Epoch: x.later()})
		for tag := range uint64(20) {
			out = append(out, &lobby.NotHere{Region: r, Player: x.eve.player(), Tag: tag, To: x.own.Region})
		}
		return out
	}},

	reflect.TypeFor[lobby.Order](): {order: func(x *besieged) (out []machine.Message) {
		for _, signed := range x.forgedOrders(x.eve, x.mallory) {
			out = append(out, &region.Order{Player: x.eve.player(), Signed: signed})
		}
		return out
	}},
	reflect.TypeFor[lobby.Undo](): {order: func(x *besieged) (out []machine.Message) {
		u := decision.Undo{Box: x.eve.home.Bounds()}
		for _, signed := range x.forgeries(decision.Order{Kind: decision.Rollback, Text: u.String()}, x.eve, x.mallory) {
			out = append(out, &region.Undo{Tag: 1, Signed: signed})
		}
		return out
	}},
	reflect.TypeFor[lobby.Locate](): {order: func(x *besieged) []machine.Message {
		return []machine.Message{&region.Locate{Player: x.eve.player(), Tag: 1}}
	}},
	reflect.TypeFor[lobby.SaveAll](): {order: func(*besieged) []machine.Message { return []machine.Message{&region.SaveAll{Tag: 1}} }},
	reflect.TypeFor[lobby.Claimed](): {order: func(x *besieged) []machine.Message {
		return []machine.Message{&region.Claimed{Player: x.eve.player(), From: x.own.Region, Epoch: x.later(), OK: true}}
	}},
	reflect.TypeFor[lobby.Vouched](): {order: func(x *besieged) []machine.Message {
		session := machine.Peer{ID: falseSession, Addr: peers.TagOf(nodePeer(x.stranger).ID)}
		return []machine.Message{&lobby.Vouched{Region: x.home.Region, Session: session, Player: x.eve.player(), OK: true, Entity: 1, Name: x.eve.name}}
	}},

	reflect.TypeFor[lobby.Admitted](): {show: func(x *besieged) machine.Message {
		return &lobby.Admitted{Player: x.eve.player(), Name: "Server", Operator: true, Home: x.own.Region}
	}},
	reflect.TypeFor[lobby.Refused](): {show: func(*besieged) machine.Message { return &lobby.Refused{Code: wire.Banned} }},
	reflect.TypeFor[lobby.Players](): {show: func(*besieged) machine.Message { return &lobby.Players{Full: true} }},
	reflect.TypeFor[lobby.Chat](): {show: func(*besieged) machine.Message {
		return &lobby.Chat{From: "Server", Text: "Give me all that you have."}
	}},
	reflect.TypeFor[lobby.Notice]():     {show: func(*besieged) machine.Message { return &lobby.Notice{Code: wire.Banned} }},
	reflect.TypeFor[lobby.SkinOf]():     {show: func(*besieged) machine.Message { return &lobby.SkinOf{Entity: 1, Skin: []byte{1}} }},
	reflect.TypeFor[lobby.TimeOffset](): {show: func(*besieged) machine.Message { return &lobby.TimeOffset{Ticks: 1000} }},
	reflect.TypeFor[lobby.Commands]():   {show: func(*besieged) machine.Message { return &lobby.Commands{} }},
	reflect.TypeFor[lobby.Propose]():    {show: func(x *besieged) machine.Message { return &lobby.Propose{Statement: decision.Unsigned(x.forged())} }},
	reflect.TypeFor[lobby.NewHost]():    {show: func(*besieged) machine.Message { return &lobby.NewHost{} }},
	reflect.TypeFor[lobby.Clip](): {show: func(*besieged) machine.Message {
		return &lobby.Clip{Size: [3]uint32{1, 1, 1}, Blocks: []byte{1, 1}}
	}},
}

func ofRegion(f func(*besieged, world.RegionPos) machine.Message) lobbyAttack {
	return lobbyAttack{region: func(x *besieged, r world.RegionPos) []machine.Message { return []machine.Message{f(x, r)} }}
}

// TestLongHostileMessagesOfTheLobby sends each message of the lobby's protocol from those who
// may not say it: a node that hosts nothing of Eve's, as itself and through the player who
// plays there, a host of another region, and a member of the lobby's group that does not
// lead it. Nothing changes for Eve, and nothing in the lobby.
func TestLongHostileMessagesOfTheLobby(t *testing.T) {
	simtest.Long(t)
	x := besiege(t)
	byName := func(a, b reflect.Type) int { return strings.Compare(a.Name(), b.Name()) }
	for _, typ := range slices.SortedFunc(maps.Keys(lobbyAttacks), byName) {
		t.Run(typ.Name(), func(t *testing.T) {
			before := x.state()
			x.told, x.said, x.passed = nil, nil, nil
			dropped := x.node(x.leader).counts.Dropped
			x.do(lobbyAttacks[typ])
			x.s.Run(12 * time.Second)
			if after := x.state(); after != before {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
			for _, m := range x.told {
				if p, ok := m.(*lobby.Players); ok && !p.Full && len(p.List) == 1 && p.List[0].Player == x.mallory.player() {
					continue // about the player through whom it was said: whoever plays may change its skin
				}
				t.Errorf("Eve was told %T %+v", m, m)
			}
			if n := x.node(x.leader).counts.Dropped - dropped; n < 6*uint64(len(x.said)) {
				t.Errorf("%d messages were dropped", n)
			}
			for _, u := range x.passed {
				if _, same := u.Msg.(*lobby.Awake); same {
					continue // the home says the same
				}
				if u.From == x.eveAtTheLobby() || slices.ContainsFunc(x.said, func(m machine.Message) bool { return reflect.DeepEqual(m, u.Msg) }) {
					t.Errorf("the lobby was told %T %+v by %v", u.Msg, u.Msg, u.From)
				}
			}
		})
	}
	x.checkPresence()
}

// besiege makes the world. Mallory's node is the stranger; passes are looked at.
func besiege(t *testing.T) *besieged {
	x := &besieged{cluster: newCluster(t, 1, 0), stranger: -1, regional: -1, member: -1}
	at := map[id.ID]id.ID{} // where players have signed that they play
	x.change = func(_ int, n *Net) {
		n.Founder = nodePeer(0).ID
		n.CheckPass = func(_ *identity.Pass, player id.ID, _ string, gateway id.ID) error {
			if at[player] != gateway {
				return identity.ErrPass
			}
			return nil
		}
	}
	for i := range 9 {
		x.addNode(i)
	}
	x.s.Run(3 * time.Second)
	play := func(node int) *wanderer {
		w := x.addGuest(node)
		w.quiet = true
		at[w.player()] = nodePeer(node).ID
		x.until("a guest is in", func() bool { return w.in })
		x.s.Run(10 * time.Second) // groups get their members
		return w
	}
	x.eve = play(x.gateway)
	x.home, x.leader = shards.Shard{Region: x.eve.home}, x.leaderOf(shards.Lobby)
	x.guests[0].Call(func() { x.eve.watch(world.RegionPos{X: 5, Z: 5}, region.RateEvery) })
	x.own = shards.Shard{Region: world.RegionPos{X: 5, Z: 5}}
	x.s.Run(15 * time.Second)
	hosts := func(i int, p shards.Shard) bool { return slices.Contains(x.hostsOf(p), i) }
	for i := range x.nodes {
		switch free := i != x.gateway && !hosts(i, x.home); {
		case free && hosts(i, shards.Lobby) && i != x.leader:
			x.member = i
		case free && !hosts(i, shards.Lobby) && hosts(i, x.own):
			x.regional = i
		case free && !hosts(i, shards.Lobby):
			x.stranger = i
		}
	}
	if x.stranger < 0 || x.regional < 0 || x.member < 0 {
		t.Fatalf("the lobby is at %v, Eve's home at %v, another region at %v: take another seed", x.hostsOf(shards.Lobby), x.hostsOf(x.home), x.hostsOf(x.own))
	}
	x.mallory = play(x.stranger)
	x.s.Run(time.Minute) // nobody changes the hosts any more
	x.node(x.leader).lobby.m = &lobbyTap{x.node(x.leader).lobby.m, x}
	x.eve.tap = func(m machine.Message) {
		if strings.HasPrefix(fmt.Sprintf("%T", m), "*lobby.") {
			x.told = append(x.told, m)
		}
	}
	return x
}

// lobbyTap notes what comes to the lobby.
type lobbyTap struct {
	machine.Machine
	x *besieged
}

func (l *lobbyTap) OnMessage(from machine.Peer, m machine.Message) {
	l.x.passed = append(l.x.passed, part.Call{From: from, Msg: m})
	l.Machine.OnMessage(from, m)
}

// Register is the lobby's own: the node logs it.
func (l *lobbyTap) Register() *regionlog.Register {
	return l.Machine.(interface{ Register() *regionlog.Register }).Register()
}

func (x *besieged) eveAtTheLobby() machine.Peer {
	return machine.Peer{ID: x.guests[0].Peer().ID, Addr: peers.TagOf(nodePeer(x.gateway).ID)}
}

// state is what the world knows of its players, and what Eve sees.
func (x *besieged) state() string {
	var b bytes.Buffer
	for _, kv := range x.nodes[x.leader].Disk.All(shards.Lobby.Space()) {
		fmt.Fprintf(&b, "%s = %s\n", kv.Key, kv.Value)
	}
	for i := range x.nodes {
		log := x.node(i).decisions.log
		fmt.Fprintf(&b, "node %d: %x, leads %v\n", i, log.Digest(), i == x.leaderOf(shards.Lobby))
	}
	e := x.eve
	fmt.Fprintf(&b, "Eve: in %v at %v, home %v, entered %d times, refused %v, operator %v, mode %v, gold %d, there %v\n",
		e.in && !e.left, e.pos.Block(), e.home, e.entries, e.refused, e.operator, e.mode, e.items.Count(world.GoldOre), e.present)
	fmt.Fprintf(&b, "Mallory: operator %v, mode %v\n", x.mallory.operator, x.mallory.mode)
	return b.String()
}

// do sends an attack from everybody who may not.
func (x *besieged) do(a lobbyAttack) {
	say := func(by, to int, m machine.Message) {
		x.nodes[by].Call(func() { x.node(by).net.links.Send(nodePeer(to), m) })
		x.s.Run(100 * time.Millisecond)
	}
	eve := x.guests[0].Peer().ID
	toLobby := func(by int, r routing.Routed) {
		r.To = shards.Lobby
		say(by, x.leader, &r)
	}
	switch {
	case a.session != nil:
		m := a.session(x)
		for _, session := range []id.ID{falseSession, eve} {
			toLobby(x.stranger, routing.Routed{Session: session, Msg: m})
			toLobby(x.member, routing.Routed{Session: session, Msg: m})
		}
		if _, leaves := m.(*lobby.Leave); !leaves { // that Mallory may
			toLobby(x.stranger, routing.Routed{Session: x.guests[1].Peer().ID, Msg: m})
		}
		toLobby(x.regional, routing.Routed{From: x.own, Msg: m})
		toLobby(x.stranger, routing.Routed{From: x.home, Msg: m})
		toLobby(x.member, routing.Routed{From: shards.Lobby, Msg: m})
	case a.region != nil:
		x.said = a.region(x, x.home.Region)
		for _, m := range x.said {
			toLobby(x.stranger, routing.Routed{Session: falseSession, Msg: m})
			toLobby(x.stranger, routing.Routed{From: x.home, Msg: m})
			toLobby(x.regional, routing.Routed{From: x.own, Msg: m})
			toLobby(x.regional, routing.Routed{From: x.home, Msg: m})
			toLobby(x.member, routing.Routed{From: x.home, Msg: m})
			toLobby(x.member, routing.Routed{From: shards.Lobby, Msg: m})
		}
		for _, m := range a.region(x, x.own.Region) {
			toLobby(x.regional, routing.Routed{From: x.own, Msg: m})
		}
	case a.order != nil:
		to := x.leaderOf(x.home)
		for _, m := range a.order(x) {
			say(x.stranger, to, &routing.Routed{To: x.home, From: shards.Lobby, Msg: m})
			say(x.regional, to, &routing.Routed{To: x.home, From: shards.Lobby, Msg: m})
			say(x.regional, to, &routing.Routed{To: x.home, From: x.own, Msg: m})
			say(x.member, to, &routing.Routed{To: x.home, From: shards.Lobby, Msg: m})
		}
	case a.show != nil: // what a host of the lobby shows is not verified
		for _, by := range []int{x.stranger, x.regional} {
			say(by, x.gateway, &ToSessions{[]id.ID{eve}, a.show(x)})
		}
	}
}
