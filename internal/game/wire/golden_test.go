package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata again")

// golden is an example as other clients' tests read it. Bytes are hexadecimal.
type golden struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Hex  string `json:"hex"`
	JSON any    `json:"json"`
}

const goldenFile = "testdata/messages.json"

func TestGoldenMessages(t *testing.T) {
	got := []byte("[\n")
	for i, e := range examples {
		line, err := json.Marshal(golden{e.name, fmt.Sprintf("%T", e.m)[len("*wire."):], hex.EncodeToString(Encode(e.m)), plain(reflect.ValueOf(e.m))})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line...)
		if i < len(examples)-1 {
			got = append(got, ',')
		}
		got = append(got, '\n')
	}
	got = append(got, "]\n"...)
	if *update {
		if err := os.WriteFile(goldenFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("encoding differs from %s: if that is meant, the protocol's version changes; run with -update", goldenFile)
	}
}

// plain turns a message into what JSON shows of it: structs by their json
// names, bytes as hexadecimal digits.
func plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		return plain(v.Elem())
	case reflect.Struct:
		out := map[string]any{}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name := f.Tag.Get("json")
			if name == "" {
				name = strings.ToLower(f.Name)
			}
			out[name] = plain(v.Field(i))
		}
		return out
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			b := make([]byte, v.Len())
			reflect.Copy(reflect.ValueOf(b), v)
			return hex.EncodeToString(b)
		}
		out := []any{}
		for i := range v.Len() {
			out = append(out, plain(v.Index(i)))
		}
		return out
	}
	return v.Interface()
}

func TestRoundTrip(t *testing.T) {
	for _, e := range examples {
		got, err := decodeAny(Encode(e.m))
		if err != nil {
			t.Errorf("%s: %v", e.name, err)
		} else if !reflect.DeepEqual(got, e.m) {
			t.Errorf("%s: got %+v, want %+v", e.name, got, e.m)
		}
	}
}

func TestEveryTypeHasAnExample(t *testing.T) {
	seen := map[Type]bool{}
	for _, e := range examples {
		seen[e.m.Type()] = true
	}
	for i := range 256 {
		typ := Type(i)
		if (fromClient(typ) != nil || fromNode(typ) != nil) != seen[typ] {
			t.Errorf("type 0x%02x: example there: %v", i, seen[typ])
		}
		if fromClient(typ) != nil && fromNode(typ) != nil {
			t.Errorf("type 0x%02x goes both ways", i)
		}
	}
}

func decodeAny(b []byte) (Message, error) {
	if TypeOf(b) < 0x80 {
		return DecodeClient(b)
	}
	return DecodeNode(b)
}

func TestTruncatedAndTrailing(t *testing.T) {
	for _, e := range examples {
		b := Encode(e.m)
		switch e.m.(type) {
		case *Frame, *Column:
			continue // end with whatever there is
		}
		for n := range b {
			if _, err := decodeAny(b[:n]); err == nil {
				t.Errorf("%s: accepted cut after %d of %d bytes", e.name, n, len(b))
			}
		}
		if _, err := decodeAny(append(b, 0)); err == nil {
			t.Errorf("%s: accepted a byte too many", e.name)
		}
	}
}

func TestUnknownFieldsAtTheEndAreIgnored(t *testing.T) {
	b := []byte{byte(TypePing), 0x93, 7, 0x92, 1, 0xa1, 'x', 0xc0}
	m, err := DecodeClient(b)
	if err != nil || m.(*Ping).Time != 7 {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestHostileLengths(t *testing.T) {
	for name, b := range map[string][]byte{
		"empty":              {},
		"unknown type":       {0x7f, 0x90},
		"node's type":        Encode(&Pong{}),
		"list of 4 G":        {byte(TypeFar), 0x91, 0xdd, 0xff, 0xff, 0xff, 0xff},
		"text of 4 G":        {byte(TypeSay), 0x91, 0xdb, 0xff, 0xff, 0xff, 0xff},
		"extra fields":       {byte(TypeLeave), 0xdc, 0xff, 0xff},
		"deep extra field":   append([]byte{byte(TypeLeave), 0x91}, bytes.Repeat([]byte{0x91}, MaxMessage)...),
		"not UTF-8":          {byte(TypeSay), 0x91, 0xa1, 0xff},
		"no steps":           {byte(TypeInput), 0, 1, 0, 0, 0},
		"too many steps":     append([]byte{byte(TypeInput), MaxSteps + 1, 1}, make([]byte, 6*(MaxSteps+1)+3)...),
		"uvarint overflow":   append([]byte{byte(TypeInput), 1}, bytes.Repeat([]byte{0xff}, 30)...),
		"far away":           Encode(&Act{Kind: Dig, X: -1 << 31}),
		"unknown act":        Encode(&Act{Kind: maxAct + 1}),
		"act without a kind": Encode(&Act{}),
		"face 6":             Encode(&Act{Kind: Place, Face: 6}),
		"negative number":    {byte(TypePing), 0x91, 0xff},
		"map for a list":     {byte(TypePing), 0x81, 1, 1},
	} {
		if m, err := DecodeClient(b); err == nil {
			t.Errorf("%s: accepted as %+v", name, m)
		}
	}
}

func TestCodesHaveTexts(t *testing.T) {
	for c, text := range texts {
		if text == "" || c.Refusal(1).Text != text {
			t.Errorf("%s: %q", c, text)
		}
	}
	if Code("new").Text() == "" {
		t.Error("an unknown code has no text")
	}
}

func BenchmarkDecodeInput(b *testing.B) {
	msg := Encode(&Input{70000, []Step{{Forward, 1, 2}}, world64})
	var in Input
	b.ReportAllocs()
	for b.Loop() {
		if err := DecodeInto(msg, &in); err != nil {
			b.Fatal(err)
		}
	}
}
