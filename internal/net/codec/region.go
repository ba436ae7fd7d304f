package codec

import (
	"bytes"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Messages of internal/game/region: of sessions, neighbours and the lobby that are at
// other nodes.

// Bounds. Machines check what they are told; these only bound memory.
const (
	maxName    = 256      // bytes of a name
	maxText    = 4096     // bytes of a text
	maxCode    = 64       // bytes of a refusal or another code
	maxSteps   = 1 << 10  // of an Inputs
	maxCells   = 16 << 20 // bytes of a frame's cells
	maxChanges = 1 << 19  // of a Blocks: as many as a region has in a few layers
	maxState   = 1 << 16  // bytes of a player's or a mob's state
	maxSlots   = 256
	maxItem    = 256 // bytes of an item that lies in the world

)

var regionKinds = []*kind{
	message(16, func(f *form, m *region.To) { f.region(&m.Region); f.message(&m.Msg) }),
	message(17, func(f *form, m *region.Frame) {
		f.region(&m.Region)
		num(f, &m.Tick)
		own(f, &m.Own)
		f.bytes(&m.Cells, maxCells)
	}),
	message(18, func(f *form, m *region.Inputs) {
		f.id(&m.Player)
		num(f, &m.First)
		list(f, &m.Steps, maxSteps, 3, step)
		f.vec(&m.Pos)
		f.bool(&m.NoPos)
	}),
	message(20, func(f *form, m *region.Leave) { f.id(&m.Player) }),
	message(21, func(f *form, m *region.Watch) {
		f.exact(m.Rates[:])
		f.bools(&m.BlocksOnly, &m.Missed)
		num(f, &m.Heard)
	}),
	message(23, func(f *form, m *region.Entered) {
		f.region(&m.Region)
		f.id(&m.Player)
		num(f, &m.Epoch)
		f.vec(&m.Position)
		num(f, &m.Yaw)
		signed(f, &m.Pitch)
		num(f, &m.Tick)
	}),
	message(24, func(f *form, m *region.Refused) {
		f.region(&m.Region)
		f.id(&m.Player)
		text(f, &m.Code, maxCode)
		text(f, &m.Text, maxText)
	}),
	message(25, func(f *form, m *region.Left) { f.region(&m.Region); f.id(&m.Player); num(f, &m.Reason) }),
	message(26, func(f *form, m *region.Moved) {
		f.region(&m.Region)
		f.id(&m.Player)
		f.region(&m.To)
		num(f, &m.Epoch)
		num(f, &m.Reason)
	}),
	message(27, func(f *form, m *region.Columns) {
		f.region(&m.Region)
		num(f, &m.Tick)
		num(f, &m.Number)
		list(f, &m.Columns, world.Columns, 2, func(f *form, c *region.Column) { f.column(&c.Column); num(f, &c.Version) })
	}),
	message(29, func(f *form, m *region.Self) {
		f.region(&m.Region)
		f.id(&m.Player)
		num(f, &m.Mode)
		num(f, &m.Health)
		num(f, &m.Air)
		num(f, &m.Food)
		f.bools(&m.MayFly, &m.Operator, &m.Dead, &m.Visitor)
	}),
	message(30, func(f *form, m *region.Inventory) {
		f.region(&m.Region)
		f.id(&m.Player)
		list(f, &m.Slots, maxSlots, 3, func(f *form, s *region.Slot) { num(f, &s.Slot); num(f, &s.Block); num(f, &s.Count) })
		num(f, &m.Selected)
	}),
	message(179, func(f *form, m *region.Container) {
		f.region(&m.Region)
		f.id(&m.Player)
		f.pos(&m.At)
		num(f, &m.Size)
		list(f, &m.Slots, maxSlots, 3, func(f *form, s *region.Slot) { num(f, &s.Slot); num(f, &s.Block); num(f, &s.Count) })
		num(f, &m.Heat)
		num(f, &m.Work)
	}),
	message(216, func(f *form, m *region.Signs) {
		f.region(&m.Region)
		num(f, &m.Column)
		list(f, &m.Texts, world.MaxTexts, 2, func(f *form, s *region.SignText) { num(f, &s.Place); text(f, &s.Text, world.MaxSignText) })
	}),
	message(31, func(f *form, m *region.Heard) {
		f.region(&m.Region)
		f.id(&m.From)
		text(f, &m.Name, maxName)
		text(f, &m.Text, maxText)
		text(f, &m.Line, maxText)
		optional(f, &m.Signed, lineSignature)
	}),
	message(32, func(f *form, m *region.Notice) {
		f.region(&m.Region)
		text(f, &m.Code, maxCode)
		text(f, &m.Text, maxText)
	}),
	message(33, func(f *form, m *region.Blocks) {
		f.region(&m.Region)
		num(f, &m.Tick)
		num(f, &m.Number)
		list(f, &m.Changes, maxChanges, 4, func(f *form, c *region.BlockChange) { f.pos(&c.Pos); num(f, &c.Block) })
	}),
	message(35, func(f *form, m *region.HandoverOK) { f.id(&m.Player); num(f, &m.Epoch) }),
	message(36, func(f *form, m *region.HandoverRefused) {
		f.id(&m.Player)
		num(f, &m.Epoch)
		text(f, &m.Code, maxCode)
	}),
	message(38, func(f *form, m *region.RemoteEditDone) { optional(f, &m.Remote, remote) }),
	message(39, func(f *form, m *region.Forward) { f.id(&m.Player); f.peer(&m.Session); f.message(&m.Msg) }),
	message(40, func(f *form, m *region.MobOver) { f.bytes(&m.State, maxState); num(f, &m.Op); num(f, &m.Oldest) }),
	message(41, func(f *form, m *region.NearChat) {
		f.id(&m.Player)
		text(f, &m.Name, maxName)
		f.vec(&m.At)
		text(f, &m.Line, maxText)
		optional(f, &m.Signed, lineSignature)
	}),
	message(42, func(f *form, m *region.Order) {
		num(f, &m.Tag)
		f.id(&m.Player)
		f.bytes(&m.Signed, decision.MaxSize)
		text(f, &m.Near, maxText)
		optional(f, &m.Line, lineSignature)
		list(f, &m.Owed, world.MaxOwed, 2, owed)
	}),
	message(43, func(f *form, m *region.Locate) { f.id(&m.Player); num(f, &m.Tag) }),
	message(192, func(f *form, m *region.Undo) {
		num(f, &m.Tag)
		f.bytes(&m.Signed, decision.MaxSize)
		f.bytes(&m.Blocks, clipboard.MaxSize)
		list(f, &m.Take, world.MaxOwed, 2, owed)
		list(f, &m.Give, world.MaxOwed, 2, owed)
	}),
	message(193, func(f *form, m *region.Undone) {
		f.region(&m.Region)
		num(f, &m.Tag)
		f.bool(&m.OK)
		num(f, &m.Count)
		list(f, &m.Edits, region.MaxPastEdits, 28, pastEdit)
		list(f, &m.Owed, world.MaxOwed, 2, owed)
		list(f, &m.Looted, world.MaxOwed, 2, owed)
		list(f, &m.Put, world.MaxOwed, 2, owed)
		f.bytes(&m.Blocks, clipboard.MaxSize)
	}),
	message(44, func(f *form, m *region.SaveAll) { num(f, &m.Tag) }),
	message(46, func(f *form, m *region.Awake) { f.region(&m.Region) }),
	message(47, func(f *form, m *region.Asleep) { f.region(&m.Region) }),
	message(48, func(f *form, m *region.Arrived) { f.region(&m.Region); f.id(&m.Player); num(f, &m.Epoch) }),
	message(49, func(f *form, m *region.Departed) {
		f.region(&m.Region)
		f.id(&m.Player)
		num(f, &m.Epoch)
		num(f, &m.Reason)
	}),
	message(50, func(f *form, m *region.Located) {
		f.region(&m.Region)
		f.id(&m.Player)
		num(f, &m.Tag)
		f.bools(&m.Found, &m.Stored)
		num(f, &m.Epoch)
		f.vec(&m.Position)
	}),
	message(59, func(f *form, m *region.NotHere) {
		f.region(&m.Region)
		f.id(&m.Player)
		num(f, &m.Tag)
		f.region(&m.To)
	}),
	message(60, func(f *form, m *region.Claim) {
		f.region(&m.Region)
		f.region(&m.From)
		f.id(&m.Player)
		num(f, &m.Epoch)
	}),
	message(61, func(f *form, m *region.Claimed) {
		f.id(&m.Player)
		f.region(&m.From)
		num(f, &m.Epoch)
		f.bools(&m.OK, &m.Visitor)
	}),
	message(51, func(f *form, m *region.Saved) { f.region(&m.Region); num(f, &m.Tag); text(f, &m.Err, maxText) }),
	message(53, func(f *form, m *region.RemoteEdit) {
		optional(f, &m.Remote, remote)
		num(f, &m.Oldest)
		num(f, &m.Epoch)
		f.exact(m.Proof.Key[:])
		f.exact(m.Proof.Nonce[:])
		f.bytes(&m.Proof.Segment, inputlog.MaxSize)
	}),
	message(52, func(f *form, m *region.MobOverDone) { num(f, &m.Op); f.bool(&m.Back) }),
	message(54, func(f *form, m *region.Enter) {
		f.id(&m.Player)
		num(f, &m.Entity)
		text(f, &m.Name, maxName)
		num(f, &m.Mode)
		f.bools(&m.Operator, &m.New, &m.Visitor)
		num(f, &m.Entry)
		num(f, &m.Oldest)
		f.exact(m.Key[:])
		f.exact(m.Nonce[:])
		optional(f, &m.Pass, pass)
		text(f, &m.Signed, maxName)
	}),
	message(55, func(f *form, m *region.Act) {
		f.id(&m.Player)
		num(f, &m.Seq)
		num(f, &m.Oldest)
		num(f, &m.Kind)
		f.pos(&m.Pos)
		num(f, &m.Face)
		num(f, &m.A)
		num(f, &m.B)
		text(f, &m.Text, world.MaxSignText)
		num(f, &m.After)
		f.bytes(&m.Proof, inputlog.MaxSize)
	}),
	message(63, func(f *form, m *region.Segment) { f.id(&m.Player); f.bytes(&m.Signed, inputlog.MaxSize) }),
	message(56, func(f *form, m *region.ActResult) {
		f.region(&m.Region)
		f.id(&m.Player)
		num(f, &m.Seq)
		num(f, &m.Entry)
		f.bool(&m.OK)
		text(f, &m.Reason, maxCode)
		text(f, &m.Text, maxText)
		optional(f, &m.Did, remote)
	}),
	message(57, func(f *form, m *region.Handover) {
		f.id(&m.Player)
		num(f, &m.Epoch)
		f.bytes(&m.State, maxState)
		f.bytes(&m.Acts, maxState)
		f.bytes(&m.Orders, decision.MaxExecutedSize)
		f.bytes(&m.Log, inputlog.MaxLogSize)
		f.peer(&m.Session)
		f.bools(&m.Asks, &m.Again)
	}),
	message(58, func(f *form, m *region.NewHost) { f.region(&m.Region) }),
	message(28, func(f *form, m *region.Sleeping) { f.region(&m.Region); f.ids(&m.Players) }),
	message(62, func(f *form, m *region.Died) { f.region(&m.Region); f.id(&m.Player); num(f, &m.Cause) }),
}

// ids are players in a region.
func (f *form) ids(v *[]id.ID) { list(f, v, wire.MaxPlayers, id.Size, (*form).id) }

func (f *form) region(v *world.RegionPos) { signed(f, &v.X); signed(f, &v.Z) }
func (f *form) pos(v *world.Pos)          { signed(f, &v.X); signed(f, &v.Y); signed(f, &v.Z) }
func (f *form) vec(v *world.Vec)          { signed(f, &v.X); signed(f, &v.Y); signed(f, &v.Z) }

func step(f *form, s *region.Step) { num(f, &s.Buttons); num(f, &s.Yaw); signed(f, &s.Pitch) }

func own(f *form, o *region.Own) {
	f.bools(&o.HasAck, &o.Corrected)
	if o.HasAck {
		num(f, &o.Ack)
	}
	if o.Corrected {
		f.vec(&o.Position)
		f.vec(&o.Velocity)
		num(f, &o.Body)
	}
}

func remote(f *form, r *world.Remote) {
	num(f, &r.Kind)
	f.region(&r.From)
	f.id(&r.Player)
	num(f, &r.Seq)
	f.pos(&r.At)
	num(f, &r.Face)
	num(f, &r.Block)
	f.vec(&r.Body)
	num(f, &r.Mode)
	f.bool(&r.Operator)
	text(f, &r.Code, maxCode)
	num(f, &r.Got)
	num(f, &r.Op)
	optional(f, &r.Item, item)
}

func owed(f *form, o *world.Owed) {
	num(f, &o.Block)
	num(f, &o.Count)
}

func pastEdit(f *form, e *world.PastEdit) {
	num(f, &e.Tick)
	f.id(&e.By)
	f.bool(&e.Undo)
	f.pos(&e.At)
	num(f, &e.Was)
	num(f, &e.Now)
	signed(f, &e.Moved)
}

// item is an item in its canonical bytes.
func item(f *form, v *world.Item) {
	var state []byte
	if !f.reading {
		state = v.AppendBinary(nil)
	}
	f.bytes(&state, maxItem)
	if !f.reading || f.err != nil {
		return
	}
	it, err := world.DecodeItem(state)
	if err != nil || !bytes.Equal(it.AppendBinary(nil), state) {
		f.fail("an item that cannot be read: %v", err)
		return
	}
	*v = *it
}
