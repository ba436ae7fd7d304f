package attack

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// The goal of names: an eclipse. Members name only members as their neighbours, and the
// honest node that they talk to, so that a node which joins hears of nobody else, and
// honest neighbours do not agree on who stands where.

// Env gives a member what it runs in: the gang sees what the member sends.
func (g *Gang) Env(self *overlay.Contact, env machine.Env) machine.Env {
	g.envs[self.ID] = env
	return memberEnv{env, g, self}
}

type memberEnv struct {
	machine.Env
	gang *Gang
	self *overlay.Contact
}

// Send implements machine.Env.
func (e memberEnv) Send(to machine.Peer, m machine.Message) {
	if v, ok := m.(*overlay.NetworkView); ok && e.gang.ways.Names && e.gang.Has(e.self.ID) && !e.gang.Has(to.ID) {
		m = e.gang.onlyMembers(v, to)
	}
	e.Env.Send(to, m)
}

// onlyMembers is a view without honest nodes but the one that gets it.
func (g *Gang) onlyMembers(v *overlay.NetworkView, to machine.Peer) *overlay.NetworkView {
	bad := *v
	bad.Neighbours = nil
	for _, c := range v.Neighbours {
		if g.Has(c.ID) || c.ID == to.ID {
			bad.Neighbours = append(bad.Neighbours, c)
		}
	}
	g.Did["names"]++
	return &bad
}
