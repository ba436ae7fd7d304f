package accountability

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// LogFollowing replays the log of a shard that another member of its group leads, and
// compares the state with what that one signs. What does not agree is a proof, by which
// this node refuses the other from then on (convictions).
type LogFollowing struct {
	part.Part
	keys      *LogKeys // nil: nothing is followed
	group     *shardgroup.Group
	links     *peers.Links
	rules     region.Config
	passes    bool // players show passes to the lobby
	convicted *Convictions

	leader   machine.Peer
	next     machine.Time // when to ask
	again    machine.Time // when to begin again, after a log that cannot be followed
	begun    machine.Time // when the last state came
	gaveUp   machine.Time // when a log could not be followed last
	replayer *regionlog.Replayer
	parts    uint32 // of a state that is on its way
	packed   []byte
	heard    int          // entries in this second
	second   machine.Time // when it began

	replayedAt machine.Time // when the last entry was

	copies    *copyChecking
	roles     *roleChecking
	heeding   *heeding
	clock     *clockChecking
	beginning logBeginning
	names     *registerChecking

	silent    machine.Time // since when the leader, who is there, has sent nothing of its log
	shown     machine.Time // when somebody said last that it shows the region
	suspected suspicion
}

// suspicion is that a node withholds its log; until then its messages about the group do
// not count.
type suspicion struct {
	node  id.ID
	until machine.Time
}

const (
	askLogEvery = time.Second
	// restartAfter is how long a log that cannot be followed is left alone.
	restartAfter = 5 * time.Second
	// giveUpsApart is how far apart logs may be that are asked for at once.
	giveUpsApart = 30 * time.Second
	// WithheldAfter is how long a leader that shows the region to players may send none of
	// its log, suspectedFor how long this node does not follow it then.
	WithheldAfter = 15 * time.Second
	suspectedFor  = 2 * time.Minute
	// copyFresh is how old the last entry of a log may be that is compared with what is
	// written.
	copyFresh = time.Second
	// registerFresh is how old the last entry of the lobby's log may be that is compared.
	registerFresh = 3 * time.Second
	// maxLogEntries is how many entries a leader may send in a second: one a tick, and some
	// that were late.
	maxLogEntries = 100
)

// NewLogFollowing returns what follows the logs of the leaders of a group.
func NewLogFollowing(c part.Part, keys *LogKeys, g *shardgroup.Group, l *peers.Links, rules region.Config, passes bool, convicted *Convictions, jobs *part.Runner) *LogFollowing {
	m := &LogFollowing{Part: c, keys: keys, group: g, links: l, rules: rules, passes: passes, convicted: convicted}
	m.roles = &roleChecking{Part: c, rights: rules.Rights, lands: rules.Lands, suspect: m.suspectRoles}
	m.copies = &copyChecking{Part: c, group: g, jobs: jobs, terrain: rules.Terrain, suspect: m.suspectCopy}
	m.heeding = &heeding{Part: c, links: l, suspect: m.suspectOmission}
	m.names = &registerChecking{Part: c, suspect: m.suspectNames}
	m.clock = &clockChecking{suspect: m.suspectOmission}
	return m
}

// Stop has this node follow nothing any more.
func (l *LogFollowing) Stop() {
	l.keys = nil
	l.reset()
}

// IsFollowing reports whether the log is replayed.
func (l *LogFollowing) IsFollowing() bool { return l.replayer != nil }

// Beat asks the leader for its log.
func (l *LogFollowing) Beat(now machine.Time) {
	leader := l.group.Leader()
	if l.keys == nil || l.group.Leading || leader.ID != l.leader.ID {
		l.reset()
	}
	if l.group.Leading {
		l.copies.leads(now)
	}
	if leader.ID != l.leader.ID {
		l.roles.reset()
		l.beginning = logBeginning{}
		l.names.reset()
	}
	if leader.ID != l.leader.ID || l.silent == 0 || !l.links.Linked(leader) {
		l.silent = now
	}
	l.leader = leader
	if machine.Relayed(l.Env, leader) { // a state takes all that a relay gives for many seconds
		l.silent = now
		l.reset()
		return
	}
	if l.keys == nil || l.group.Leading || leader == (machine.Peer{}) || now < l.next || l.group.Raft.Hibernates() {
		return
	}
	l.suspectSilent(now)
	if l.group.Shard.Lobby {
		l.names.beat(now, l.register())
	} else {
		l.checkRegion(now, leader)
	}
	l.next = now.Add(askLogEvery)
	l.links.Send(leader, &FollowLog{Shard: l.group.Shard, State: l.replayer == nil && now >= l.again})
}

// checkRegion compares what the log leads to with what else is known of the region.
func (l *LogFollowing) checkRegion(now machine.Time, leader machine.Peer) {
	l.copies.beat(now, leader, l.replayed)
	l.roles.beat(now, l.replayed())
	l.heeding.beat(now, leader, l.replayer)
	f := l.links.ByID(leader.ID)
	l.clock.beat(now, f != nil && f.IsUp() && !f.IsSilent(now), l.area())
	l.beginning.mark(now, l.replayed())
}

// suspectSilent suspects a leader that runs the shard and keeps its log to itself: it is
// asked each second, its link is up, and players are shown the region, as those of the
// lobby always are.
func (l *LogFollowing) suspectSilent(now machine.Time) {
	shown := l.group.Shard.Lobby || l.shown != 0 && now.Sub(l.shown) <= WithheldAfter
	if now.Sub(l.silent) >= WithheldAfter && shown {
		l.suspect("does not send its log")
	}
}

// suspectCopy suspects a leader that has its group write other blocks than its log leads to.
func (l *LogFollowing) suspectCopy(d copyDifference) {
	l.Counts.CopiesFalse++
	l.suspect("lets others keep something else than it logs: " + d.String())
}

// suspectNames suspects a leader of the lobby that says something else of names than its log.
func (l *LogFollowing) suspectNames(what string) {
	l.Counts.NamesFalse++
	l.suspect(what)
}

// OnPlayers takes the players whom the lobby's leader lists to sessions here.
func (l *LogFollowing) OnPlayers(f *peers.Remote, m *lobby.Players) {
	if l.keys != nil && f.Peer.ID == l.leader.ID {
		l.names.onPlayers(m)
	}
}

// suspectRoles suspects a leader that has players be what nobody has decided.
func (l *LogFollowing) suspectRoles(what string) {
	l.Counts.RolesFalse++
	l.suspect(what)
}

// suspectOmission suspects a leader that leaves out what it should do.
func (l *LogFollowing) suspectOmission(what string) {
	l.Counts.Omissions++
	l.suspect(what)
}

// onUnsigned is when a node shows sessions of this one the region otherwise than it signs, again
// and again. Nobody else can know that, so nobody else need believe it.
func (l *LogFollowing) onUnsigned(by id.ID) {
	if by == l.leader.ID && !l.Refuses(by) {
		l.suspect("does not sign what it shows players of this node")
	}
}

// suspect stops following the leader for a while. That is no proof: it may be anything but
// a lie. With the other follower of three it loses the lead.
func (l *LogFollowing) suspect(what string) {
	now := l.Env.Now()
	l.silent, l.shown, l.suspected = now, 0, suspicion{l.leader.ID, now.Add(suspectedFor)}
	l.Counts.Suspected++
	l.Note(fmt.Sprintf("Node %s leads %s and %s. This node does not follow it for a while, so that another leads.", l.leader.ID.Short(), where(l.group.Shard), what))
}

// replayed is the area as the leader's log has led to it until a moment ago; nil: it is not
// known.
func (l *LogFollowing) replayed() *world.Area {
	if l.replayer == nil || l.Env.Now().Sub(l.replayedAt) > copyFresh {
		return nil
	}
	return l.replayer.Area()
}

// register is the lobby's register as the log has led to it until a moment ago; nil: it is
// not known.
func (l *LogFollowing) register() *regionlog.Register {
	if l.replayer == nil || l.Env.Now().Sub(l.replayedAt) > registerFresh {
		return nil
	}
	return l.replayer.Register()
}

// area is the area as the log has led to it; nil: none is followed.
func (l *LogFollowing) area() *world.Area {
	if l.replayer == nil {
		return nil
	}
	return l.replayer.Area()
}

// OnShown is when a node says that the leader shows its players the region. It need not be
// believed: what counts besides is that the log does not come.
func (l *LogFollowing) OnShown() { l.shown = l.Env.Now() }

// Refuses reports whether messages of a node about the group do not count.
func (l *LogFollowing) Refuses(who id.ID) bool {
	return who == l.suspected.node && l.Env.Now() < l.suspected.until
}

// reset forgets what was replayed.
func (l *LogFollowing) reset() {
	if l.replayer != nil {
		l.noteMerged()
		if g := l.replayer.Register(); g != nil {
			l.names.end(l.Env.Now(), g)
		} else {
			l.beginning.end(l.replayer.Area())
		}
	}
	l.replayer, l.parts, l.packed, l.again = nil, 0, nil, 0
}

// LinkDown is when entries of a log may have been lost.
func (l *LogFollowing) LinkDown(f *peers.Remote) {
	if f.Peer.ID == l.leader.ID {
		l.reset()
		l.beginning.broken()
		l.names.before = nil
	}
}

// noteMerged says that the leader has changed the region by another copy.
func (l *LogFollowing) noteMerged() {
	if n := l.replayer.Merged(); n > 0 {
		l.Note(fmt.Sprintf("Node %s leads %s and has changed %d blocks there by another copy of it. That there is one is its word.", l.leader.ID.Short(), where(l.group.Shard), n))
	}
}

// giveUp begins again: what the leader sends cannot be followed, which proves nothing. At
// first that is at once, so that the state can be compared with what was replayed.
func (l *LogFollowing) giveUp() {
	now := l.Env.Now()
	l.reset()
	l.again, l.next = now, now
	if l.gaveUp != 0 && now.Sub(l.gaveUp) < giveUpsApart {
		l.again = now.Add(restartAfter)
	}
	l.gaveUp, l.beginning.lost = now, true
	l.Counts.LogsLost++
}

// OnState takes a part of the state to begin with.
func (l *LogFollowing) OnState(f *peers.Remote, m *LogState) {
	if f.Peer.ID != l.leader.ID || l.leader == (machine.Peer{}) {
		return
	}
	l.silent = l.Env.Now()
	if m.Part == 0 {
		l.reset()
		if now := l.Env.Now(); l.begun != 0 && now.Sub(l.begun) < time.Second {
			l.giveUp() // reading states costs more than ticks
			return
		}
		l.begun = l.Env.Now()
	}
	if m.Part != l.parts || len(l.packed)+len(m.Data) > regionlog.MaxState {
		l.giveUp()
		return
	}
	l.parts++
	l.packed = append(l.packed, m.Data...)
	if len(m.Checkpoint) == 0 {
		return
	}
	packed := l.packed
	l.reset()
	c, err := l.checkpoint(m.Checkpoint, nil)
	var state []byte
	if err == nil {
		state, err = regionlog.Unpack(packed)
	}
	if err == nil {
		l.replayer, err = regionlog.NewReplayer(c, state)
	}
	signed := l.rules.Signed
	if l.group.Shard.Lobby {
		signed = l.passes
	}
	if err == nil && !l.replayer.Obeys(l.rules.Rules, signed) {
		err = fmt.Errorf("%w: other rules than those of the world", regionlog.ErrFormat)
	}
	if err != nil {
		l.giveUp()
		return
	}
	if g := l.replayer.Register(); g != nil {
		l.replayedAt = l.Env.Now()
		l.names.begin(l.Env.Now(), g)
		return
	}
	l.heeding.reset(c.Tick)
	if what := l.beginning.begin(l.Env.Now(), l.replayer.Area()); what != "" {
		l.suspect(what)
	}
}

// checkpoint reads a checkpoint, which the leader must have signed; had are the hashes of
// the one before.
func (l *LogFollowing) checkpoint(b []byte, had *regionlog.Hashes) (*regionlog.Checkpoint, error) {
	c, err := regionlog.DecodeCheckpoint(b, had)
	if err != nil {
		return nil, err
	}
	if c.World != l.Cfg.World || (shards.Shard{Lobby: c.Lobby, Region: c.Region}) != l.group.Shard || l.keys.Node(c.Key) != l.leader.ID || !c.Verify() {
		return nil, regionlog.ErrSignature
	}
	return c, nil
}

// OnEntries replays some ticks.
func (l *LogFollowing) OnEntries(f *peers.Remote, m *LogEntries) {
	if f.Peer.ID == l.leader.ID {
		l.silent = l.Env.Now()
	}
	if l.replayer == nil || f.Peer.ID != l.leader.ID {
		return
	}
	if now := l.Env.Now(); now.Sub(l.second) >= time.Second {
		l.second, l.heard = now, 0
	}
	if l.heard >= maxLogEntries || m.Number != l.replayer.Number()+1 {
		l.giveUp()
		return
	}
	entries, err := regionlog.UnpackBatch(m.Packed)
	if err != nil {
		l.giveUp()
		return
	}
	l.heard += len(entries)
	for i, e := range entries {
		var checkpoint []byte
		if i == len(entries)-1 {
			checkpoint = m.Checkpoint
		}
		if !l.replay(e, checkpoint) {
			return
		}
	}
}

// replay replays a tick; false: the log is followed no more.
func (l *LogFollowing) replay(entry, checkpoint []byte) bool {
	var c *regionlog.Checkpoint
	var err error
	if len(checkpoint) > 0 {
		c, err = l.checkpoint(checkpoint, &l.replayer.Last().Hashes)
	}
	var proof *regionlog.Proof
	if err == nil {
		proof, err = l.replayer.Entry(entry, c)
	}
	if err != nil {
		l.giveUp()
		return false
	}
	l.roles.onOrders(l.Env.Now(), l.replayer.Ordered())
	l.noteMerged()
	l.Counts.LogEntries++
	l.replayedAt = l.Env.Now()
	if proof == nil {
		return true
	}
	// The proof is replayed from its bytes, as anybody else would: a fault in what was
	// kept here must not convict anybody.
	found, err := proof.Check()
	l.giveUp()
	if err == nil {
		l.convicted.add(proof, found)
	}
	return false
}

// where names a shard to people.
func where(of shards.Shard) string {
	if of.Lobby {
		return "the lobby"
	}
	p := of.Region
	return fmt.Sprintf("the region from x %d, z %d to x %d, z %d", p.X*world.RegionSize, p.Z*world.RegionSize, (p.X+1)*world.RegionSize-1, (p.Z+1)*world.RegionSize-1)
}
