// Package wire is the client protocol, version 2: the messages between a
// player's client and a node's gateway, with encoders and strict decoders. The
// page is docs/protocols/client.md; examples of every message for the tests of
// other clients are in testdata. Frames have a package of their own,
// wire/frame.
//
// Invariants of the decoders: they never panic, never allocate more than the
// input's length justifies, refuse what the page does not allow (too long, too
// many, not UTF-8, trailing bytes) and ignore fields they do not know at the
// end of a message.
package wire

import (
	"errors"
	"fmt"
)

// Version is the protocol version that Hello and Challenge carry.
const Version = 2

// Type is the first byte of a message.
type Type byte

// Messages of a client to its node.
const (
	TypeHello Type = iota + 1
	TypeProof
	TypeView
	TypeInput
	TypeAct
	TypeSay
	TypePing
	TypeFar
	TypeLeave
	TypeAskHosts
	TypeAskEntrances
	TypeSigned
	TypeMissed
	TypeSegment
	TypeSkin
	TypeAskSkin
	TypePutSchematic
)

// Messages of a node to its client.
const (
	TypeChallenge Type = iota + 0x81
	TypeRefused
	TypeWelcome
	TypeColumn
	TypeUnload
	TypeFrame
	TypePong
	TypeActResult
	TypeSelf
	TypeInventory
	TypeChat
	TypePlayers
	TypeFarTile
	TypeTimeOffset
	TypeNotice
	TypeCommands
	TypeHosts
	TypeEntrances
	TypeSign
	TypeContainer
	TypeSigns
	TypeSkinOf
	TypeSchematic
)

// ErrMalformed is wrapped by every error of a decoder.
var ErrMalformed = errors.New("malformed message")

// Message is one of the message structs of this package, as a pointer.
type Message interface {
	Type() Type
	// append adds the body, without the type byte.
	append(b []byte) []byte
	// read takes the body; what is wrong is noted in the reader.
	read(r *reader)
}

// Append adds m to b: its type byte and its body.
func Append(b []byte, m Message) []byte { return m.append(append(b, byte(m.Type()))) }

// Encode returns the bytes of m.
func Encode(m Message) []byte { return Append(nil, m) }

// TypeOf returns the type of an encoded message, 0 for an empty one.
func TypeOf(b []byte) Type {
	if len(b) == 0 {
		return 0
	}
	return Type(b[0])
}

// DecodeInto reads an encoded message of m's type into m, which may be reused:
// slices in it are truncated and filled again, and byte slices point into b.
func DecodeInto(b []byte, m Message) error {
	if t := TypeOf(b); t != m.Type() {
		return fmt.Errorf("%w: type 0x%02x, want 0x%02x", ErrMalformed, byte(t), byte(m.Type()))
	}
	r := reader{b: b[1:]}
	m.read(&r)
	if err := r.end(); err != nil {
		return fmt.Errorf("%w: %T: %v", ErrMalformed, m, err)
	}
	return nil
}

// DecodeClient reads a message that a client sends to its node. Byte slices in
// it point into b.
func DecodeClient(b []byte) (Message, error) { return decode(b, fromClient) }

// DecodeNode reads a message that a node sends to its client. Byte slices in
// it point into b.
func DecodeNode(b []byte) (Message, error) { return decode(b, fromNode) }

func decode(b []byte, blank func(Type) Message) (Message, error) {
	m := blank(TypeOf(b))
	if m == nil {
		return nil, fmt.Errorf("%w: unknown type 0x%02x", ErrMalformed, byte(TypeOf(b)))
	}
	if err := DecodeInto(b, m); err != nil {
		return nil, err
	}
	return m, nil
}

func fromClient(t Type) Message {
	switch t {
	case TypeHello:
		return &Hello{}
	case TypeProof:
		return &Proof{}
	case TypeView:
		return &View{}
	case TypeInput:
		return &Input{}
	case TypeAct:
		return &Act{}
	case TypeSay:
		return &Say{}
	case TypePing:
		return &Ping{}
	case TypeFar:
		return &Far{}
	case TypeLeave:
		return &Leave{}
	case TypeAskHosts:
		return &AskHosts{}
	case TypeAskEntrances:
		return &AskEntrances{}
	case TypeSigned:
		return &Signed{}
	case TypeMissed:
		return &Missed{}
	case TypeSegment:
		return &Segment{}
	case TypeSkin:
		return &Skin{}
	case TypeAskSkin:
		return &AskSkin{}
	case TypePutSchematic:
		return &PutSchematic{}
	}
	return nil
}

func fromNode(t Type) Message {
	switch t {
	case TypeChallenge:
		return &Challenge{}
	case TypeRefused:
		return &Refused{}
	case TypeWelcome:
		return &Welcome{}
	case TypeColumn:
		return &Column{}
	case TypeUnload:
		return &Unload{}
	case TypeFrame:
		return &Frame{}
	case TypePong:
		return &Pong{}
	case TypeActResult:
		return &ActResult{}
	case TypeSelf:
		return &Self{}
	case TypeInventory:
		return &Inventory{}
	case TypeChat:
		return &Chat{}
	case TypePlayers:
		return &Players{}
	case TypeFarTile:
		return &FarTile{}
	case TypeTimeOffset:
		return &TimeOffset{}
	case TypeNotice:
		return &Notice{}
	case TypeCommands:
		return &Commands{}
	case TypeHosts:
		return &Hosts{}
	case TypeEntrances:
		return &Entrances{}
	case TypeSign:
		return &Sign{}
	case TypeSkinOf:
		return &SkinOf{}
	case TypeContainer:
		return &Container{}
	case TypeSigns:
		return &Signs{}
	case TypeSchematic:
		return &Schematic{}
	}
	return nil
}
