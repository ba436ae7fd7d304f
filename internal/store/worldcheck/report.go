package worldcheck

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
)

// Report is what a check has found.
type Report struct {
	World   string        `json:"world"`
	Shared  bool          `json:"shared"`   // other nodes host parts of it too
	Whole   bool          `json:"complete"` // everything was read; false: time ran out
	Records uint64        `json:"records"`
	Bytes   int64         `json:"bytes"`
	Regions int           `json:"regions"`
	Took    time.Duration `json:"-"`
	Seconds float64       `json:"seconds"`
	Damage  []Damage      `json:"damage"`
}

// Damage is one thing that is damaged.
type Damage struct {
	What    string   `json:"what"`              // for a person: "region 3,-2"
	Records int      `json:"records"`           // that were read and make no sense
	Causes  []string `json:"causes"`            // the first few
	Players []string `json:"players,omitempty"` // whose state may be lost
}

// maxCauses bounds the causes that are reported of one thing.
const maxCauses = 3

// OK reports that nothing is damaged.
func (r *Report) OK() bool { return len(r.Damage) == 0 }

// Err is nil if nothing is damaged, and otherwise says what is and what to do.
func (r *Report) Err() error {
	if r.OK() {
		return nil
	}
	var what []string
	players := 0
	for i, d := range r.Damage {
		if i < 5 {
			what = append(what, d.What)
		}
		players += len(d.Players)
	}
	if more := len(r.Damage) - len(what); more > 0 {
		what = append(what, fmt.Sprintf("%d more", more))
	}
	text := strings.Join(what, ", ")
	if players > 0 {
		text += fmt.Sprintf(" (%d players)", players)
	}
	return fmt.Errorf("world %q: %w: %s. \"voxelpopuli world check %s\" says more, with --repair it saves the rest into a new world", r.World, disk.ErrDamaged, text, quoted(r.World))
}

// quoted is a name as it is typed at a shell.
func quoted(name string) string {
	if strings.Contains(name, " ") {
		return `"` + name + `"`
	}
	return name
}

// Print writes a report for a person.
func (r *Report) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Read %d records (%.1f MB) of %d regions in %.1f s.\n", r.Records, float64(r.Bytes)/1e6, r.Regions, r.Took.Seconds())
	for _, d := range r.Damage {
		fmt.Fprintf(&b, "Damaged: %s.", d.What)
		if d.Records > 0 {
			fmt.Fprintf(&b, " %d records cannot be decoded.", d.Records)
		}
		if len(d.Players) > 0 {
			fmt.Fprintf(&b, " Players who were last there: %s.", strings.Join(d.Players, ", "))
		}
		b.WriteByte('\n')
		for _, c := range d.Causes {
			fmt.Fprintf(&b, "    %s\n", c)
		}
	}
	if r.OK() {
		fmt.Fprintf(&b, "Nothing in %s is damaged.\n", r.World)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
