package routing

import (
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// bed is the routes of a node that hosts nothing and knows nobody but the hosts that a test
// names. It is their surroundings, and the node's environment.
type bed struct {
	*testing.T
	*Routes
	env       *quiet
	convicted id.ID
	told      []machine.Message // sessions here
	pushed    []part.Call
	news      []shards.Shard // with a new leader
}

// quiet is an environment and a seat with a clock that a test moves; it notes what is sent.
type quiet struct {
	machine.Env
	now    machine.Time
	random rng.Rand
	sent   []letter
}

type letter struct {
	to machine.Peer
	m  machine.Message
}

func (q *quiet) Now() machine.Time                       { return q.now }
func (q *quiet) Rand() *rng.Rand                         { return &q.random }
func (q *quiet) Send(to machine.Peer, m machine.Message) { q.sent = append(q.sent, letter{to, m}) }
func (q *quiet) Open(machine.Peer)                       {}
func (q *quiet) SetTimer(machine.Time, machine.Timer)    {}
func (q *quiet) Do(string, uint64, machine.Job)          {}
func (q *quiet) Put(machine.Machine)                     {}
func (q *quiet) Leave()                                  {}
func (q *quiet) HasLeft() bool                           { return false }

func (b *bed) GroupOf(shards.Shard) *shardgroup.Group     { return nil }
func (b *bed) LoadedGroup(shards.Shard) *shardgroup.Group { return nil }
func (b *bed) Wake(shards.Shard)                          {}
func (b *bed) Coordinate(shards.Shard, []machine.Peer)    {}
func (b *bed) CaughtUp(id.ID, world.RegionPos)            {}
func (b *bed) NewHost(p shards.Shard)                     { b.news = append(b.news, p) }
func (b *bed) Has(who id.ID) bool                         { return who == b.convicted }
func (b *bed) Avoids(who id.ID) bool                      { return who == b.convicted }
func (b *bed) Push(u part.Call)                           { b.pushed = append(b.pushed, u) }
func (b *bed) ToSession(_ id.ID, m machine.Message) bool {
	b.told = append(b.told, m)
	return true
}

func peer(n byte) machine.Peer {
	return machine.Peer{ID: id.ID{n}, Addr: machine.AddrFrom(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, n}), 1))}
}

const start = machine.Time(1_750_000_000 * time.Second)

var (
	home    = shards.Shard{Region: world.RegionPos{X: 40, Z: 40}}
	session = id.Of([]byte("session"))
)

func newBed(t *testing.T) *bed {
	b := &bed{T: t, env: &quiet{now: start, random: rng.New(1)}}
	cfg := part.Config{Self: peer(8), World: id.ID{1}}.WithDefaults()
	c := part.Part{Env: b.env, Cfg: &cfg, Counts: &part.Counts{}, Queue: b, Phase: &part.Phase{}}
	seen := peers.NewSightings(c)
	links := peers.NewLinks(c, seen)
	dir := directory.New(c, b.env, seen, hostpolicy.Nearest)
	dir.Start()
	b.Routes = New(c, links, dir, seen)
	b.Connect(Surroundings{Hosting: b, Creation: b, Sessions: b, Events: b, Convicted: b})
	return b
}

// run moves the clock on, beat by beat.
func (b *bed) run(d time.Duration) {
	for end := b.env.now.Add(d); b.env.now < end; {
		b.env.now = b.env.now.Add(peers.Beat)
		b.Continue()
	}
}

// says brings the answer of a host who leads home.
func (b *bed) says(by, leader machine.Peer, term uint64, members ...machine.Peer) {
	b.OnLeaderReply(&peers.Remote{Peer: by}, &LeaderReply{Shard: home, Leader: leader, Members: members, Term: term})
}

// queries are how many questions went to a node since the last call for it.
func (b *bed) queries(to machine.Peer) (n int) {
	for i, l := range b.env.sent {
		if _, ok := l.m.(*LeaderQuery); ok && l.to == to {
			n++
			b.env.sent[i] = letter{}
		}
	}
	return n
}

// TestConvictedHostHasNoVote: of three hosts one was convicted and says that nobody leads, and
// one is silent. The third is taken as the leader without more than the wait for the silent.
func TestConvictedHostHasNoVote(t *testing.T) {
	b := newBed(t)
	convicted, third := peer(90), peer(92)
	b.convicted = convicted.ID
	b.SetHosts(home, []machine.Peer{convicted, peer(91), third})
	b.Use(session, home, nil)
	b.Search(home)
	b.says(convicted, machine.Peer{}, 1, convicted)
	b.says(third, third, 2, third)
	b.run(claimWait + 2*peers.Beat + askEvery)
	if got := b.LeaderOf(home); got != third {
		t.Errorf("the leader is %v", got)
	}
}

// TestNewSearchHasTime: what waits for a leader is not given up because the search before has
// found none.
func TestNewSearchHasTime(t *testing.T) {
	b := newBed(t)
	b.SetHosts(home, []machine.Peer{peer(90), peer(91), peer(92)})
	r := b.table[home]
	r.told = b.env.now.Add(-2 * tellEvery)
	r.queue = append(r.queue, part.Call{To: home.Peer(), From: region.Lobby})
	b.Search(home)
	b.run(claimWait + 2*peers.Beat)
	if len(r.queue) != 1 {
		t.Error("given up")
	}
}

// TestDeniedLeader: a host that has given way says that another leads, and one that has not
// heard of it still names it, in a higher term. The other leads.
func TestDeniedLeader(t *testing.T) {
	at := start
	former, late, leader := peer(1), peer(2), peer(3)
	claims := func(formerSays machine.Time) *route {
		return &route{claims: map[id.ID]leaderClaim{
			former.ID: {by: former, leader: leader, term: 5, at: formerSays},
			late.ID:   {by: late, leader: former, term: 9, at: at},
		}}
	}
	hosts := []machine.Peer{former, late}
	if v := claims(at).votes(hosts, at); v.leader != leader || v.next != 1 {
		t.Errorf("%v has %d votes, %d others", v.leader, v.votes, v.next)
	}
	// What it said a while before the other named it, it may have said before it led.
	if v := claims(at.Add(-time.Second)).votes(hosts, at); v.leader != former {
		t.Errorf("%v has %d votes, %d others", v.leader, v.votes, v.next)
	}
}

// TestMessagesWaitForTheLeader: messages of shards wait while the leader of their receiver is
// searched, and go on in order; those of its sessions are told of it. What waits is given up
// if no leader is found in time.
func TestMessagesWaitForTheLeader(t *testing.T) {
	b := newBed(t)
	hosts := []machine.Peer{peer(90), peer(91), peer(92)}
	b.SetHosts(home, hosts)
	b.Use(session, home, nil)
	calls := []part.Call{{To: home.Peer(), From: region.Lobby, Msg: &region.SaveAll{Tag: 1}}, {To: home.Peer(), From: region.Lobby, Msg: &region.SaveAll{Tag: 2}}}
	for _, u := range calls {
		if !b.Elsewhere(u) {
			t.Fatal("led here")
		}
	}
	for _, p := range hosts {
		if b.queries(p) != 1 {
			t.Errorf("%v is not asked once", p.ID.Short())
		}
	}
	b.says(hosts[0], hosts[1], 3, hosts...)
	if b.says(hosts[1], hosts[1], 3, hosts...); b.LeaderOf(home) != hosts[1] {
		t.Fatalf("two of three hosts name a leader: %v", b.LeaderOf(home))
	}
	if len(b.pushed) != 2 || b.pushed[0].Msg != calls[0].Msg || b.pushed[1].Msg != calls[1].Msg {
		t.Errorf("%v goes on", b.pushed)
	}
	if len(b.told) != 1 || len(b.news) != 0 {
		t.Errorf("sessions hear %v, regions of %v", b.told, b.news)
	}
	b.Avoid(hosts[1].ID)
	b.Elsewhere(calls[0])
	b.run(tellEvery + askEvery)
	if n := len(b.table[home].queue); n != 0 || b.Counts.Dropped == 0 {
		t.Errorf("%d messages wait after %v, %d dropped", n, tellEvery, b.Counts.Dropped)
	}
	waits := 0
	for _, m := range b.told {
		if w, ok := m.(*lobby.Waiting); ok && w.Code == wire.Starting {
			waits++
		}
	}
	if waits == 0 {
		t.Error("the session does not hear why it waits")
	}
}

// TestNewLeaderIsAnnounced: the second leader of a shard is one that has begun anew: the
// regions here hear of it.
func TestNewLeaderIsAnnounced(t *testing.T) {
	b := newBed(t)
	b.LeaderFor(home)
	b.LeaderFound(home, peer(1), nil, 1)
	b.LeaderFound(home, peer(1), nil, 2)
	if len(b.news) != 0 {
		t.Errorf("new leaders: %v", b.news)
	}
	if b.LeaderFound(home, peer(2), nil, 3); len(b.news) != 1 || b.news[0] != home {
		t.Errorf("new leaders: %v", b.news)
	}
}

// TestUnusedRouteIsForgotten: a route stays while a session uses it, and a while longer.
func TestUnusedRouteIsForgotten(t *testing.T) {
	b := newBed(t)
	b.Use(session, home, &region.Watch{Rates: [world.Columns]uint8{1}})
	b.LeaderFound(home, peer(1), nil, 1)
	if b.run(2 * routeLifetime); len(b.All()) != 1 {
		t.Fatal("forgotten while it is used")
	}
	if who := b.Watchers(home); len(who) != 1 || who[0].Session != session {
		t.Errorf("watched by %v", who)
	}
	var ended []shards.Shard
	b.EndSession(session, func(p shards.Shard, leader machine.Peer) {
		if ended = append(ended, p); leader != peer(1) {
			t.Errorf("%v leads", leader)
		}
	})
	if who := b.Watchers(home); len(who) != 0 || len(ended) != 1 || ended[0] != home {
		t.Errorf("watched by %v, ended at %v", who, ended)
	}
	if b.run(2 * peers.Beat); len(b.All()) != 0 {
		t.Error("not forgotten")
	}
}

// TestSpeechOfStrangersWaits: what a node says in a shard's name waits until the hosts are
// known, then counts if it is one of them.
func TestSpeechOfStrangersWaits(t *testing.T) {
	b := newBed(t)
	host, stranger := &peers.Remote{Peer: peer(91)}, &peers.Remote{Peer: peer(70)}
	heard := map[*peers.Remote]int{}
	b.SetHosts(home, []machine.Peer{peer(90)})
	for _, f := range []*peers.Remote{host, stranger} {
		b.Speakers.Verify(f, home, func() { heard[f]++ })
		if !b.Speakers.Remembers(f) {
			t.Error("what it said does not wait")
		}
	}
	b.says(peer(90), peer(90), 1, peer(90), host.Peer)
	if heard[host] != 1 || heard[stranger] != 0 {
		t.Errorf("the host counts %d times, the stranger %d times", heard[host], heard[stranger])
	}
	b.env.now = b.env.now.Add(HeldFor)
	b.says(peer(90), peer(90), 2, peer(90), host.Peer)
	if b.Speakers.Remembers(stranger) || heard[stranger] != 0 || b.Counts.Dropped != 1 {
		t.Errorf("the stranger counts %d times, %d dropped", heard[stranger], b.Counts.Dropped)
	}
}
