// Package codec turns the messages that travel between nodes into bytes and
// back (docs/protocols/nodes.md): those of the directory, of the groups, of the
// nodes, and of regions and the lobby whose sessions and neighbours are
// elsewhere. What a client and its node say to each other is package wire.
//
// A message is its type's number and its fields in order. The fields of a type
// are named once, by a function that both writes and reads (form), so that the
// two cannot drift apart. Numbers are LEB128 in their shortest form, signed ones
// zigzag; lists and texts have their length before them.
//
// Invariants:
//   - Decode never panics and never allocates more than a small multiple of
//     what it was given: every count is checked against the bytes that are left
//     (columns, which are deflated, have a fixed limit);
//   - what Append refuses, Decode refuses, and the other way round: nothing is
//     sent that nobody could read;
//   - one message has one encoding, but for the deflated columns;
//   - a decoded message shares no memory with the bytes it came from.
package codec

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Errors.
var (
	// ErrUnknown: the type of a message has no number, or the number no type
	// (the other node may be newer).
	ErrUnknown = errors.New("unknown message type")
	// ErrMalformed is wrapped by every other error.
	ErrMalformed = errors.New("malformed message")
)

// maxDepth bounds messages within messages: Routed{Forward{Act}} is 3.
const maxDepth = 6

// Codec encodes and decodes; it may be used from several goroutines. It keeps
// the encodings of the last columns, because the same column goes to many.
type Codec struct {
	forms   sync.Pool
	columns columnCache
	rules   *ruled // of the storage's messages; nil: the world has none
}

// New returns a codec.
func New() *Codec {
	c := &Codec{}
	c.forms.New = func() any { return &form{codec: c} }
	c.columns.init()
	return c
}

// Append appends the bytes of m, one of the pointers in the table of types.
// After an error b is as it was.
func (c *Codec) Append(b []byte, m machine.Message) ([]byte, error) {
	f := c.forms.Get().(*form)
	f.b, f.reading = b, false
	f.message(&m)
	out, err := f.b, f.err
	c.release(f)
	if err != nil {
		return b, fmt.Errorf("%T: %w", m, err)
	}
	return out, nil
}

// Decode returns the message that all of b is.
func (c *Codec) Decode(b []byte) (machine.Message, error) {
	f := c.forms.Get().(*form)
	f.b, f.reading = b, true
	var m machine.Message
	f.message(&m)
	if f.err == nil && m == nil {
		f.fail("no message")
	}
	if f.err == nil && len(f.b) > 0 {
		f.fail("%d bytes too many", len(f.b))
	}
	err := f.err
	c.release(f)
	if err != nil {
		return nil, fmt.Errorf("%T: %w", m, err)
	}
	return m, nil
}

func (c *Codec) release(f *form) {
	f.b, f.err, f.depth = nil, nil, 0
	c.forms.Put(f)
}

// message is a message within a message, or nil.
func (f *form) message(m *machine.Message) {
	if f.depth++; f.depth > maxDepth {
		f.fail("messages nested deeper than %d", maxDepth)
		return
	}
	defer func() { f.depth-- }()
	if f.reading {
		number := uint16(0)
		num(f, &number)
		if f.err != nil || number == 0 {
			return
		}
		if int(number) >= len(byNumber) || byNumber[number] == nil {
			f.err = fmt.Errorf("%w: number %d", ErrUnknown, number)
			return
		}
		t := byNumber[number]
		*m = t.blank()
		t.fields(f, *m)
		return
	}
	if *m == nil {
		f.b = append(f.b, 0)
		return
	}
	t := byType[reflect.TypeOf(*m)]
	if t == nil {
		f.err = ErrUnknown
		return
	}
	num(f, &t.number)
	t.fields(f, *m)
}
