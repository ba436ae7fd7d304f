package pack

import (
	"errors"
	"fmt"
	"strings"
)

// ErrPack is wrapped by every error of a pack's content.
var ErrPack = errors.New("the content pack has errors")

// Problem is one thing that is wrong with a pack.
type Problem struct {
	File string
	Line int // from 1; 0 if the file as a whole is meant
	Text string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// Problems are everything that is wrong with a pack, in the order of its files.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap makes Problems an ErrPack.
func (ps Problems) Unwrap() error { return ErrPack }

// report collects problems.
type report struct{ problems Problems }

func (r *report) add(file string, line int, format string, args ...any) {
	if !r.full() {
		r.problems = append(r.problems, Problem{file, line, fmt.Sprintf(format, args...)})
	}
}

func (r *report) full() bool { return len(r.problems) >= maxErrors }

func (r *report) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return r.problems
}
