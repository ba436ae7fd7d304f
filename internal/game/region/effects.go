package region

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// effects passes on what a step of the world has changed: to those who watch, to
// the disk, to the players who asked for it, and to the neighbours.
type effects struct {
	component
	area     *regionlog.Area
	columns  *columns
	entities *entities
	border   *border
	store    *store
	history  *history
	sessions *playerSessions
	dedup    *deduplication
	pending  *pendingEdits
	edits    *requestedEdits
	items    *droppedItems
	stores   *containers
	mobs     *crossings
	outgoing *outgoingHandovers
}

// apply does all that follows from a step: what can be seen of it, the log,
// answers, handovers.
func (e *effects) apply(tick uint64, c *world.Changes) {
	e.entities.show(tick, c)
	e.showBlocks(tick, c.Blocks)
	e.store.record(c.Blocks)
	e.history.record(tick, c.Edits, c.Moves)
	e.items.apply(c)
	e.stores.apply(tick, c)
	e.sessions.apply(c)
	e.answerActs(c.Results)
	e.crossBorder(c)
	for _, p := range c.Leavers {
		if h := e.sessions.at(p.ID); h != nil {
			e.outgoing.handOver(h, p.Home())
		}
	}
	for _, m := range c.MobLeavers {
		e.mobs.send(m, tick)
	}
}

// showBlocks tells all who watch of block changes.
func (e *effects) showBlocks(tick uint64, changes []world.BlockChange) {
	for _, b := range changes {
		i := b.At.Column().Index()
		e.columns.change(i)
		e.entities.cells[i].block(b.At, b.Now)
	}
	e.stats.BlocksChanged += uint64(len(changes))
	e.border.sendBlocks(tick, changes)
}

// answerActs answers acts: refusals at once, the rest when it is on the disk.
func (e *effects) answerActs(results []world.Result) {
	for _, res := range results {
		h := e.sessions.at(res.Player)
		switch {
		case res.Kind == world.CmdSettle:
			e.pending.finishApplied(res)
		case h == nil || res.Kind != world.CmdAct:
		case res.Code != world.Done:
			e.dedup.refuse(h, res.Seq, res.Code)
		default:
			// While nothing can be written only what need not last gets here: see lasting.
			e.dedup.complete(res.Player, e.dedup.of(res.Player).session, completedAct{seq: res.Seq, edit: res.Did}, e.store.readOnly)
		}
	}
}

// crossBorder sends what a step asks of neighbours and answers to them, each once
// it is durable: an item is not in two places after a crash.
func (e *effects) crossBorder(c *world.Changes) {
	for i := range c.Remotes {
		m := c.Remotes[i]
		if h := e.sessions.at(m.Player); h != nil {
			e.pending.request(&pendingEdit{
				Remote: &m, epoch: uint32(h.p.Epoch), session: e.dedup.of(m.Player).session, proof: e.dedup.proof(h, m.Seq),
			})
		}
	}
	for i := range c.Answers {
		done := c.Answers[i]
		e.edits.end(&done)
	}
}

// undo takes back what the acts of batches did that could not be written, the last
// first.
func (e *effects) undo(tick uint64, failed []*batch) {
	var undone []world.BlockChange
	for _, b := range slices.Backward(failed) {
		e.area.Revert(b.changes)
		for _, c := range slices.Backward(b.changes) {
			now, _ := e.area.Block(c.At)
			undone = append(undone, world.BlockChange{At: c.At, Was: c.Now, Now: now})
		}
		for _, it := range slices.Backward(b.items) {
			e.sessions.restoreItems(it)
		}
		for _, was := range slices.Backward(b.dropped) {
			e.items.restore(was)
		}
		for _, was := range slices.Backward(b.stored) {
			e.stores.restore(tick, was)
		}
	}
	for _, c := range undone {
		e.store.changed |= 1 << c.At.Column().Index()
	}
	e.showBlocks(tick, undone)
}

// stop refuses what was asked for and would change what must last.
func (e *effects) stop(queue *commandQueue) {
	for _, p := range e.area.Players() {
		if h := e.sessions.at(p.ID); h != nil {
			e.dedup.stop(h)
		}
	}
	queue.take(nil, func(c *world.Command) verdict {
		if c.Kind != world.CmdRemote {
			return keepIt
		}
		done := *c.Remote
		done.Code = storageCode
		e.edits.end(&done)
		return dropIt
	})
}
