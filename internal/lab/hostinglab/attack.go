package hostinglab

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// perPart is how many attackers come to one part: as many as are candidates for being
// near its key.
const perPart = nearKey

// arrive lets attackers come, with keys next to those of as many parts as they are enough
// for. They never leave.
func (m *model) arrive(n int) {
	for i := range n {
		p := m.parts[i/perPart%len(m.parts)]
		p.chosen = true
		h := m.newHost(beside(p.key, i), true)
		h.since, h.first = m.now, m.now
		h.on = true
	}
	for _, p := range m.parts {
		p.captured, p.counted = 0, m.now
	}
}

// beside is an id next to a key.
func beside(key id.ID, i int) id.ID {
	key[len(key)-1] ^= byte(i + 1)
	key[len(key)-2] ^= byte((i + 1) >> 8)
	return key
}

// accomplices are what an attacker that leads makes of the members: it gives places that
// are free, or that it may free, to attackers.
func (m *model) accomplices(p *part, wanted []machine.Peer) []machine.Peer {
	for i, w := range wanted {
		if m.byID[w.ID].evil {
			continue
		}
		for _, h := range m.nearest(p.key, nearKey) {
			if h.evil && !slices.Contains(wanted, h.peer) {
				wanted[i] = h.peer
				break
			}
		}
	}
	return wanted
}

// shares are the parts of the time in which attackers had a majority: of all parts, and
// of those that they chose.
func (m *model) shares(long time.Duration) (all, chosen float64) {
	n := 0
	for _, p := range m.parts {
		m.count(p)
		share := p.captured.Seconds() / long.Seconds()
		if all += share; p.chosen {
			chosen += share
			n++
		}
	}
	return all / float64(len(m.parts)), chosen / float64(max(1, n))
}
