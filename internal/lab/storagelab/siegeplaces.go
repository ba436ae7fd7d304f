package storagelab

import (
	"cmp"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
)

// Where attackers stand who hold more certificates than they use: with those of a thousand
// that stand together, around one place of the world after the other, in a majority of
// the zones.

const (
	// certificates is among how many places attackers choose.
	certificates = 1000
	// votersOfZone is how many nodes of a zone have a vote on a cell.
	votersOfZone = 4
	// placesTried is how many places of the world are looked at, along each side.
	placesTried = 40
)

// stand is a place that a node can have, by what it keeps of the world.
type stand struct {
	node *storageNode
	zone int
	home geom.Point
}

// chooseStands gives those who start last the best places that the next certificates name.
func (s *siege) chooseStands() {
	first := s.run.Nodes - s.settings.Malicious
	if s.gang.Ways().Join {
		first = s.run.Nodes
	}
	var honest, offered []stand
	for k, node := range s.all[:min(len(s.all), first+certificates)] {
		at := stand{node, s.space.Zone(node.self.Pos), node.player.Home}
		if k < first {
			honest = append(honest, at)
		} else {
			offered = append(offered, at)
		}
	}
	chosen := bestStands(honest, offered, s.space.Zones(), s.rules.World().Side, s.settings.Malicious)
	for i, c := range chosen {
		at := first + i
		k := at + slices.Index(s.all[at:], c.node)
		s.all[at], s.all[k] = s.all[k], s.all[at]
	}
}

// bestStands takes as many of the places on offer as are wanted, those around the best
// place of the world first.
func bestStands(honest, offered []stand, zones int, side int32, want int) (out []stand) {
	for len(out) < want {
		var best []stand
		most := -1
		for y := range int32(placesTried) {
			for x := range int32(placesTried) {
				at := geom.Point{X: (2*x + 1) * (side / placesTried / 2), Y: (2*y + 1) * (side / placesTried / 2)}
				if own, votes := standsAround(at, honest, offered, zones); votes > most {
					best, most = own, votes
				}
			}
		}
		if len(best) == 0 {
			best = offered
		}
		best = best[:min(len(best), want-len(out))]
		out = append(out, best...)
		offered = slices.DeleteFunc(slices.Clone(offered), func(s stand) bool { return slices.Contains(best, s) })
	}
	return out
}

// standsAround are the places on offer that have a vote on a place of the world, in the
// zones of a majority in which these are most, and how many votes that is.
func standsAround(at geom.Point, honest, offered []stand, zones int) (own []stand, votes int) {
	byZone := make([][]stand, zones)
	for zone := range zones {
		near := nearest(at, offered, zone)
		voters := nearest(at, append(near, nearest(at, honest, zone)...), zone)
		byZone[zone] = slices.DeleteFunc(voters, func(s stand) bool { return !slices.Contains(near, s) })
	}
	slices.SortStableFunc(byZone, func(a, b []stand) int { return cmp.Compare(len(b), len(a)) })
	for rank := range votersOfZone { // who has fewer nodes takes the nearest of each zone
		for _, list := range byZone[:zones/2+1] {
			if rank < len(list) {
				own = append(own, list[rank])
			}
		}
	}
	return own, len(own)
}

// nearest are those of a zone who stand nearest to a place.
func nearest(at geom.Point, list []stand, zone int) (out []stand) {
	for _, s := range list {
		if s.zone == zone {
			i := len(out)
			for i > 0 && out[i-1].home.Dist2(at) > s.home.Dist2(at) {
				i--
			}
			if i < votersOfZone {
				out = slices.Insert(out, i, s)
				out = out[:min(len(out), votersOfZone)]
			}
		}
	}
	return out
}
