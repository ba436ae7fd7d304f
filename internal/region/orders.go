package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// hearing is how far away a player is heard.
const hearing = 48 * fixed.One

// onOrder does what the hall wants of a player, or passes it on.
func (r *Region) onOrder(from machine.Peer, m *Order) {
	if from != Hall {
		r.stats.Refused++
		return
	}
	if h := r.sessions.homes[m.Player]; h != nil {
		r.keepOrDo(h, m)
	} else if ptr, ok := r.departed.whereTo(m.Player); ok {
		r.notHere(m.Player, m.Tag, ptr.to)
	}
	r.rest()
}

func (r *Region) runOrder(h *home, m *Order) {
	o := &world.Order{At: m.Position, Block: m.Block, Count: int(m.Count), Mode: world.Mode(m.Mode)}
	switch m.Kind {
	case Teleport:
		end := fixed.Int(world.Limit)
		if p := m.Position; p.X.Abs() >= end || p.Z.Abs() >= end || !p.Block().InWorld() {
			return
		}
		o.Kind = world.OrderTeleport
	case Give:
		o.Kind = world.OrderGive
	case SetMode:
		o.Kind = world.OrderMode
	case SetOperator:
		o.Kind, o.Count = world.OrderOperator, 0
		if r.cfg.operator(m.Player) {
			o.Count = 1
		}
	case SayNear:
		r.sayNear(h, m.Text)
		return
	default:
		return
	}
	r.order(h.p.ID, o)
}

// order lets the next tick run an order.
func (r *Region) order(player id.ID, o *world.Order) {
	r.queue.order(player, o)
}

// sayNear lets those near a player hear what it says, across borders too.
func (r *Region) sayNear(h *home, text string) {
	m := &NearChat{Player: h.p.ID, Name: h.p.Name, At: h.p.Body.Pos, Text: text}
	r.hear(m)
	around(r.cfg.Pos, func(n world.RegionPos) {
		o := n.Column(0).Origin()
		x0, z0, size := fixed.Int(int(o.X)), fixed.Int(int(o.Z)), fixed.Int(world.RegionSize)
		if max(x0-m.At.X, m.At.X-x0-size, z0-m.At.Z, m.At.Z-z0-size) < hearing {
			r.env.Send(PeerOf(n), m)
		}
	})
}

func (r *Region) onNearChat(from machine.Peer, m *NearChat) {
	if !isNeighbour(r.cfg.Pos, from) || distanceTo(r.cfg.Pos, m.At) > hearing {
		r.stats.Refused++
		return
	}
	r.hear(m)
	r.rest()
}

// hear tells the players here who are near enough.
func (r *Region) hear(m *NearChat) {
	out := &Heard{Region: r.cfg.Pos, From: m.Player, Name: m.Name, Text: m.Text}
	for _, p := range r.area.Players() {
		d := p.Body.Pos.Sub(m.At)
		if max(d.X.Abs(), d.Y.Abs(), d.Z.Abs()) > hearing || d.X*d.X+d.Y*d.Y+d.Z*d.Z > hearing*hearing {
			continue
		}
		if h := r.sessions.homes[p.ID]; h != nil && h.peer != (machine.Peer{}) {
			r.env.Send(h.peer, out)
		}
	}
}

func (r *Region) onLocate(from machine.Peer, m *Locate) {
	if from != Hall {
		r.stats.Refused++
		return
	}
	if h := r.sessions.homes[m.Player]; h != nil {
		r.keepOrDo(h, m)
	} else {
		r.locateStored(m)
	}
	r.rest()
}

func (r *Region) located(h *home, m *Locate) {
	r.env.Send(Hall, &Located{
		Region: r.cfg.Pos, Player: m.Player, Tag: m.Tag, Found: true, Epoch: uint32(h.p.Epoch), Position: h.p.Body.Pos,
	})
}

// locateStored says what is on the disk of a player who is not in the world here.
// One that may have been handed over when this region crashed is asked for there.
func (r *Region) locateStored(m *Locate) {
	out := &Located{Region: r.cfg.Pos, Player: m.Player, Tag: m.Tag}
	if b, ok := r.store.small[playerKey(keyIntent, m.Player)]; ok {
		if ptr, err := decodePointer(b); err == nil {
			r.notHere(m.Player, m.Tag, ptr.to)
			return
		}
	}
	if b, ok := r.store.small[playerKey(keyPlayer, m.Player)]; ok {
		if p, err := world.DecodePlayer(b); err == nil {
			out.Stored, out.Epoch = true, uint32(p.Epoch)
		}
	} else if ptr, ok := r.departed.whereTo(m.Player); ok {
		r.notHere(m.Player, m.Tag, ptr.to)
		return
	}
	r.env.Send(Hall, out)
}

// onLaws takes what holds in the whole world.
func (r *Region) onLaws(from machine.Peer, m *Laws) {
	if from != Hall {
		r.stats.Refused++
		return
	}
	zones := make([]world.Zone, len(m.Protected))
	for i, a := range m.Protected {
		zones[i] = world.Zone(a)
	}
	r.area.SetTimeOffset(m.TimeOffset)
	r.area.SetZones(zones)
}

// onSaveAll writes everything.
func (r *Region) onSaveAll(from machine.Peer, m *SaveAll) {
	if from != Hall {
		r.stats.Refused++
		return
	}
	answer := func(ok bool) {
		out := &Saved{Region: r.cfg.Pos, Tag: m.Tag}
		if !ok {
			out.Err = "not saved"
			if r.failure != nil {
				out.Err = r.failure.Error()
			}
		}
		r.env.Send(Hall, out)
	}
	if r.store.readOnly || !r.dirtyAtAll() {
		r.store.then(answer)
	} else {
		r.snapshot(answer)
	}
	r.rest()
}
