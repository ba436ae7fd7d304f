package dormant

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Waking at who keeps a character (thesis 5.4.1): it takes part in the next step.

// OnActivate wakes a character for one update. If the place was somebody else's a
// moment ago it waits: until the node has measured what is its own now, and until
// it has been told who lies there. Who keeps the place in another zone may have heard of
// it, too: only about a character that sleeps here.
func (ds *Store) OnActivate(by *overlay.Contact, m *messages.Activate) {
	if m.Player == nil || ds.Env.Now() > ds.Time.State(m.Of) {
		return
	}
	himself := m.Player.ID == by.ID
	if !himself && !ds.isKeeper(by, m.Place) {
		return
	}
	if !ds.Area.Responsible(m.Place) {
		if himself && ds.Area.NeighbourhoodChanged {
			ds.deferActivation(by, m)
		}
		return
	}
	var found *state.Object
	for _, o := range ds.static {
		if o.Player != nil && o.Player.ID == m.Player.ID && o.Pos == m.Place && (found == nil || o.ID < found.ID) {
			found = o
		}
	}
	if found == nil && himself && ds.Fetching(m.Place) {
		ds.deferActivation(by, m)
		return
	}
	if found == nil && !himself {
		return
	}
	o := ds.Cfg.Rules.Activate(m.Player, m.Place, found)
	if o == nil || slices.ContainsFunc(ds.activated, func(w activation) bool { return w.of == m.Of && w.object.ID == o.ID }) {
		return
	}
	ds.activated = append(ds.activated, activation{m.Of, o})
	if himself {
		ds.tellKeepers(m)
	}
	if ds.Replica.State != nil && ds.Replica.State.Of == m.Of {
		ds.AddActivated()
	}
}

// isKeeper reports whether somebody may keep a place in another zone.
func (ds *Store) isKeeper(by *overlay.Contact, place geom.Point) bool {
	return ds.Hardened && ds.Space.Zone(by.Pos) != ds.Zone && ds.Known.MayBeResponsible(by, place)
}

// keepersTold is how many nodes of a zone are told: the nearest may have just left.
const keepersTold = 2

// tellKeepers tells those who keep a place in the other zones that somebody was woken there.
// They have answered about it, so that nobody stands on the way to them, as somebody may on
// all ways that the player's own node knows.
func (ds *Store) tellKeepers(m *messages.Activate) {
	if !ds.Hardened {
		return
	}
	for zone := range ds.Space.Zones() {
		if zone == ds.Zone {
			continue
		}
		key := ds.Places.KeyBeyond(m.Place, zone)
		list := ds.Responders(zone)
		slices.SortFunc(list, func(a, b *overlay.Contact) int {
			if geom.Closer(key, a.Pos, b.Pos) {
				return -1
			}
			return 1
		})
		for _, c := range list[:min(len(list), keepersTold)] {
			ds.Overlay.Reply(c, m)
		}
	}
}

// AddActivated puts those who were woken for the state's time into it.
func (ds *Store) AddActivated() {
	var woken []*state.Object
	for _, w := range ds.activated {
		if w.of == ds.Replica.State.Of {
			woken = append(woken, w.object)
		}
	}
	slices.SortFunc(woken, state.ByID)
	ds.Replica.Wake(woken)
}

// DropActivated ends the wakening of those who took part in a step: from now on they
// are what the step has made of them. In the hardened protocol who took no part, for
// the other zones knew nothing of it, sleeps on.
func (ds *Store) DropActivated(from *state.Snapshot) {
	of := from.Of
	ds.activated = slices.DeleteFunc(ds.activated, func(w activation) bool {
		if w.of == of && (!ds.Hardened || state.Among(from.Activated, w.object)) {
			delete(ds.static, w.object.ID)
		}
		return w.of <= of
	})
}

// deferActivation keeps what a player's node has asked for last.
func (ds *Store) deferActivation(by *overlay.Contact, m *messages.Activate) {
	ds.lateActivations = slices.DeleteFunc(ds.lateActivations, func(l lateActivation) bool { return l.by.ID == by.ID })
	ds.lateActivations = append(ds.lateActivations, lateActivation{by, m})
}

// ActivateLate wakes those who were waited for.
func (ds *Store) ActivateLate() {
	waiting := ds.lateActivations
	ds.lateActivations = nil
	for _, l := range waiting {
		ds.OnActivate(l.by, l.wake)
	}
}

// activation is a character that takes part in the step after t_of.
type activation struct {
	of     int64
	object *state.Object
}

// lateActivation is a character that is woken as soon as it is known.
type lateActivation struct {
	by   *overlay.Contact
	wake *messages.Activate
}
