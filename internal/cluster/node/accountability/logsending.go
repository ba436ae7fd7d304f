package accountability

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// LogSending sends the log of a shard that is led here to the other members of its
// group, who replay it (LogFollowing).
type LogSending struct {
	part.Part
	keys   *LogKeys // nil: nothing is recorded
	group  *shardgroup.Group
	links  *peers.Links
	areas  areaFinder
	parts  recordedFinder
	signs  *ShownSigning
	follow []*logFollower
	had    *regionlog.Hashes // of the last checkpoint
	packer *regionlog.Packer
	batch  regionlog.Batch // entries that have not been sent

	archive regionlog.Archive // for auditors
	shown   bool              // sessions of other nodes are shown the region,
	looked  machine.Time      // when that was looked at
}

// NewLogSending returns what sends the log of a group's region.
func NewLogSending(c part.Part, keys *LogKeys, g *shardgroup.Group, l *peers.Links, areas areaFinder, parts recordedFinder, signs *ShownSigning, packer *regionlog.Packer) *LogSending {
	return &LogSending{Part: c, keys: keys, group: g, links: l, areas: areas, parts: parts, signs: signs, packer: packer}
}

// Pieces are the pieces of the log that auditors may ask for.
func (s *LogSending) Pieces() *regionlog.Archive { return &s.archive }

// recorded is what keeps a log: a region's area, or the lobby's register.
type recorded interface {
	Record(*regionlog.Signing, func(*regionlog.Output))
	Recording() bool
	GiveState()
}

// recordedFinder finds what keeps the logs of shards that run here (Node).
type recordedFinder interface {
	// Area returns that of a region; nil: it does not run here.
	Area(shards.Shard) *regionlog.Area
	// Register returns that of the lobby; nil: it does not run here.
	Register() *regionlog.Register
}

// areaFinder finds what sessions are shown of regions that run here (Node).
type areaFinder interface {
	// Current calls do for the sessions that watch a region, with the columns that they
	// were shown as they are.
	Current(world.RegionPos, func(session machine.Peer, columns uint16))
}

// logFollower is a member that follows the log.
type logFollower struct {
	peer  machine.Peer
	until machine.Time // it asks again before
	has   bool         // a state to begin with
	state machine.Time // when it may be sent a state again
}

const (
	followFor = 5 * time.Second
	// stateEvery is how often a follower is sent a state: one that says that it needs
	// another costs no more.
	stateEvery = 5 * time.Second
)

// OnFollow takes a member's wish to follow.
func (s *LogSending) OnFollow(f *peers.Remote, m *FollowLog) {
	if s.keys == nil || !s.group.Leading || !s.group.IsMember(f.Peer.ID) {
		return
	}
	now := s.Env.Now()
	var w *logFollower
	for _, o := range s.follow {
		if o.peer.ID == f.Peer.ID {
			w = o
		}
	}
	if w == nil {
		w = &logFollower{}
		s.follow = append(s.follow, w)
	}
	w.peer, w.until = f.Peer, now.Add(followFor)
	if m.State && now >= w.state {
		w.has, w.state = false, now.Add(stateEvery)
	}
	s.record()
}

// Beat forgets those who follow no more.
func (s *LogSending) Beat(now machine.Time) {
	kept := s.follow[:0]
	for _, w := range s.follow {
		if now < w.until && s.group.IsMember(w.peer.ID) {
			kept = append(kept, w)
		}
	}
	clear(s.follow[len(kept):])
	s.follow = kept
	if now.Sub(s.looked) >= time.Second {
		s.looked, s.shown = now, s.group.Leading && !s.group.Shard.Lobby && s.isShown()
		if g := s.parts.Register(); g != nil && s.group.Shard.Lobby {
			g.Second(now)
		}
	}
	s.record()
}

// recorded is what keeps the shard's log; nil: it does not run here.
func (s *LogSending) recorded() recorded {
	if s.group.Shard.Lobby {
		if g := s.parts.Register(); g != nil {
			return g
		}
	} else if a := s.parts.Area(s.group.Shard); a != nil {
		return a
	}
	return nil
}

// isShown reports whether sessions of other nodes are shown the region.
func (s *LogSending) isShown() (elsewhere bool) {
	s.areas.Current(s.group.Shard.Region, func(session machine.Peer, _ uint16) {
		elsewhere = elsewhere || session.Addr != s.signs.tag && session.Addr != (machine.Addr{})
	})
	return elsewhere
}

// record lets the area record for as long as somebody follows, or may audit.
func (s *LogSending) record() {
	log := s.recorded()
	if log == nil || s.keys == nil {
		return
	}
	if on := (len(s.follow) > 0 || s.shown) && s.group.Leading; on != log.Recording() {
		if on {
			log.Record(s.signing(), s.send)
		} else {
			log.Record(nil, nil)
			s.archive.Clear()
			s.batch.Reset()
		}
	}
	for _, w := range s.follow {
		if !w.has {
			log.GiveState()
		}
	}
}

func (s *LogSending) signing() *regionlog.Signing {
	return &regionlog.Signing{World: s.Cfg.World, Key: s.keys.Key, Sign: s.keys.Sign}
}

// send sends what a tick has brought: with what the next ticks bring, or with the next
// checkpoint.
func (s *LogSending) send(out *regionlog.Output) {
	if !s.group.Shard.Lobby { // only regions are audited
		s.archive.Add(out, s.Env.Now())
	}
	if out.Number == 0 || !s.batch.Takes(out.Entry) {
		s.sendBatch(nil)
	}
	if out.Number > 0 {
		s.batch.Add(out.Number, out.Entry)
	}
	if out.Checkpoint == nil {
		if s.batch.Len == regionlog.BatchEntries {
			s.sendBatch(nil)
		}
		return
	}
	// All who have a state have had the checkpoint before this one, too.
	s.sendBatch(out.Checkpoint.AppendAfter(nil, s.had))
	s.had = &out.Checkpoint.Hashes
	if !s.group.Shard.Lobby {
		s.signs.sign(s.areas, out.Checkpoint, s.signing())
	}
	if out.State == nil {
		return
	}
	var packed []byte
	for _, w := range s.follow {
		if w.has && out.Number > 0 {
			continue
		}
		if packed == nil {
			packed = regionlog.Pack(out.State)
		}
		s.sendState(w, packed, out.Checkpoint.Append(nil))
		w.has = true
	}
}

// sendBatch sends the entries that have not been sent to those who have a state, and the
// checkpoint after them, if there is one.
func (s *LogSending) sendBatch(checkpoint []byte) {
	if s.batch.Len == 0 {
		return
	}
	var m *LogEntries
	for _, w := range s.follow {
		if !w.has {
			continue
		}
		if m == nil {
			m = &LogEntries{Shard: s.group.Shard, Number: s.batch.First, Packed: s.packer.Pack(&s.batch), Checkpoint: checkpoint}
		}
		s.links.Send(w.peer, m)
	}
	s.batch.Reset()
}

// sendState sends a state in parts.
func (s *LogSending) sendState(w *logFollower, packed, checkpoint []byte) {
	for part := uint32(0); ; part++ {
		m := &LogState{Shard: s.group.Shard, Part: part, Data: packed[:min(MaxLogPart, len(packed))]}
		if packed = packed[len(m.Data):]; len(packed) == 0 {
			m.Checkpoint = checkpoint
		}
		s.links.Send(w.peer, m)
		if len(packed) == 0 {
			return
		}
	}
}
