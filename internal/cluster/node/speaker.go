package node

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// A session believes what a shard says to it. So its node looks whether who says
// something in a shard's name is one of those who host it, and asks them if that is
// not known.

// speaker is the shard in whose name a message to a session is; false if it is none
// that a session gets.
func speaker(m machine.Message) (p shards.Shard, ok bool) {
	switch m := m.(type) {
	case *region.Entered:
		p.Region = m.Region
	case *region.Refused:
		p.Region = m.Region
	case *region.Left:
		p.Region = m.Region
	case *region.Moved:
		p.Region = m.Region
	case *region.Columns:
		p.Region = m.Region
	case *region.ActResult:
		p.Region = m.Region
	case *region.Self:
		p.Region = m.Region
	case *region.Inventory:
		p.Region = m.Region
	case *region.Container:
		p.Region = m.Region
	case *region.Signs:
		p.Region = m.Region
	case *region.Heard:
		p.Region = m.Region
	case *region.NewHost:
		p.Region = m.Region
	case *region.Notice:
		p.Region = m.Region
	case *region.Frame:
		p.Region = m.Region
	case *lobby.Admitted, *lobby.Refused, *lobby.Players, *lobby.Chat, *lobby.Notice, *lobby.TimeOffset, *lobby.Commands, *lobby.Propose, *lobby.NewHost, *lobby.SkinOf, *lobby.Clip:
		p = shards.Lobby
	default:
		return p, false
	}
	return p, p.InWorld()
}

// toSessions brings what a node says in a shard's name to sessions here.
func (g *gatewaySessions) toSessions(f *peers.Remote, sessions []id.ID, m machine.Message) {
	shard, ok := speaker(m)
	if _, isFrame := m.(*region.Frame); isFrame || !ok { // frames come as ToWatchers, and are compared
		g.Counts.Dropped++
		return
	}
	if a, ok := m.(*lobby.Admitted); ok { // it is about the session's own player
		sessions = slices.DeleteFunc(slices.Clone(sessions), func(s id.ID) bool { return g.entered[s] == nil || g.entered[s].Player != a.Player })
	}
	g.inNameOf(f, shard, sessions, func() {
		g.shown.Columns(f, sessions, m)
		if list, ok := m.(*lobby.Players); ok {
			g.local.listed(f, list)
		}
		m := g.local.fromLobbyElsewhere(m)
		switch said := m.(type) {
		case *lobby.Chat:
			if said = g.lines.shown(f, said); said == nil {
				return
			}
			m = said
		case *region.Heard:
			sessions, m = g.lines.heard(f, sessions, said)
		}
		for _, s := range sessions {
			g.toSessionOrNotice(f, s, m)
		}
	})
}

// toWatchers brings the frame of a remote region to sessions here.
func (g *gatewaySessions) toWatchers(f *peers.Remote, m *ToWatchers) {
	sessions, own := m.sessions(), make([]region.Own, len(m.To))
	for i := range m.To {
		own[i] = m.To[i].Own
	}
	if !g.showable(m.Region, m.Tick, m.Cells, own...) {
		g.Counts.Dropped++
		return
	}
	g.inNameOf(f, shards.Shard{Region: m.Region}, sessions, func() {
		g.shown.Frame(f, m.Region, m.Tick, sessions, m.Cells)
		for i := range m.To {
			g.toSessionOrNotice(f, m.To[i].Session, &region.Frame{Region: m.Region, Tick: m.Tick, Own: m.To[i].Own, Cells: m.Cells})
		}
	})
}

// wrongClock is how far the clock of another host may be from the one here, in ticks.
const wrongClock = 60 * 20

// showable reports whether a frame of another node can be passed on: clients can
// decode it, and it is of about now. A client would end its connection at one that it
// cannot decode, and would count the time by one of a later tick.
func (g *gatewaySessions) showable(of world.RegionPos, tick uint64, cells []byte, own ...region.Own) bool {
	now := region.TickAt(g.Env.Now(), g.epoch)
	if tick > now+wrongClock || tick+wrongClock < now || g.frames.Cells(cells) != nil {
		return false
	}
	for i := range own {
		if h := (frame.Head{Region: of, Tick: tick, Own: own[i]}); h.Check() != nil {
			return false
		}
	}
	return true
}

// endSession ends a session here for the shard that has closed it. Only the lobby
// closes sessions: a region tells those who are at home with it that they have left.
func (g *gatewaySessions) endSession(f *peers.Remote, m *EndSession) {
	if !m.Shard.Lobby {
		g.Counts.Dropped++
		return
	}
	g.inNameOf(f, m.Shard, []id.ID{m.Session}, func() { g.local.endSession(machine.Peer{ID: m.Session}) })
}

// inNameOf delivers what a node sends to sessions in a shard's name, if that
// node hosts the shard. The hosts are looked up only for sessions that exist
// here: the others have ended, and the sender is told so.
func (g *gatewaySessions) inNameOf(f *peers.Remote, shard shards.Shard, sessions []id.ID, do func()) {
	here := slices.ContainsFunc(sessions, g.HasSession)
	switch {
	case !shard.InWorld():
		g.Counts.Dropped++
	case !here || g.routes.Speakers.SpeaksFor(f.Peer, shard):
		do()
	default:
		g.routes.Speakers.Verify(f, shard, do)
	}
}
