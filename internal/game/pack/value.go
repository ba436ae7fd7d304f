package pack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// value is a JSON value that knows its line. encoding/json reads the tokens; it
// does not say where a value of the wrong kind stands, and takes a field that is
// there twice.
type value struct {
	line   int
	scalar any // string, int64, bool, or nil for null, a list and an object
	list   []value
	fields []field
	kind   byte // of kindString …
}

// field is a name in an object and its value, in the order of the file.
type field struct {
	name string
	line int
	value
}

const (
	kindNull   = 'n'
	kindString = 's'
	kindNumber = 'i'
	kindBool   = 'b'
	kindList   = '['
	kindObject = '{'
)

var kindNames = map[byte]string{
	kindNull: "null", kindString: "a text", kindNumber: "a number", kindBool: "true or false", kindList: "a list", kindObject: "an object",
}

// parser reads one file.
type parser struct {
	file []byte
	dec  *json.Decoder
	at   int64 // up to where lines are counted
	line int
}

// errAt is an error at a line.
type errAt struct {
	line int
	text string
}

func (e *errAt) Error() string { return e.text }

// parse reads a file that holds one JSON value.
func parse(file []byte) (value, error) {
	p := &parser{file: file, dec: json.NewDecoder(bytes.NewReader(file)), line: 1}
	p.dec.UseNumber()
	if i := invalidText(file); i >= 0 {
		p.count(int64(i))
		return value{}, p.fail("this is not UTF-8 text")
	}
	v, err := p.value(0)
	if err != nil {
		return value{}, err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		p.count(p.dec.InputOffset())
		return value{}, p.fail("something follows the end of the content")
	}
	return v, nil
}

// invalidText returns the offset of the first bytes that are not UTF-8; -1: all are.
func invalidText(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	i := 0
	for {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
}

// count counts lines up to an offset.
func (p *parser) count(to int64) {
	to = min(to, int64(len(p.file)))
	if to > p.at {
		p.line += bytes.Count(p.file[p.at:to], []byte("\n"))
		p.at = to
	}
}

func (p *parser) fail(format string, args ...any) error {
	return &errAt{p.line, fmt.Sprintf(format, args...)}
}

// token reads the next token; its line is p.line then.
func (p *parser) token() (json.Token, error) {
	t, err := p.dec.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		p.count(syntax.Offset)
		return nil, p.fail("this is not JSON: %v", err)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		p.count(int64(len(p.file)))
		return nil, p.fail("the file ends too early: a bracket or brace is not closed")
	case err != nil:
		p.count(p.dec.InputOffset())
		return nil, p.fail("this is not JSON: %v", err)
	}
	p.count(p.dec.InputOffset())
	return t, nil
}

func (p *parser) value(depth int) (value, error) {
	t, err := p.token()
	if err != nil {
		return value{}, err
	}
	v := value{line: p.line, scalar: t}
	switch t := t.(type) {
	case nil:
		v.kind = kindNull
	case string:
		v.kind = kindString
	case bool:
		v.kind = kindBool
	case json.Number:
		v.kind = kindNumber
		n, err := strconv.ParseInt(t.String(), 10, 64)
		if err != nil {
			return value{}, p.fail("%s: want a whole number", t)
		}
		v.scalar = n
	case json.Delim:
		v.scalar, v.kind = nil, byte(t)
		if depth == maxDepth {
			return value{}, p.fail("too many brackets in brackets: at most %d", maxDepth)
		}
		if err := p.inside(&v, depth+1); err != nil {
			return value{}, err
		}
	}
	return v, nil
}

// inside reads what an object or a list holds.
func (p *parser) inside(v *value, depth int) error {
	for p.dec.More() {
		if v.kind == kindList {
			e, err := p.value(depth)
			if err != nil {
				return err
			}
			v.list = append(v.list, e)
			continue
		}
		name, err := p.token()
		if err != nil {
			return err
		}
		f := field{name: name.(string), line: p.line} // encoding/json takes nothing else
		switch {
		case v.field(f.name) != nil:
			return p.fail("%q is there twice", f.name)
		case len(v.fields) == maxFields:
			return p.fail("more than %d fields in an object", maxFields)
		}
		if f.value, err = p.value(depth); err != nil {
			return err
		}
		v.fields = append(v.fields, f)
	}
	_, err := p.token() // the closing one
	return err
}

// field finds a field of an object, nil if it has none of the name.
func (v *value) field(name string) *field {
	for i := range v.fields {
		if v.fields[i].name == name {
			return &v.fields[i]
		}
	}
	return nil
}
