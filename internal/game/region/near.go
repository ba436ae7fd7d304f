package region

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// sayNear lets those near a player hear what it says, across borders too.
func (r *Region) sayNear(h *playerSession, o *Order) {
	m := &NearChat{Player: h.p.ID, Name: h.p.Name, At: h.p.Body.Pos, Line: o.Near, Signed: o.Line}
	if !r.deliverChat(m) {
		return
	}
	eachNeighbour(r.cfg.Pos, func(n world.RegionPos) {
		o := n.Column(0).Origin()
		x0, z0, size := fixed.Int(int(o.X)), fixed.Int(int(o.Z)), fixed.Int(world.RegionSize)
		if max(x0-m.At.X, m.At.X-x0-size, z0-m.At.Z, m.At.Z-z0-size) < hearingRange {
			r.env.Send(PeerOf(n), m)
		}
	})
}

func (r *Region) onNearChat(from machine.Peer, m *NearChat) {
	if !isNeighbour(r.cfg.Pos, from) || distanceTo(r.cfg.Pos, m.At) > hearingRange {
		r.stats.Refused++
		return
	}
	r.deliverChat(m)
	r.hibernateIfIdle()
}

// deliverChat tells the players here who are near enough; false: that is not what the player
// has signed. Nodes blame the region for such words.
func (r *Region) deliverChat(m *NearChat) bool {
	_, text := line.Spoken(m.Name, m.Line, line.Near)
	out := &Heard{Region: r.cfg.Pos, From: m.Player, Name: m.Name, Text: text, Line: m.Line, Signed: m.Signed}
	if text == "" || r.cfg.Signed && out.Check(r.cfg.World, int64(TickAt(r.env.Now(), r.cfg.Epoch))) != nil {
		r.stats.Refused++
		return false
	}
	for _, p := range r.area.Players() {
		d := p.Body.Pos.Sub(m.At)
		if max(d.X.Abs(), d.Y.Abs(), d.Z.Abs()) > hearingRange || d.X*d.X+d.Y*d.Y+d.Z*d.Z > hearingRange*hearingRange {
			continue
		}
		if h := r.sessions.players[p.ID]; h != nil && h.peer != (machine.Peer{}) {
			r.env.Send(h.peer, out)
		}
	}
	return true
}

// Check says what is wrong with words that are shown as a player's, at a tick of the world.
func (m *Heard) Check(world id.ID, tick int64) error {
	if m.Signed != nil && m.Signed.By() != m.From {
		return fmt.Errorf("%w: another has signed them", line.ErrUnsigned)
	}
	return m.Signed.Check(world, tick, m.Line, line.Near, m.Name, m.Text)
}
