package node

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// hosted is a part that this node keeps.
type hosted struct {
	w       *network
	part    Part
	leading bool
	users   map[machine.Peer]bool // nodes that have sent something for it
}

func (h *hosted) lookHere() {
	if r := h.w.route(h.part); h.leading {
		h.w.found(r, h.w.cfg.Self, h.members(), h.term())
	}
}

func (h *hosted) leader() machine.Peer {
	if h.leading {
		return h.w.cfg.Self
	}
	return machine.Peer{}
}

func (h *hosted) members() []machine.Peer { return []machine.Peer{h.w.cfg.Self} }
func (h *hosted) term() uint64            { return 1 }

func (w *network) sortedHosts() []*hosted {
	return slices.SortedFunc(maps.Values(w.hosts), func(a, b *hosted) int { return compareParts(a.part, b.part) })
}

// onGenerate finds hosts for a part.
func (w *network) onGenerate(f *farNode, m *Generate) {
	if !m.Part.inWorld() || !w.dir.joined {
		return
	}
	w.coordinate(m.Part)
	w.tellWhere(f.peer, m.Part)
}

// create makes a group for a part, of this node first.
func (w *network) create(p Part, members []machine.Peer) {
	h := &hosted{w: w, part: p, leading: true, users: map[machine.Peer]bool{}}
	w.hosts[p] = h
	if p.Hall {
		w.n.startHall()
	}
	w.dir.publish(h)
	h.lookHere()
}

// room reports whether this node would host another part.
func (w *network) room() bool { return len(w.hosts) < w.cfg.MaxHosted && !w.closing }
