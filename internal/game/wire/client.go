package wire

import (
	"crypto/ed25519"
	"encoding/binary"

	"github.com/tinylib/msgp/msgp"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Bounds of what a client sends.
const (
	MaxMessage   = 4096 // bytes of a message
	MaxName      = 20   // characters of a name
	MaxChat      = 256  // characters of a chat line or a command
	MaxSteps     = 40   // body steps in an Input: two seconds
	MaxFar       = 16   // regions in a Far
	MinView      = 2    // columns
	MaxView      = 16
	MaxFarView   = 8 // regions
	maxNameBytes = 4 * MaxName * 2
	maxTextBytes = 4 * MaxChat
	maxCoord     = 1<<31 - 1
	maxVec       = 1 << 40 // 1/4096 m: far beyond the world's limit
	maxSafe      = 1<<53 - 1
)

// Hello begins a connection.
type Hello struct {
	Version uint32   `json:"version"`
	Name    string   `json:"name"`
	Key     [32]byte `json:"key"`    // Ed25519 public key
	Client  string   `json:"client"` // program and version, for logs
}

// Proof answers a Challenge.
type Proof struct {
	Signature [64]byte `json:"signature"` // of identity.PassText
}

// Missed says that a frame of a region was lost on its way, which happens on data
// channels: keyframes are to follow.
type Missed struct {
	Region world.RegionPos `json:"region"`
}

// View says how far a client sees.
type View struct {
	Distance uint8 `json:"distance"` // columns in full detail, MinView to MaxView
	Far      uint8 `json:"far"`      // regions of far terrain, at most MaxFarView
}

// Act is an action other than moving.
type Act struct {
	Seq  uint32  `json:"seq"` // counts up for each client; comes back in ActResult
	Kind ActKind `json:"kind"`
	X    int32   `json:"x"`
	Y    int32   `json:"y"`
	Z    int32   `json:"z"`
	Face uint8   `json:"face"` // 0 −y, 1 +y, 2 −z, 3 +z, 4 −x, 5 +x
	A    uint64  `json:"a"`
	B    uint32  `json:"b"`
	Text string  `json:"text"` // of Write only
}

// Pos returns the block that the act is about.
func (a *Act) Pos() world.Pos { return world.Pos{X: a.X, Y: a.Y, Z: a.Z} }

// ActKind says what an Act is.
type ActKind uint8

// The acts; what A, B, X, Y, Z and Face mean for each is in the page's table.
const (
	Dig ActKind = iota + 1
	StopDig
	Place
	Use
	Hit
	Select
	MoveItem
	Drop
	Pick
	Craft
	Respawn
	Open
	Store
	Write
	maxAct = Write
)

// Say is a line that a player typed; a leading slash makes it a command.
type Say struct {
	Text string `json:"text"`
	// Tick is the tick of the world, later than that of the player's line before. Sig signs
	// LineText; empty: nothing is signed.
	Tick uint64 `json:"tick"`
	Sig  []byte `json:"sig"`
}

// LineText is what a player signs of a line, under the name that it has typed to enter.
func LineText(world id.ID, tick uint64, name, line string) []byte {
	b := append([]byte("voxelpopuli line 1\n"), world[:]...)
	b = binary.AppendUvarint(b, tick)
	b = append(binary.AppendUvarint(b, uint64(len(name))), name...)
	return append(b, line...)
}

// Ping asks for a Pong.
type Ping struct {
	Time uint32 `json:"time"` // comes back as it is
}

// Far asks for far tiles.
type Far struct {
	Regions []world.RegionPos `json:"regions"`
}

// Leave ends a connection in good order.
type Leave struct{}

// Type is the message's first byte.
func (*Hello) Type() Type { return TypeHello }

// Type is the message's first byte.
func (*Proof) Type() Type { return TypeProof }

// Type is the message's first byte.
func (*View) Type() Type { return TypeView }

// Type is the message's first byte.
func (*Act) Type() Type { return TypeAct }

// Type is the message's first byte.
func (*Say) Type() Type { return TypeSay }

// Type is the message's first byte.
func (*Ping) Type() Type { return TypePing }

// Type is the message's first byte.
func (*Far) Type() Type { return TypeFar }

// Type is the message's first byte.
func (*Missed) Type() Type { return TypeMissed }

// Type is the message's first byte.
func (*Leave) Type() Type { return TypeLeave }

func (m *Hello) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 4)
	b = msgp.AppendUint32(b, m.Version)
	b = msgp.AppendString(b, m.Name)
	b = msgp.AppendBytes(b, m.Key[:])
	return msgp.AppendString(b, m.Client)
}

func (m *Hello) read(r *reader) {
	r.fields(4)
	m.Version = uint32(r.uint(1<<32 - 1))
	m.Name = r.str(maxNameBytes)
	r.exact(m.Key[:])
	m.Client = r.str(128)
}

func (m *Proof) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 1)
	return msgp.AppendBytes(b, m.Signature[:])
}

func (m *Proof) read(r *reader) {
	r.fields(1)
	r.exact(m.Signature[:])
}

func (m *View) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 2)
	b = msgp.AppendUint8(b, m.Distance)
	return msgp.AppendUint8(b, m.Far)
}

// read limits what a client asks for instead of refusing it.
func (m *View) read(r *reader) {
	r.fields(2)
	m.Distance = uint8(min(max(r.uint(255), MinView), MaxView))
	m.Far = uint8(min(r.uint(255), MaxFarView))
}

func (m *Act) append(b []byte) []byte {
	fields := uint32(8)
	if m.Kind == Write {
		fields++
	}
	b = msgp.AppendArrayHeader(b, fields)
	b = msgp.AppendUint32(b, m.Seq)
	b = msgp.AppendUint8(b, uint8(m.Kind))
	b = msgp.AppendInt32(b, m.X)
	b = msgp.AppendInt32(b, m.Y)
	b = msgp.AppendInt32(b, m.Z)
	b = msgp.AppendUint8(b, m.Face)
	b = msgp.AppendUint64(b, m.A)
	b = msgp.AppendUint32(b, m.B)
	if m.Kind == Write {
		b = msgp.AppendString(b, m.Text)
	}
	return b
}

func (m *Act) read(r *reader) {
	fields := r.array(9)
	m.Seq = uint32(r.uint(1<<32 - 1))
	m.Kind = ActKind(r.uint(uint64(maxAct)))
	m.X = int32(r.int(maxCoord))
	m.Y = int32(r.int(maxCoord))
	m.Z = int32(r.int(maxCoord))
	m.Face = uint8(r.uint(5))
	m.A = r.uint(maxSafe)
	m.B = uint32(r.uint(1<<32 - 1))
	m.Text = ""
	if m.Kind == Write {
		fields--
		m.Text = r.str(world.MaxSignText)
	}
	if m.Kind == 0 || fields != 8 {
		r.fail(errKind)
	}
}

func (m *Say) append(b []byte) []byte {
	if len(m.Sig) == 0 {
		b = msgp.AppendArrayHeader(b, 1)
		return msgp.AppendString(b, m.Text)
	}
	b = msgp.AppendArrayHeader(b, 3)
	b = msgp.AppendString(b, m.Text)
	b = msgp.AppendUint64(b, m.Tick)
	return msgp.AppendBytes(b, m.Sig)
}

func (m *Say) read(r *reader) {
	n := r.array(3)
	m.Text = r.str(maxTextBytes)
	m.Tick, m.Sig = 0, nil
	if n == 3 {
		m.Tick = r.uint(1<<62 - 1)
		m.Sig = r.bin(ed25519.SignatureSize)
	}
	if n != 1 && (n != 3 || len(m.Sig) != ed25519.SignatureSize) {
		r.fail(errKind)
	}
}

func (m *Ping) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 1)
	return msgp.AppendUint32(b, m.Time)
}

func (m *Ping) read(r *reader) {
	r.fields(1)
	m.Time = uint32(r.uint(1<<32 - 1))
}

func (m *Far) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 1)
	b = msgp.AppendArrayHeader(b, uint32(len(m.Regions)))
	for _, p := range m.Regions {
		b = appendRegion(b, p)
	}
	return b
}

func (m *Far) read(r *reader) {
	r.fields(1)
	m.Regions = m.Regions[:0]
	for range r.array(MaxFar) {
		m.Regions = append(m.Regions, r.region())
	}
}

func (m *Missed) append(b []byte) []byte {
	return appendRegion(msgp.AppendArrayHeader(b, 1), m.Region)
}

func (m *Missed) read(r *reader) {
	r.fields(1)
	m.Region = r.region()
}

func (*Leave) append(b []byte) []byte { return msgp.AppendArrayHeader(b, 0) }
func (*Leave) read(r *reader)         { r.fields(0) }

func appendRegion(b []byte, p world.RegionPos) []byte {
	b = msgp.AppendArrayHeader(b, 2)
	b = msgp.AppendInt32(b, p.X)
	return msgp.AppendInt32(b, p.Z)
}

func (r *reader) region() world.RegionPos {
	r.tuple(2)
	x, z := r.int(maxCoord), r.int(maxCoord)
	return world.RegionPos{X: int32(x), Z: int32(z)}
}

// appendVec adds a vector in a layout that is not MessagePack.
func appendVec(b []byte, v world.Vec) []byte {
	b = binary.AppendVarint(b, int64(v.X))
	b = binary.AppendVarint(b, int64(v.Y))
	return binary.AppendVarint(b, int64(v.Z))
}
