package decision

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// OrderKind says what an Order does to its subject.
type OrderKind uint8

// The kinds of orders.
const (
	Teleport OrderKind = iota + 1 // to At
	Give                          // Count of the block named Text
	SetMode                       // the mode named Text
	Kick                          // out of the world; Text is a reason
	Spawn                         // to where everybody begins; players may order it for themselves
)

// MaxGive bounds the blocks of a Give.
const MaxGive = 999

// Modes are the names of the modes of play, by their number.
var Modes = []string{"survival", "creative", "spectator"}

// OrderWindow is how far the time of an order may be from the clock of whoever
// executes it. It bounds how long a host of the lobby can hold an order back.
const OrderWindow = 10 * time.Minute

// Errors of orders.
var (
	ErrExpired  = errors.New("the order was signed too long ago, or in the future")
	ErrRepeated = errors.New("the order was executed already")
)

// Order is a command about one player, signed by an operator: the host of the
// lobby passes it to the player's home, which verifies it. It is executed at most
// once (Executed). Unlike a Statement it is not kept. Frozen once signed.
type Order struct {
	World  id.ID
	Issuer [32]byte // Ed25519 public key
	// Seq is the time of issue in Unix milliseconds; no two orders about one player
	// have the same.
	Seq     uint64
	Kind    OrderKind
	Subject id.ID // the player
	At      world.Vec
	Count   uint16
	Name    string // of the subject, for the operator who signs
	Text    string

	Signature [64]byte
}

const (
	// orderVersion is the first byte, which no Statement has.
	orderVersion = 0x81
	orderContext = "voxelpopuli order 1\n"
	orderHead    = 1 + id.Size + ed25519.PublicKeySize + 8 + 1 + id.Size + 3*8 + 2 + 1
	maxAt        = 1 << 40 // of a coordinate: beyond the world's end
)

// By is the id of the issuer.
func (o *Order) By() id.ID { return id.Of(o.Issuer[:]) }

func (o *Order) body(b []byte) []byte {
	b = append(b, orderVersion)
	b = append(b, o.World[:]...)
	b = append(b, o.Issuer[:]...)
	b = binary.BigEndian.AppendUint64(b, o.Seq)
	b = append(b, byte(o.Kind))
	b = append(b, o.Subject[:]...)
	for _, n := range []fixed.Num{o.At.X, o.At.Y, o.At.Z} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	b = binary.BigEndian.AppendUint16(b, o.Count)
	b = append(append(b, byte(len(o.Name))), o.Name...)
	return append(binary.BigEndian.AppendUint16(b, uint16(len(o.Text))), o.Text...)
}

// Sign makes the holder of key the issuer.
func (o *Order) Sign(key ed25519.PrivateKey) {
	copy(o.Issuer[:], key.Public().(ed25519.PublicKey))
	copy(o.Signature[:], ed25519.Sign(key, o.body([]byte(orderContext))))
}

// Append adds the encoding to b.
func (o *Order) Append(b []byte) []byte { return append(o.body(b), o.Signature[:]...) }

// DecodeOrder reads an order. Its signature is not verified.
func DecodeOrder(b []byte) (*Order, error) {
	if len(b) < orderHead+2+ed25519.SignatureSize || len(b) > MaxSize || b[0] != orderVersion {
		return nil, fmt.Errorf("%w: %d bytes are no order", ErrFormat, len(b))
	}
	o := &Order{World: id.ID(b[1:21]), Issuer: [32]byte(b[21:53]), Seq: binary.BigEndian.Uint64(b[53:])}
	o.Kind, o.Subject = OrderKind(b[61]), id.ID(b[62:82])
	for i, n := range []*fixed.Num{&o.At.X, &o.At.Y, &o.At.Z} {
		*n = fixed.Num(binary.BigEndian.Uint64(b[82+8*i:]))
	}
	o.Count = binary.BigEndian.Uint16(b[106:])
	n, rest := int(b[108]), b[orderHead:]
	if n > MaxName || len(rest) < n+2 {
		return nil, fmt.Errorf("%w: the name", ErrFormat)
	}
	o.Name, rest = string(rest[:n]), rest[n:]
	n = int(binary.BigEndian.Uint16(rest))
	if rest = rest[2:]; n > MaxText || len(rest) != n+ed25519.SignatureSize {
		return nil, fmt.Errorf("%w: the text", ErrFormat)
	}
	o.Text = string(rest[:n])
	copy(o.Signature[:], rest[n:])
	return o, o.check()
}

// check says what is wrong with the fields.
func (o *Order) check() error {
	switch {
	case o.Seq == 0 || o.Subject.IsZero() && !o.IsUndo() && o.Kind != Build || o.Kind == 0 || o.Kind > Build:
		return fmt.Errorf("%w: a number", ErrFormat)
	case len(o.Name) > MaxName || len(o.Text) > MaxText || !utf8.ValidString(o.Name) || !utf8.ValidString(o.Text):
		return fmt.Errorf("%w: the name or the text", ErrFormat)
	case o.Kind != Teleport && o.At != world.Vec{} || max(o.At.X.Abs(), o.At.Y.Abs(), o.At.Z.Abs()) > maxAt:
		return fmt.Errorf("%w: a place", ErrFormat)
	case (o.Kind == Give) != (o.Count != 0) || o.Count > MaxGive:
		return fmt.Errorf("%w: a count", ErrFormat)
	case (o.Kind == Teleport || o.Kind == Spawn || o.Kind == ListHomes) && o.Text != "":
		return fmt.Errorf("%w: a text", ErrFormat)
	case o.Kind == SetMode && !slices.Contains(Modes, o.Text):
		return fmt.Errorf("%w: no mode of play", ErrFormat)
	case o.Kind == Give && !o.block():
		return fmt.Errorf("%w: no block to give", ErrFormat)
	case o.toNamed() && !IsLandName(o.Text):
		return fmt.Errorf("%w: no name of a place", ErrFormat)
	case o.IsUndo():
		_, err := o.Undo()
		return err
	case o.Kind == Build:
		_, err := o.Building()
		return err
	}
	return nil
}

// Needs is the permission that an order needs.
func (o *Order) Needs() Permission {
	switch o.Kind {
	case Kick:
		return MayKick
	case Inspect:
		return MayModerate
	case Build:
		return MayEdit
	}
	if o.ofSelf() {
		return MayEdit
	}
	if o.ofPlayer() {
		return ""
	}
	return MayOperate
}

func (o *Order) block() bool {
	b, ok := world.BlockByName(o.Text)
	return ok && world.Info(b).Item
}

// Verify reports why a node must not execute an order: it is of another world, of
// another time, of nobody who may command the subject, or its signature is wrong.
func (o *Order) Verify(of id.ID, now time.Time, role func(id.ID) Role) error {
	by := o.By()
	switch err := o.check(); {
	case err != nil:
		return err
	case o.World != of:
		return ErrWorld
	case o.Seq > uint64(now.Add(OrderWindow).UnixMilli()) || o.Seq+uint64(OrderWindow.Milliseconds()) < uint64(now.UnixMilli()):
		return ErrExpired
	case !role(by).May(o.Needs()), o.ofPlayer() && by != o.Subject && (o.Kind != Spawn || role(by) < RoleOperator), !o.IsUndo() && o.Kind != Build && role(by) < RoleOperator && by != o.Subject && role(o.Subject) >= role(by):
		return ErrAuthority
	case !o.Signed():
		return ErrSignature
	}
	return nil
}

// Signed reports whether the issuer has signed the order.
func (o *Order) Signed() bool {
	return identity.CheckKey(o.Issuer[:]) == nil && ed25519.Verify(o.Issuer[:], o.body([]byte(orderContext)), o.Signature[:])
}

// Does is what an order does to its subject where players begin at spawn, operators have
// named places, and players may have so many homes; nil: nothing, or it is of another kind.
func (o *Order) Does(spawn world.Pos, warp func(name string) (world.Pos, bool), homes int) *world.Order {
	does := &world.Order{At: o.At, Count: int(o.Count)}
	switch o.Kind {
	case Teleport:
		does.Kind = world.OrderTeleport
	case Spawn:
		does.Kind, does.At = world.OrderTeleport, world.SpawnFeet(spawn)
	case ToWarp:
		at, ok := warp(o.Text)
		if !ok {
			return nil
		}
		does.Kind, does.At = world.OrderTeleport, world.SpawnFeet(at)
	case SetHome:
		does.Kind, does.Text, does.Count = world.OrderSetHome, o.Text, homes
	case ToHome:
		does.Kind, does.Text = world.OrderHome, o.Text
	case DelHome:
		does.Kind, does.Text = world.OrderDelHome, o.Text
	case ListHomes:
		does.Kind = world.OrderHomes
	case Give:
		does.Kind = world.OrderGive
		does.Block, _ = world.BlockByName(o.Text)
	case SetMode:
		does.Kind, does.Mode = world.OrderMode, world.Mode(slices.Index(Modes, o.Text))
	default:
		return nil
	}
	return does
}

// maxExecuted is how many orders about a player are remembered one by one.
const maxExecuted = 16

// Executed are the numbers (Seq) of the last orders that were executed about a
// player, ascending. What is older than all of a full list counts as executed.
type Executed []uint64

// Add notes an order; it returns an error if the order may have been executed.
func (e Executed) Add(seq uint64) (Executed, error) {
	i, has := slices.BinarySearch(e, seq)
	if has || i == 0 && len(e) == maxExecuted {
		return e, ErrRepeated
	}
	out := slices.Insert(slices.Clone(e), i, seq)
	return out[max(0, len(out)-maxExecuted):], nil
}

// Append adds the encoding to b.
func (e Executed) Append(b []byte) []byte {
	for _, seq := range e {
		b = binary.BigEndian.AppendUint64(b, seq)
	}
	return b
}

// MaxExecutedSize bounds an encoded Executed.
const MaxExecutedSize = 8 * maxExecuted

// DecodeExecuted reads what Append wrote.
func DecodeExecuted(b []byte) (Executed, error) {
	if len(b)%8 != 0 || len(b) > MaxExecutedSize {
		return nil, fmt.Errorf("%w: %d bytes of orders that were executed", ErrFormat, len(b))
	}
	var e Executed
	for ; len(b) > 0; b = b[8:] {
		seq := binary.BigEndian.Uint64(b)
		if len(e) > 0 && e[len(e)-1] >= seq {
			return nil, fmt.Errorf("%w: orders are not in order", ErrFormat)
		}
		e = append(e, seq)
	}
	return e, nil
}

// IsOrder reports whether an encoding is an Order's rather than a Statement's.
func IsOrder(b []byte) bool { return len(b) > 0 && b[0] == orderVersion }

// Unsigned is an encoding of either kind without issuer and signature.
func Unsigned(b []byte) []byte {
	out := bytes.Clone(b)
	if len(out) >= issuerAt+ed25519.PublicKeySize+ed25519.SignatureSize {
		clear(out[issuerAt : issuerAt+ed25519.PublicKeySize])
		clear(out[len(out)-ed25519.SignatureSize:])
	}
	return out
}

// issuerAt is where the issuer stands in both encodings.
const issuerAt = 1 + id.Size
