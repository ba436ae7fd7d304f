package regionlog

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Area is a region's area whose changes can be recorded: its methods do what those of
// world.Area do and write it down while somebody wants to follow.
type Area struct {
	*world.Area
	ring     *Ring
	rules    world.AreaConfig
	signed   bool  // players sign their acts
	world    id.ID // for which they do, if the area is replayed
	offset   int64
	signers  map[id.ID]*signer // of players who are here
	came     map[id.ID]uint64  // players who are here: at the how manieth arrival
	arrivals uint64
	border   border
	merged   int // blocks
	// verified are statements about land.
	verified *decision.Verified
	ordered  []*decision.Order // and run, if the area is replayed
	// spawnBefore is where players began before the spawn moved: orders of then may wait.
	spawnBefore world.Pos
	hashes      [world.Columns][32]byte
	hashed      [world.Columns]*world.Column // what Share gave when the hash was made
	rec         recorder
}

// NewArea returns a region without columns; signed says that nobody acts for players who
// have not signed the act.
func NewArea(rules world.AreaConfig, pos world.RegionPos, signed bool) *Area {
	ring := NewRing(pos)
	return &Area{Area: world.NewArea(rules, pos, ring), ring: ring, rules: rules, signed: signed, signers: map[id.ID]*signer{}, came: map[id.ID]uint64{}, verified: decision.NewVerified(), spawnBefore: rules.Spawn}
}

// Ring are the columns around the region: to look at.
func (a *Area) Ring() *Ring { return a.ring }

// SetColumn is that of world.Area.
func (a *Area) SetColumn(c *world.Column) {
	a.rec.stop()
	a.Area.SetColumn(c)
}

// LoadRest is that of world.Area.
func (a *Area) LoadRest(b []byte) error {
	a.rec.stop()
	return a.Area.LoadRest(b)
}

// Revert is that of world.Area. What is reverted was never acknowledged; who follows
// begins anew.
func (a *Area) Revert(changes []world.BlockChange) {
	a.rec.stop()
	a.Area.Revert(changes)
}

// Merge is that of world.Area: changes of another copy of the region. That there is one is
// the leader's word, which followers show to people.
func (a *Area) Merge(changes []world.BlockChange) (made []world.BlockChange, inPlace int) {
	a.rec.event(evMerge)
	a.rec.changes(changes)
	made, inPlace = a.Area.Merge(changes)
	a.merged += len(made)
	return made, inPlace
}

// SetContainer is that of world.Area: when the region is read, or what could not be
// written is taken back. Who follows begins anew.
func (a *Area) SetContainer(at world.Pos, c *world.Container) {
	a.rec.stop()
	a.Area.SetContainer(at, c)
}

// SetTimeOffset is that of world.Area; the next tick records it.
func (a *Area) SetTimeOffset(ticks int64) {
	a.offset = ticks
	a.Area.SetTimeOffset(ticks)
}

// AddPlayer is that of world.Area.
func (a *Area) AddPlayer(p *world.Player) {
	a.Area.AddPlayer(p)
	a.arrived(p.ID)
	a.rec.event(evNewPlayer)
	a.rec.put(appendPlayer(nil, p))
}

// Changed is to be called when something was changed of a player who is here that the
// rules do not change (applyChanged).
func (a *Area) Changed(p *world.Player) {
	a.rec.event(evPlayer)
	a.rec.put(appendPlayer(nil, p))
}

// TakeBack gives a player what it carried before acts that could not be written. Who
// follows begins anew.
func (a *Area) TakeBack(p *world.Player, items world.Inventory) {
	a.rec.stop()
	p.Items = items
}

// RemovePlayer is that of world.Area.
func (a *Area) RemovePlayer(player id.ID) *world.Player {
	a.rec.event(evNoPlayer)
	a.rec.raw(player[:])
	delete(a.signers, player)
	delete(a.came, player)
	return a.Area.RemovePlayer(player)
}

// Freeze is that of world.Area.
func (a *Area) Freeze(player id.ID, frozen bool) {
	a.Area.Freeze(player, frozen)
	if p := a.Player(player); p != nil {
		a.Changed(p)
	}
}

// AddMob is that of world.Area.
func (a *Area) AddMob(m *world.Mob) {
	a.Area.AddMob(m)
	a.rec.event(evMob)
	a.rec.put(m.AppendBinary(nil))
}

// RemoveMob is that of world.Area.
func (a *Area) RemoveMob(entity uint64) *world.Mob {
	a.rec.event(evNoMob)
	a.rec.uint(entity)
	return a.Area.RemoveMob(entity)
}

// AddItem is that of world.Area.
func (a *Area) AddItem(it *world.Item) {
	a.Area.AddItem(it)
	a.ItemChanged(it)
}

// ItemChanged is to be called when something was changed of an item that is here.
func (a *Area) ItemChanged(it *world.Item) {
	a.rec.event(evItem)
	a.rec.put(it.AppendBinary(nil))
}

// RemoveItem is that of world.Area.
func (a *Area) RemoveItem(entity uint64) *world.Item {
	a.rec.event(evNoItem)
	a.rec.uint(entity)
	return a.Area.RemoveItem(entity)
}

// PutOutside takes a column beyond the border, which is frozen.
func (a *Area) PutOutside(c *world.Column) {
	if a.ring.put(c) && a.rec.on {
		a.rec.event(evRingColumn)
		a.rec.column(c)
	}
}

// SetOutside is when a block beyond the border has changed.
func (a *Area) SetOutside(p world.Pos, b world.Block) {
	a.ring.change(p, b)
	a.NoteOutside(p)
	a.rec.event(evRingBlock)
	a.rec.pos(p)
	a.rec.uint(uint64(b))
}

// ClearOutside forgets what is beyond the border.
func (a *Area) ClearOutside() {
	a.ring.clear()
	a.rec.event(evRingClear)
}

// Signed notes that an act waits to be run which its player has signed: proof is the
// encoded segment. The caller has verified it.
func (a *Area) Signed(of *inputlog.Session, proof []byte, seq uint32, act world.Act) {
	player := id.Of(of.Key[:])
	if !a.signed || a.Player(player) == nil {
		return
	}
	if a.rec.on {
		a.rec.event(evSigned)
		if at := a.signerAt(player, of); at >= 0 {
			a.rec.uint(uint64(at) + 1)
		} else {
			a.rec.uint(0)
			a.rec.raw(of.Key[:])
			a.rec.raw(of.Nonce[:])
		}
		a.rec.uint(uint64(seq))
		a.rec.put(proof)
	}
	a.sign(player, of, signedAct(seq, act))
}

// Tick is that of world.Area.
func (a *Area) Tick(tick uint64, cmds []world.Command) *world.Changes {
	if a.rec.on {
		a.rec.event(evTick)
		a.rec.uint(tick)
		a.rec.int(a.offset)
		a.rec.commands(a.Area, cmds)
	}
	a.ran(cmds)
	return a.asked(a.Area.Tick(tick, cmds))
}

// Act is that of world.Area.
func (a *Area) Act(cmds []world.Command) *world.Changes {
	if a.rec.on {
		a.rec.event(evAct)
		a.rec.commands(a.Area, cmds)
	}
	a.ran(cmds)
	return a.asked(a.Area.Act(cmds))
}

// ran notes which signed acts, and which answers of neighbours, wait no more.
func (a *Area) ran(cmds []world.Command) {
	for i := range cmds {
		switch c := &cmds[i]; c.Kind {
		case world.CmdAct:
			a.done(c.Player, c.Seq)
		case world.CmdRemote:
			a.border.run(c.Remote)
		case world.CmdSettle:
			a.border.settle(c.Remote)
		}
	}
}

// EndTick ends the entry of a tick, and begins to record if somebody wants to follow.
func (a *Area) EndTick(now machine.Time) {
	if a.Ready() {
		a.rec.end(a, now)
	}
}
