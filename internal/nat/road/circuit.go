package road

import (
	"errors"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/relay"
)

// askCircuit asks the helper to relay: there is no hole.
func (r *Road) askCircuit(f *far) {
	r.cfg.Paths.Drop(f.id)
	h := r.far[f.helper]
	f.finding, f.until = relaying, r.env.Now().Add(relayTime)
	if h == nil || !h.up {
		f.until = r.env.Now()
		return
	}
	r.env.Send(h.via, &relay.Open{Peer: f.id})
}

// onOpen: a hidden node asks for a circuit; or one is open.
func (r *Road) onOpen(h *far, m *relay.Open) {
	if !r.hidden {
		r.giveCircuit(h, m.Peer)
		return
	}
	f := r.far[m.Peer]
	if f == nil || f.helper != h.id || f.circuit || f.finding != relaying || !stands(f.addr, f.id) {
		return
	}
	f.circuit, f.renewed, f.finding = true, r.env.Now(), idle
	r.stats.Circuits++
	r.cfg.Paths.Route(f.id, f.addr)
	r.arrive(f, machine.Peer{ID: f.id, Addr: f.addr})
}

// giveCircuit lets two nodes that both ask reach each other over here.
func (r *Road) giveCircuit(h *far, peer id.ID) {
	t := r.far[peer]
	if !h.up {
		return
	}
	if !r.cfg.Relays || !h.hello || !Veiled(h.addr) || t == nil || !t.up || !t.hello || !Veiled(t.addr) {
		r.env.Send(h.via, &relay.Unable{Peer: peer})
		return
	}
	open, err := r.relay.Ask(h.id, peer, r.env.Now())
	if err != nil {
		r.env.Send(h.via, &relay.Unable{Peer: peer})
		return
	}
	if open {
		r.env.Send(h.via, &relay.Open{Peer: peer})
		r.env.Send(t.via, &relay.Open{Peer: h.id})
	}
}

// onPacket: to be passed on; or for this node.
func (r *Road) onPacket(h *far, m *relay.Packet) {
	if r.hidden {
		if f := r.far[m.Peer]; f != nil && f.circuit && f.helper == h.id && len(m.Data) > 0 {
			f.heard = r.env.Now()
			r.cfg.Paths.Deliver(m.Data, f.addr)
		}
		return
	}
	t := r.far[m.Peer]
	if !h.up || t == nil || !t.up {
		return // it comes back, or the circuit becomes idle
	}
	switch err := r.relay.Pass(h.id, t.id, len(m.Data), r.env.Now()); {
	case errors.Is(err, relay.ErrNoPeer):
		r.env.Send(h.via, &relay.Unable{Peer: t.id})
	case err == nil && !machine.Crowded(r.env, t.via):
		r.stats.Packets++
		r.stats.Bytes += uint64(len(m.Data))
		r.env.Send(t.via, &relay.Packet{Peer: h.id, Data: m.Data})
	}
}

// Out takes a packet that was sent to a routed address.
func (r *Road) Out(peer id.ID, b []byte) {
	f := r.far[peer]
	if f == nil || !f.circuit || len(b) > relay.MaxPacket {
		return
	}
	if h := r.far[f.helper]; h != nil && h.up && !machine.Crowded(r.env, h.via) {
		r.env.Send(h.via, &relay.Packet{Peer: peer, Data: b})
	}
}

func (r *Road) endCircuit(f *far) {
	f.circuit = false
	f.tries, f.next, f.leave = 0, 0, 0
	r.cfg.Paths.Unroute(f.id)
}
