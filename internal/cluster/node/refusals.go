package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// refusals finds out whether silent nodes have ended. A node that is frozen, or cut off,
// says as little as one whose process was killed; but the machine of the latter, if it
// runs, answers that nothing listens at the port (decision 166).
//
// It asks only nodes that were heard before, where they were heard: others name nodes, but
// no addresses that packets are sent to.
type refusals struct {
	part.Part
	links *peers.Links
	seen  *peers.Sightings
	jobs  *part.Runner

	asking int
}

const (
	maxRefusals     = 4  // questions at a time
	maxRefusalNodes = 16 // of a question
)

// ask asks the machines of nodes; then hears which of them have ended, if any have.
func (r *refusals) ask(nodes []machine.Peer, then func(ended []machine.Peer)) {
	if r.Cfg.Refusals == nil || r.asking >= maxRefusals {
		return
	}
	var at []machine.Peer
	for _, p := range nodes[:min(len(nodes), maxRefusalNodes)] {
		if last, known := r.seen.Peer(p.ID); known && !r.links.Linked(p) {
			at = append(at, last)
		}
	}
	if len(at) == 0 {
		return
	}
	since := r.Env.Now()
	r.asking++
	r.jobs.Do(r.Cfg.Refusals(at), func(result any, _ error) {
		r.asking--
		refused, _ := result.([]bool)
		var ended []machine.Peer
		for i, p := range at {
			if i < len(refused) && refused[i] && !r.links.Linked(p) && r.seen.Last(p.ID) < since {
				ended = append(ended, p)
			}
		}
		if len(ended) > 0 {
			then(ended)
		}
	})
}
