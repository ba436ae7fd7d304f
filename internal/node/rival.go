package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/group"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/records"
)

// Two groups of one part can arise if nodes do not hear of each other for
// minutes, and each side makes or recovers one. When they can see each other
// again the lesser gives way (group.Gen): its part stops, what it had is put
// aside, and its record leads to the other.

// rivalEvery is how often a leader looks for another group of its part.
const rivalEvery = 30 * time.Second

// rivals is a leader's search for other groups of its part, and the one that
// this replica gives way to.
type rivals struct {
	next   machine.Time
	asked  machine.Time    // when it last asked
	claims map[id.ID]claim // of nodes that say that they host a greater group
	seen   uint64          // version of the record that others have published
	to     group.Gen
	led    []machine.Peer // its hosts
	// lesser is one who leads a lesser group, and is to be told.
	lesser machine.Peer
	// named are the hosts that the directory's record has named.
	named []machine.Peer
}

// lookForRivals asks the directory, who its record names, and the nodes near the
// key. It is for a replica that leads, or has had no leader for a while.
func (h *hosted) lookForRivals(now machine.Time) {
	w, v := h.w, &h.rivals
	if now < v.next || !w.dir.joined || w.closing {
		return
	}
	v.next, v.asked = now.Add(rivalEvery), now
	w.dir.look(h.part, func(r kademlia.Result) {
		s := w.standing(h.part)
		if h.gone || s == nil {
			return
		}
		s.Ask = true
		ask := w.around(h.part)
		if h.rivals.lesser != (machine.Peer{}) {
			ask = append(ask, h.rivals.lesser)
		}
		if r.Record != nil {
			hosts, err := records.DecodeHosts(r.Record.Payload)
			switch {
			case err != nil:
			case sameNodes(hosts.Members, h.members()):
				if r.Record.Version > h.version() { // a member has renewed it while the group slept
					v.seen = r.Record.Version
				}
			default:
				ask, v.named = append(ask, hosts.Members...), hosts.Members
				if h.leading {
					h.outdo(r.Record.Version)
				}
			}
		}
		kademlia.SortNearest(w.dir.key(h.part), ask)
		for _, p := range slices.CompactFunc(ask, func(a, b machine.Peer) bool { return a.ID == b.ID }) {
			if p.ID != w.cfg.Self.ID {
				w.tell(p, s)
			}
		}
	})
}

// outdo publishes the record of this group anew if the directory has another of
// a version that would be preferred.
func (h *hosted) outdo(version uint64) {
	if version >= h.rivals.seen && version >= h.version() {
		h.rivals.seen = version
		h.record.members = nil
	}
}

// version is that of the part's record.
func (h *hosted) version() uint64 {
	return max(h.record.term<<20|h.record.version, h.rivals.seen+1)
}

// meet compares the group here with what another node says of the part's.
func (h *hosted) meet(f *farNode, m *Standing) {
	st := h.rep.Status()
	switch c := st.Gen.Compare(m.Gen); {
	case !m.Member || !m.Led || !st.Member || c == 0:
		return
	case c > 0:
		h.rivals.lesser = f.peer
		h.rouse() // the greater must be awake to say so
		return
	case h.rivals.to.Compare(m.Gen) >= 0:
		return
	}
	if h.claimed(f, m); h.proven(m.Gen) {
		h.rivals.to, h.rivals.led = m.Gen, m.Members
		return
	}
	h.verify()
}

// giveWay ends this replica for the sake of the greater group, when its disk is
// ready for it.
func (h *hosted) giveWay() bool {
	if h.rivals.to == (group.Gen{}) {
		return false
	}
	h.rep.GiveWay(h.rivals.to)
	return true
}

// gaveWay leaves a record that leads to the greater group, and forgets who led
// the lesser.
func (h *hosted) gaveWay() {
	w := h.w
	if h.rivals.to.Compare(w.outdone[h.part]) > 0 {
		w.outdone[h.part] = h.rivals.to
	}
	if led := h.rivals.led; len(led) > 0 && len(led) < records.MaxHosts && len(h.record.members) > 0 && w.dir.joined {
		sign := append(slices.Clone(led), w.cfg.Self) // who signs must be in it
		w.dir.kad.Publish(0, w.dir.sign(h.part, sign, termOf(h.rivals.to, 0), h.version()+1))
	}
	w.dir.kad.Withdraw(kademlia.Chunk, w.dir.key(h.part))
	if r := w.routes[h.part]; r != nil {
		r.members, r.term, r.leader = h.rivals.led, 0, machine.Peer{}
		w.lose(r)
	}
}
