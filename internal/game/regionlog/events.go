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
	evSigned                  // key, nonce, number of the act, segment
	evLands                   // the lands that players own here, as signed
	evAmend                   // a signed order, and the blocks that it changes
	evSpawn                   // the spawn, as operators have signed
	evSignedRemote            // key, nonce, number of an act of a neighbour's player, segment
	evNoAsk                   // an edit beyond the border that has ended without its player
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

// commands appends the commands of a step. Players are the places in the sorted list of
// those who are in the area, from 1; 0 stands before the id of another. What only
// decides what a client is told is left out.
func (w *writer) commands(a *world.Area, cmds []world.Command) {
	players := a.Players()
	w.uint(uint64(len(cmds)))
	for i := range cmds {
		c := &cmds[i]
		w.b = append(w.b, byte(c.Kind))
		at, here := slices.BinarySearchFunc(players, c.Player, func(p *world.Player, want id.ID) int { return slices.Compare(p.ID[:], want[:]) })
		var last uint32
		if here {
			w.uint(uint64(at) + 1)
			last = players[at].LastSeq
		} else {
			w.uint(0)
			w.raw(c.Player[:])
		}
		switch c.Kind {
		case world.CmdInput:
			w.uint(uint64(c.Seq - last)) // wraps around with an old one
			w.uint(uint64(c.Input.Buttons))
			w.uint(uint64(c.Input.Yaw))
			w.uint(uint64(uint16(c.Input.Pitch)))
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
	count := r.Count(3)
	out := make([]world.Command, 0, min(count, 1<<10))
	for range count {
		if r.Bad() {
			return nil
		}
		c := world.Command{Kind: world.CommandKind(r.Byte())}
		var last uint32
		if n := r.Uint(uint64(len(players))); n > 0 {
			c.Player, last = players[n-1].ID, players[n-1].LastSeq
		} else {
			c.Player = r.id()
		}
		switch c.Kind {
		case world.CmdInput:
			c.Seq = last + uint32(r.Uint(maxU32))
			c.Input = world.Input{Buttons: uint16(r.Uint(1<<16 - 1)), Yaw: uint16(r.Uint(1<<16 - 1)), Pitch: int16(uint16(r.Uint(1<<16 - 1)))}
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
