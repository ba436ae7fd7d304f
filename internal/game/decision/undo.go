package decision

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Orders about the history of a box of blocks. The Subject is the player whose edits they
// are about, zero for everybody's; the Text is "x y z x y z since", with " preview" behind
// it if nothing is to be changed: two corners, and a time in Unix seconds.
const (
	Inspect  OrderKind = iota + Spawn + 1 // lists the last edits
	Rollback                              // takes edits back
	Restore                               // makes edits again that were taken back
)

// ofSelf reports whether somebody takes back what it has done itself, or makes it again.
func (o *Order) ofSelf() bool {
	return (o.Kind == Rollback || o.Kind == Restore) && o.Subject == o.By()
}

// MaxUndoSide bounds the sides of such a box.
const MaxUndoSide = 513

// IsUndo reports whether an order is about the history of a box.
func (o *Order) IsUndo() bool { return o.Kind >= Inspect && o.Kind <= Restore }

// Undo is what the Text of such an order says.
type Undo struct {
	Box     world.Zone
	Since   int64 // Unix seconds
	Preview bool
}

// String is the Text.
func (u Undo) String() string {
	s := fmt.Sprintf("%s %s %d", u.Box.Min, u.Box.Max, u.Since)
	if u.Preview {
		s += " preview"
	}
	return s
}

// Undo reads the Text of such an order.
func (o *Order) Undo() (u Undo, err error) {
	words := strings.Fields(o.Text)
	if len(words) < 7 || !o.IsUndo() {
		return u, ErrFormat
	}
	z, ok := Corners(words[:6])
	u.Box, u.Preview = z, len(words) == 8
	u.Since, err = strconv.ParseInt(words[6], 10, 64)
	if !ok || err != nil || u.String() != o.Text || !z.Min.InWorld() || !z.Max.InWorld() || u.Since < 0 ||
		z.Max.X-z.Min.X >= MaxUndoSide || z.Max.Z-z.Min.Z >= MaxUndoSide {
		return u, fmt.Errorf("%w: no box and time", ErrFormat)
	}
	return u, nil
}

// undoAskedBy reports whether what was typed behind /inspect, /rollback or /restore asks
// for an order. Where the box is, if the line does not say it, is the lobby's word.
func (o *Order) undoAskedBy(verb string, args []string) bool {
	u, err := o.Undo()
	if err != nil || verb != undoVerbs[o.Kind] || len(args) == 0 {
		return false
	}
	preview := args[len(args)-1] == "preview"
	named := slices.DeleteFunc(slices.Clone(args), func(w string) bool { return w == "preview" })
	if typed, ok := Corners(named[max(0, len(named)-6):]); ok && typed != u.Box {
		return false
	}
	if o.Kind == Inspect {
		return o.Subject.IsZero() && o.Name == "" && (len(args) == 1 || len(args) == 6)
	}
	everybody := args[0] == "*"
	return u.Preview == preview && everybody == o.Subject.IsZero() && (everybody && o.Name == "" || !everybody && o.means(args[0]))
}

var undoVerbs = map[OrderKind]string{Inspect: "inspect", Rollback: "rollback", Restore: "restore"}
