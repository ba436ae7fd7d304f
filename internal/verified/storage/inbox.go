package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
)

// inbox holds what the overlay has reported and the node has not handled yet.
type inbox struct {
	*part.Part
	events   []overlayEvent
	deferred []overlayEvent // until what neighbours push has come (5.4.1)
}

// overlayEvent is something the overlay has reported: a message, or that the
// neighbourhood has changed.
type overlayEvent struct {
	unicast *overlay.Unicast
	came    machine.Time // of a unicast: when it came to the node
	area    *overlay.Areacast
}

// eventQueue hears the overlay's events: they are handled when its handler is over.
type eventQueue Node

func (e *eventQueue) Joined() { e.inbox.events = append(e.inbox.events, overlayEvent{}) }

func (e *eventQueue) Neighbourhood() { e.inbox.events = append(e.inbox.events, overlayEvent{}) }

func (e *eventQueue) Received(m *overlay.Unicast, came machine.Time) {
	e.inbox.events = append(e.inbox.events, overlayEvent{unicast: m, came: came})
}

func (e *eventQueue) ReceivedArea(m *overlay.Areacast) {
	e.inbox.events = append(e.inbox.events, overlayEvent{area: m})
}

func (e *eventQueue) Report(v overlay.Evidence) {
	if e.cfg.Overlay.Events != nil {
		e.cfg.Overlay.Events.Report(v)
	}
}

// maxHeld bounds what waits for neighbours' data.
const maxHeld = 4096

// deferUntilReady lets a message wait while the node does not have what it needs to answer.
func (in *inbox) deferUntilReady(u overlayEvent) bool {
	if in.Ready {
		return false
	}
	if len(in.deferred) < maxHeld {
		in.deferred = append(in.deferred, u)
	}
	return true
}

// handleDeferred handles what had to wait.
func (in *inbox) handleDeferred() {
	held := in.deferred
	in.deferred = nil
	in.events = append(in.events, held...)
}
