package regionlog

import (
	"encoding/binary"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// The kinds of event. An entry is the events of a tick, one after the other.
const (
	evTick         = iota + 1 // tick, time offset, commands
	evAct                     // commands
	evNewPlayer               // a player who comes: what it has signed before does not count
	evPlayer                  // a player who was changed
	evNoPlayer                // id
	evMob                     // a mob that comes
	evNoMob                   // entity
	evItem                    // an item that comes, or was changed
	evNoItem                  // entity
	evRingColumn              // a column beyond the border
	evRingBlock               // a block beyond the border
	evRingClear               // nothing is known beyond the border
	evSigned                  // place of a player who has signed before, or 0, key, nonce; number of the act, segment
	evLands                   // the lands that players own here, as signed
	evAmend                   // a signed order, and the blocks that it changes
	evSpawn                   // the spawn, as operators have signed
	evSignedRemote            // key, nonce, number of an act of a neighbour's player, segment
	evMerge                   // blocks that another copy of the region has
	evNoAsk                   // an edit beyond the border that has ended without its player
	evRestock                 // a signed rollback, and what it takes out of containers, puts back, and gathers
	evFire                    // whether fire spreads, as operators have signed
)

const (
	maxU32   = 1<<32 - 1
	maxU62   = 1<<62 - 1
	maxCoord = 1<<31 - 1
	maxBlob  = 4 << 10 // bytes of a player, a mob, an item, a segment
)

// writer appends fields.
type writer struct{ b []byte }

func (w *writer) raw(b []byte)  { w.b = append(w.b, b...) }
func (w *writer) put(b []byte)  { w.uint(uint64(len(b))); w.raw(b) }
func (w *writer) uint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }
func (w *writer) int(v int64)   { w.b = binary.AppendVarint(w.b, v) }
func (w *writer) vec(v world.Vec) {
	w.int(int64(v.X))
	w.int(int64(v.Y))
	w.int(int64(v.Z))
}
func (w *writer) pos(p world.Pos) {
	w.int(int64(p.X))
	w.int(int64(p.Y))
	w.int(int64(p.Z))
}

func (w *writer) act(a world.Act) {
	w.uint(uint64(a.Kind))
	w.pos(a.At)
	w.uint(uint64(a.Face))
	w.uint(uint64(a.A))
	w.uint(uint64(a.B))
	if a.Kind == world.ActWrite {
		w.put([]byte(a.Text))
	}
}

func (w *writer) column(c *world.Column) {
	w.int(int64(c.Pos.X))
	w.int(int64(c.Pos.Z))
	mask, payload := c.AppendPayload(nil)
	w.b = append(w.b, mask)
	w.put(payload)
}

// What the first byte of a command says besides its kind.
const (
	cmdHere = 1 << (iota + 3) // of a player who is in the area: how many places after that of the command before
	cmdNext                   // of the player after that
	// Of an input:
	inputNext    // it follows the last one that was run
	inputButtons // the same buttons
	inputLook    // the same angles

	cmdKind = cmdHere - 1
)

// commands appends the commands of a step. Players who are in the area are places in the
// sorted list of them. Inputs are what differs from the last one that was run: most
// players go on as they did. What only decides what a client is told is left out.
func (w *writer) commands(a *world.Area, cmds []world.Command) {
	players := a.Players()
	w.uint(uint64(len(cmds)))
	before := -1 // the place of the player of the command before
	for i := range cmds {
		c := &cmds[i]
		at, here := slices.BinarySearchFunc(players, c.Player, func(p *world.Player, want id.ID) int { return slices.Compare(p.ID[:], want[:]) })
		head, p := byte(c.Kind), &world.Player{}
		if here {
			p = players[at]
			head |= cmdHere
		}
		if here && at == before+1 {
			head |= cmdNext
		}
		if c.Kind == world.CmdInput {
			head |= sameInput(p, c)
		}
		w.b = append(w.b, head)
		switch {
		case !here:
			w.raw(c.Player[:])
		case head&cmdNext == 0:
			w.int(int64(at - before))
		}
		if here {
			before = at
		}
		switch c.Kind {
		case world.CmdInput:
			w.input(head, p, c)
		case world.CmdAct:
			w.uint(uint64(c.Seq))
			w.uint(uint64(c.After))
			w.uint(uint64(c.Late))
			w.act(c.Act)
		case world.CmdOrder:
			w.uint(uint64(c.Seq))
			w.uint(uint64(c.Order.Kind))
			w.vec(c.Order.At)
			w.uint(uint64(c.Order.Block))
			w.int(int64(c.Order.Count))
			w.uint(uint64(c.Order.Mode))
			if c.Order.IsHome() {
				w.put([]byte(c.Order.Text))
			}
			w.put(c.Order.Signed)
		default:
			w.uint(uint64(c.Seq))
			w.b = c.Remote.Append(w.b)
		}
	}
}

// sameInput says what of an input is as the last one of its player.
func sameInput(p *world.Player, c *world.Command) (head byte) {
	if c.Seq == p.LastSeq+1 {
		head |= inputNext
	}
	if c.Input.Buttons == p.Buttons {
		head |= inputButtons
	}
	if c.Input.Yaw == p.Body.Yaw && c.Input.Pitch == p.Body.Pitch {
		head |= inputLook
	}
	return head
}

func (w *writer) input(head byte, p *world.Player, c *world.Command) {
	if head&inputNext == 0 {
		w.uint(uint64(c.Seq - p.LastSeq)) // wraps around with an old one
	}
	if head&inputButtons == 0 {
		w.uint(uint64(c.Input.Buttons))
	}
	if head&inputLook == 0 {
		w.int(int64(int16(c.Input.Yaw - p.Body.Yaw)))
		w.int(int64(c.Input.Pitch - p.Body.Pitch)) // wraps around, too
	}
}

func (r *reader) input(head byte, p *world.Player, c *world.Command) {
	c.Seq, c.Input = p.LastSeq+1, world.Input{Buttons: p.Buttons, Yaw: p.Body.Yaw, Pitch: p.Body.Pitch}
	if head&inputNext == 0 {
		c.Seq = p.LastSeq + uint32(r.Uint(maxU32))
	}
	if head&inputButtons == 0 {
		c.Input.Buttons = uint16(r.Uint(1<<16 - 1))
	}
	if head&inputLook == 0 {
		c.Input.Yaw += uint16(int16(r.Int(1 << 15)))
		c.Input.Pitch += int16(r.Int(1 << 15))
	}
}

// reader reads what writer wrote.
type reader struct{ bin.Reader }

func newReader(b []byte) *reader { return &reader{bin.NewReader(b)} }

func (r *reader) id() id.ID { return id.ID(r.Take(id.Size)) }

func (r *reader) vec() world.Vec {
	n := func() fixed.Num { return fixed.Num(r.Int(maxU62)) }
	return world.Vec{X: n(), Y: n(), Z: n()}
}

func (r *reader) pos() world.Pos {
	n := func() int32 { return int32(r.Int(maxCoord)) }
	return world.Pos{X: n(), Y: n(), Z: n()}
}

func (r *reader) act() world.Act {
	a := world.Act{
		Kind: world.ActKind(r.Uint(255)), At: r.pos(), Face: world.Face(r.Uint(255)), A: int64(r.Uint(1 << 62)), B: int64(r.Uint(maxU32)),
	}
	if a.Kind == world.ActWrite {
		a.Text = string(r.Bytes(world.MaxSignText))
	}
	return a
}

func (r *reader) column() *world.Column {
	pos := world.ColumnPos{X: int32(r.Int(maxCoord)), Z: int32(r.Int(maxCoord))}
	mask := r.Byte()
	c, err := world.DecodeColumn(pos, mask, r.Bytes(uint64(world.MaxColumnPayload)))
	if err != nil {
		r.Fail()
		return nil
	}
	return c
}

// commands reads the commands of a step.
func (r *reader) commands(a *world.Area) []world.Command {
	players := a.Players()
	count := r.Count(1)
	out := make([]world.Command, 0, min(count, 1<<10))
	at := -1
	for range count {
		if r.Bad() {
			return nil
		}
		head := r.Byte()
		c, p := world.Command{Kind: world.CommandKind(head & cmdKind)}, &world.Player{}
		switch {
		case head&cmdHere == 0:
			c.Player = r.id()
		case head&cmdNext != 0:
			at++
		default:
			at += int(r.Int(maxCoord))
		}
		if head&cmdHere != 0 {
			if at < 0 || at >= len(players) {
				r.Fail()
				return nil
			}
			p = players[at]
			c.Player = p.ID
		}
		switch c.Kind {
		case world.CmdInput:
			r.input(head, p, &c)
		case world.CmdAct:
			c.Seq, c.After, c.Late, c.Act = uint32(r.Uint(maxU32)), uint32(r.Uint(maxU32)), uint32(r.Uint(maxU32)), r.act()
		case world.CmdOrder:
			c.Seq = uint32(r.Uint(maxU32))
			c.Order = &world.Order{
				Kind: world.OrderKind(r.Uint(255)), At: r.vec(), Block: r.block(),
				Count: int(r.Int(maxU32)), Mode: world.Mode(r.Uint(255)),
			}
			if c.Order.IsHome() {
				c.Order.Text = string(r.Bytes(world.MaxHomeName))
			}
			if b := r.Bytes(decision.MaxSize); len(b) > 0 {
				c.Order.Signed = b
			}
		case world.CmdRemote, world.CmdSettle:
			c.Seq, c.Remote = uint32(r.Uint(maxU32)), r.remote()
		default:
			r.Fail()
		}
		out = append(out, c)
	}
	return out
}

// remote reads an edit that crosses a border.
func (r *reader) remote() *world.Remote {
	m, rest, ok := world.TakeRemote(r.Take(uint64(r.Len())))
	if !ok {
		r.Fail()
		return nil
	}
	r.Reader = bin.NewReader(rest)
	return m
}

// appendPlayer appends a player with what a save leaves out.
func appendPlayer(b []byte, p *world.Player) []byte {
	frozen := byte(0)
	if p.Frozen {
		frozen = 1
	}
	return p.AppendBinary(binary.AppendUvarint(append(b, frozen), uint64(p.Buttons)))
}

// readPlayer reads a player as appendPlayer wrote it.
func readPlayer(b []byte) (*world.Player, error) {
	r := newReader(b)
	frozen, buttons := r.Byte(), r.Uint(1<<16-1)
	p, err := world.DecodePlayer(r.Take(uint64(r.Len())))
	if err != nil || frozen > 1 || r.Bad() {
		return nil, ErrFormat
	}
	p.Frozen, p.Buttons = frozen == 1, uint16(buttons)
	return p, nil
}

// putPlayer puts a player into an area as it was read.
func putPlayer(a *world.Area, p *world.Player) {
	last, frozen, buttons := p.LastInput, p.Frozen, p.Buttons
	a.AddPlayer(p)
	p.LastInput, p.Frozen, p.Buttons = last, frozen, buttons
}
