package world

import (
	"bytes"
	"cmp"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// CommandKind says which part of a Command counts.
type CommandKind uint8

// The kinds of command, in the order in which those of one player are run.
const (
	CmdOrder  CommandKind = iota // from the lobby
	CmdInput                     // a body step
	CmdAct                       // something a player does
	CmdRemote                    // a neighbour asks for something here (Remote)
	CmdSettle                    // a neighbour's answer to a Remote of ours
	CmdSigned                    // an edit that was done elsewhere and is done again here (Remote)
)

// Command is something for Tick to do. Commands of a tick are run sorted by
// player, kind and sequence, however they are submitted; but an act comes right
// after the body step that it was asked for behind.
type Command struct {
	Player id.ID
	Kind   CommandKind
	Seq    uint32

	Input  Input  // CmdInput
	Check  bool   // CmdInput: compare the body with Expect after this step
	Expect Vec    // CmdInput: where the client's own body is
	Act    Act    // CmdAct
	After  uint32 // CmdAct: sequence of the last step before it
	Late   uint32 // ActDig: steps, up to After, by which it has been overtaken
	Order  *Order // CmdOrder
	Remote *Remote
}

// ActKind is what a player does, numbered as on the wire.
type ActKind uint8

// The kinds of act (docs/protocols/client.md).
const (
	ActDig ActKind = iota + 1
	ActStopDig
	ActPlace
	ActUse
	ActHit
	ActSelect
	ActMoveItem
	ActDrop
	ActPick
	ActCraft
	ActRespawn
	ActOpen
	ActStore
	ActWrite
)

// Act is something a player does that is not moving.
type Act struct {
	Kind ActKind
	At   Pos
	Face Face
	A, B int64
	Text string // ActWrite
}

// OrderKind is what the lobby wants done with a player.
type OrderKind uint8

// The orders.
const (
	OrderTeleport OrderKind = iota + 1 // to At
	OrderGive                          // Count of Block
	OrderMode                          // Mode
	OrderHealth                        // Count, 0 to 20
	OrderOperator                      // operator if Count is not 0
	OrderKick                          // out of the world; Text says why
	OrderVisitor                       // changes nothing if Count is not 0
	OrderJail                          // in jail if Count is not 0
	OrderSetHome                       // the place where it stands is a home called Text; it has up to Count
	OrderHome                          // to the home called Text
	OrderDelHome                       // forgets the home called Text
	OrderHomes                         // tells it which homes it has
	OrderTake                          // Count of Block, as far as it has them
	OrderMute                          // muted if Count is not 0
)

// Order is a command of the lobby about a player. It is not subject to the rules
// of what players may do.
type Order struct {
	Kind  OrderKind
	At    Vec
	Block Block
	Count int
	Mode  Mode
	Text  string
	// Signed is the operator's signed order, for those who check what a region runs; the
	// rules do not read it.
	Signed []byte
}

// compare orders commands as they are run and, so that the order of submission
// never matters, by all that a player can put into them.
func (c *Command) compare(d *Command) int {
	if n := bytes.Compare(c.Player[:], d.Player[:]); n != 0 {
		return n
	}
	return cmp.Or(
		cmp.Compare(c.turn(), d.turn()), cmp.Compare(c.step(), d.step()),
		cmp.Compare(c.Kind, d.Kind), cmp.Compare(c.Seq, d.Seq),
		c.Act.compare(&d.Act),
		cmp.Compare(c.Input.Buttons, d.Input.Buttons),
		cmp.Compare(c.Input.Yaw, d.Input.Yaw), cmp.Compare(c.Input.Pitch, d.Input.Pitch),
	)
}

// turn is Kind, but for steps and acts, which take turns, the same.
func (c *Command) turn() CommandKind {
	if c.Kind == CmdAct {
		return CmdInput
	}
	return c.Kind
}

// step is the sequence of the step that a command is, or that it follows.
func (c *Command) step() uint32 {
	switch c.Kind {
	case CmdInput:
		return c.Seq
	case CmdAct:
		return c.After
	}
	return 0
}

func (a *Act) compare(b *Act) int {
	return cmp.Or(
		cmp.Compare(a.Kind, b.Kind),
		a.At.compare(b.At),
		cmp.Compare(a.Face, b.Face), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B), cmp.Compare(a.Text, b.Text),
	)
}

// compare orders places from the bottom up.
func (p Pos) compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.Y, q.Y), cmp.Compare(p.Z, q.Z), cmp.Compare(p.X, q.X))
}
