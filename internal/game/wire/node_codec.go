package wire

import (
	"github.com/tinylib/msgp/msgp"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

func (m *Challenge) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 4)
	b = msgp.AppendUint32(b, m.Version)
	b = msgp.AppendBytes(b, m.Nonce[:])
	b = msgp.AppendBytes(b, m.World[:])
	return msgp.AppendString(b, m.WorldName)
}

func (m *Challenge) read(r *reader) {
	r.fields(4)
	m.Version = uint32(r.uint(1<<32 - 1))
	r.exact(m.Nonce[:])
	r.exact(m.World[:])
	m.WorldName = r.str(maxLabel)
}

func (m *Refused) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 3)
	b = msgp.AppendString(b, string(m.Code))
	b = msgp.AppendString(b, m.Text)
	return msgp.AppendUint32(b, m.Retry)
}

func (m *Refused) read(r *reader) {
	r.fields(3)
	m.Code = r.code()
	m.Text = r.str(maxLine)
	m.Retry = uint32(r.uint(1<<32 - 1))
}

func (m *Welcome) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 11)
	b = msgp.AppendBytes(b, m.Player[:])
	b = msgp.AppendString(b, m.Name)
	b = msgp.AppendUint64(b, m.Entity)
	b = msgp.AppendArrayHeader(b, 4)
	b = msgp.AppendString(b, m.World.Name)
	b = msgp.AppendString(b, m.World.Seed)
	b = msgp.AppendUint8(b, m.World.Mode)
	b = msgp.AppendUint32(b, m.World.Day)
	b = appendPoint(b, m.Spawn)
	b = msgp.AppendUint64(b, m.Tick)
	b = msgp.AppendInt64(b, m.TimeOffset)
	b = msgp.AppendBool(b, m.Operator)
	b = appendPoint(b, m.Pos)
	b = msgp.AppendUint16(b, m.Yaw)
	return msgp.AppendInt16(b, m.Pitch)
}

func (m *Welcome) read(r *reader) {
	r.fields(11)
	r.exact(m.Player[:])
	m.Name = r.str(maxNameBytes)
	m.Entity = r.uint(maxSafe)
	r.tuple(4)
	m.World.Name = r.str(maxLabel)
	m.World.Seed = r.str(maxLabel)
	m.World.Mode = uint8(r.uint(2))
	m.World.Day = uint32(r.uint(1<<32 - 1))
	m.Spawn = r.point()
	m.Tick = r.uint(maxSafe)
	m.TimeOffset = r.int(maxSafe)
	m.Operator = r.bool()
	m.Pos = r.point()
	m.Yaw = uint16(r.uint(1<<16 - 1))
	m.Pitch = int16(r.int(1<<15 - 1))
}

func appendPoint(b []byte, v world.Vec) []byte {
	b = msgp.AppendArrayHeader(b, 3)
	b = msgp.AppendInt64(b, int64(v.X))
	b = msgp.AppendInt64(b, int64(v.Y))
	return msgp.AppendInt64(b, int64(v.Z))
}

func (r *reader) point() world.Vec {
	r.tuple(3)
	x, y, z := r.int(maxVec), r.int(maxVec), r.int(maxVec)
	return world.Vec{X: fixed.Num(x), Y: fixed.Num(y), Z: fixed.Num(z)}
}

func (m *Unload) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 2)
	b = msgp.AppendInt32(b, m.Column.X)
	return msgp.AppendInt32(b, m.Column.Z)
}

func (m *Unload) read(r *reader) {
	r.fields(2)
	x, z := r.int(maxCoord), r.int(maxCoord)
	m.Column = world.ColumnPos{X: int32(x), Z: int32(z)}
}

func (m *Frame) append(b []byte) []byte { return append(b, m.Body...) }

// read takes the body as it is; wire/frame knows what is in it.
func (m *Frame) read(r *reader) { m.Body, r.b = r.b, nil }

func (m *Pong) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 2)
	b = msgp.AppendUint32(b, m.Time)
	return msgp.AppendUint64(b, m.Tick)
}

func (m *Pong) read(r *reader) {
	r.fields(2)
	m.Time = uint32(r.uint(1<<32 - 1))
	m.Tick = r.uint(maxSafe)
}

func (m *ActResult) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 4)
	b = msgp.AppendUint32(b, m.Seq)
	b = msgp.AppendBool(b, m.OK)
	b = msgp.AppendString(b, string(m.Code))
	return msgp.AppendString(b, m.Text)
}

func (m *ActResult) read(r *reader) {
	r.fields(4)
	m.Seq = uint32(r.uint(1<<32 - 1))
	m.OK = r.bool()
	m.Code = r.code()
	m.Text = r.str(maxLine)
}

func (m *Self) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 8)
	b = msgp.AppendUint8(b, m.Mode)
	b = msgp.AppendUint8(b, m.Health)
	b = msgp.AppendUint16(b, m.Air)
	b = msgp.AppendUint8(b, m.Food)
	b = msgp.AppendBool(b, m.MayFly)
	b = msgp.AppendBool(b, m.Operator)
	b = msgp.AppendBool(b, m.Dead)
	return msgp.AppendBool(b, m.Visitor)
}

func (m *Self) read(r *reader) {
	r.fields(8)
	m.Mode = uint8(r.uint(2))
	m.Health = uint8(r.uint(255))
	m.Air = uint16(r.uint(1<<16 - 1))
	m.Food = uint8(r.uint(255))
	m.MayFly = r.bool()
	m.Operator = r.bool()
	m.Dead = r.bool()
	m.Visitor = r.bool()
}

func (m *Inventory) append(b []byte) []byte {
	b = appendSlots(msgp.AppendArrayHeader(b, 2), m.Slots)
	return msgp.AppendUint8(b, m.Selected)
}

func appendSlots(b []byte, slots []SlotItem) []byte {
	b = msgp.AppendArrayHeader(b, uint32(len(slots)))
	for _, s := range slots {
		b = msgp.AppendArrayHeader(b, 3)
		b = msgp.AppendUint8(b, s.Slot)
		b = msgp.AppendUint16(b, s.Block)
		b = msgp.AppendUint16(b, s.Count)
	}
	return b
}

func (m *Inventory) read(r *reader) {
	r.fields(2)
	m.Slots = r.slots(m.Slots[:0])
	m.Selected = uint8(r.uint(255))
}

func (r *reader) slots(to []SlotItem) []SlotItem {
	for range r.array(MaxSlots) {
		r.tuple(3)
		s := SlotItem{uint8(r.uint(255)), uint16(r.uint(1<<16 - 1)), uint16(r.uint(1<<16 - 1))}
		if r.err != nil {
			return to
		}
		to = append(to, s)
	}
	return to
}

func (m *Container) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 7)
	for _, n := range [...]int32{m.X, m.Y, m.Z} {
		b = msgp.AppendInt32(b, n)
	}
	b = msgp.AppendUint8(b, m.Size)
	b = appendSlots(b, m.Slots)
	return msgp.AppendUint16(msgp.AppendUint16(b, m.Heat), m.Work)
}

func (m *Container) read(r *reader) {
	r.fields(7)
	m.X, m.Y, m.Z = int32(r.int(maxCoord)), int32(r.int(maxCoord)), int32(r.int(maxCoord))
	m.Size = uint8(r.uint(255))
	m.Slots = r.slots(m.Slots[:0])
	m.Heat, m.Work = uint16(r.uint(1<<16-1)), uint16(r.uint(1<<16-1))
}

func (m *Chat) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 3)
	b = msgp.AppendUint8(b, uint8(m.Kind))
	b = msgp.AppendString(b, m.From)
	return msgp.AppendString(b, m.Text)
}

func (m *Chat) read(r *reader) {
	r.fields(3)
	m.Kind = ChatKind(r.uint(uint64(ChatError)))
	m.From = r.str(maxNameBytes)
	m.Text = r.str(maxLine)
}

func (m *Players) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 2)
	b = msgp.AppendBool(b, m.Full)
	b = msgp.AppendArrayHeader(b, uint32(len(m.List)))
	for i := range m.List {
		p := &m.List[i]
		b = msgp.AppendArrayHeader(b, 6)
		b = msgp.AppendUint64(b, p.Entity)
		b = msgp.AppendString(b, p.Name)
		b = msgp.AppendBool(b, p.Present)
		b = msgp.AppendInt32(b, p.Region.X)
		b = msgp.AppendInt32(b, p.Region.Z)
		b = msgp.AppendUint32(b, p.Skin)
	}
	return b
}

func (m *Players) read(r *reader) {
	r.fields(2)
	m.Full = r.bool()
	m.List = m.List[:0]
	for range r.array(MaxPlayers) {
		r.tuple(6)
		p := PlayerInfo{Entity: r.uint(maxSafe), Name: r.str(maxNameBytes), Present: r.bool()}
		p.Region.X = int32(r.int(maxCoord))
		p.Region.Z = int32(r.int(maxCoord))
		p.Skin = uint32(r.uint(1<<32 - 1))
		if r.err != nil {
			return
		}
		m.List = append(m.List, p)
	}
}

func (m *FarTile) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 3)
	b = msgp.AppendInt32(b, m.Region.X)
	b = msgp.AppendInt32(b, m.Region.Z)
	return msgp.AppendBytes(b, m.Deflated)
}

func (m *FarTile) read(r *reader) {
	r.fields(3)
	m.Region.X = int32(r.int(maxCoord))
	m.Region.Z = int32(r.int(maxCoord))
	m.Deflated = r.bin(maxFarDeflated)
}

func (m *TimeOffset) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 1)
	return msgp.AppendInt64(b, m.Ticks)
}

func (m *TimeOffset) read(r *reader) {
	r.fields(1)
	m.Ticks = r.int(maxSafe)
}

func (m *Notice) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 2)
	b = msgp.AppendString(b, string(m.Code))
	return msgp.AppendString(b, m.Text)
}

func (m *Notice) read(r *reader) {
	r.fields(2)
	m.Code = r.code()
	m.Text = r.str(maxLine)
}

func (r *reader) code() Code { return Code(r.str(32)) }
