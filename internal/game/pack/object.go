package pack

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// object reads the fields of an object. What is wrong goes to the report, and
// reading goes on with the zero value, so that all errors are found at once.
type object struct {
	file string
	what string // for errors: "block", "recipe"
	value
	report *report
	read   []string // fields that were asked for
}

// objectOf takes a value for an object; ok is false if it is none.
func objectOf(file, what string, v value, r *report) (o *object, ok bool) {
	if v.kind != kindObject {
		r.add(file, v.line, "%s: this is %s; want an object", what, kindNames[v.kind])
		return nil, false
	}
	return &object{file: file, what: what, value: v, report: r}, true
}

func (o *object) fail(line int, format string, args ...any) {
	o.report.add(o.file, line, "%s: %s", o.what, fmt.Sprintf(format, args...))
}

// get finds a field of a kind, nil if it is not there or of another kind.
func (o *object) get(name string, kind byte) *field {
	o.read = append(o.read, name)
	f := o.field(name)
	if f == nil {
		return nil
	}
	if f.kind != kind {
		o.fail(f.line, "%s is %s; want %s", name, kindNames[f.kind], kindNames[kind])
		return nil
	}
	return f
}

// need reports a field that is missing.
func (o *object) need(name string) {
	if o.field(name) == nil {
		o.fail(o.line, "%s is missing", name)
	}
}

// number reads a number within bounds.
func (o *object) number(name string, least, most, otherwise int64) int64 {
	f := o.get(name, kindNumber)
	if f == nil {
		return otherwise
	}
	n := f.scalar.(int64)
	if n < least || n > most {
		o.fail(f.line, "%s is %d; want %d to %d", name, n, least, most)
		return otherwise
	}
	return n
}

func (o *object) flag(name string) bool {
	f := o.get(name, kindBool)
	return f != nil && f.scalar.(bool)
}

func (o *object) text(name string) string {
	if f := o.get(name, kindString); f != nil {
		return f.scalar.(string)
	}
	return ""
}

// choice reads one of a list of words, the otherwise if it is not there.
func (o *object) choice(name, otherwise string, from []string) string {
	f := o.get(name, kindString)
	if f == nil {
		return otherwise
	}
	s := f.scalar.(string)
	if !slices.Contains(from, s) {
		o.fail(f.line, "%s is %q; want one of %s", name, s, strings.Join(from, ", "))
		return otherwise
	}
	return s
}

// name reads a name in snake_case.
func (o *object) name(field string) string {
	f := o.get(field, kindString)
	if f == nil {
		return ""
	}
	s := f.scalar.(string)
	if !validName(s) {
		o.fail(f.line, "%s is %q; want small letters, digits and _, a letter first, at most %d", field, s, MaxName)
		return ""
	}
	return s
}

// validName reports whether a text is a name: ASCII, so that two that look alike are one.
func validName(s string) bool {
	if s == "" || len(s) > MaxName || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for _, c := range []byte(s) {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// title reads a text for people; otherwise it is the name in words: "oak_log" is "Oak Log".
func (o *object) title(name string) string {
	f := o.get("title", kindString)
	if f == nil {
		words := strings.Split(name, "_")
		for i, w := range words {
			if w != "" {
				words[i] = strings.ToUpper(w[:1]) + w[1:]
			}
		}
		return strings.Join(words, " ")
	}
	s := f.scalar.(string)
	if s == "" || len(s) > MaxTitle || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		o.fail(f.line, "title is %q; want 1 to %d bytes that can be shown", s, MaxTitle)
		return ""
	}
	return s
}

// finish reports fields that nobody has asked for.
func (o *object) finish() {
	for i := range o.fields {
		if f := &o.fields[i]; !slices.Contains(o.read, f.name) && f.name != "$schema" && f.name != "comment" {
			o.fail(f.line, "there is no field %q; want %s", f.name, strings.Join(o.read, ", "))
		}
	}
}
