package group

import "github.com/voxelpopuli/voxelpopuli/internal/core/machine"

// Events is a replica's owner. Events come at the end of the handler in which they
// arise; methods of the replica may be called from them.
type Events interface {
	// OnLead: this replica leads, everything committed before is applied, and
	// the space may be read and written.
	OnLead()
	// OnFollow: it no longer leads. All proposals and reads have ended.
	OnFollow(why error)
	// OnChange: the leader, the members or their health have changed: Status.
	OnChange()
	// OnNewer: a member claims that the group continues in a newer generation. The
	// owner verifies that, and then calls YieldTo.
	OnNewer(from machine.Peer, gen Gen)
	// OnResult is the end of a Propose (result nil) or a Read (a []machine.KV).
	OnResult(tag uint64, result any, err error)
	// OnGone: the replica is no member any more (ErrRemoved, ErrSuperseded, ErrResigned), or cannot
	// continue (ErrInvalidMessage, ErrCorrupt). After ErrRemoved and
	// ErrSuperseded the space was moved (Copy).
	OnGone(why error)
}

// eventQueue holds the events of a handler until it ends.
type eventQueue struct {
	owner   Events
	pending []func()
}

func (q *eventQueue) add(event func()) { q.pending = append(q.pending, event) }

func (q *eventQueue) changed() { q.add(q.owner.OnChange) }

func (q *eventQueue) result(tag uint64, result any, err error) {
	q.add(func() { q.owner.OnResult(tag, result, err) })
}

func (q *eventQueue) lead() { q.add(q.owner.OnLead) }

func (q *eventQueue) follow(why error) { q.add(func() { q.owner.OnFollow(why) }) }

func (q *eventQueue) newer(from machine.Peer, gen Gen) {
	q.add(func() { q.owner.OnNewer(from, gen) })
}

func (q *eventQueue) gone(why error) { q.add(func() { q.owner.OnGone(why) }) }

// take returns the pending events and removes them from the queue.
func (q *eventQueue) take() []func() {
	events := q.pending
	q.pending = nil
	return events
}
