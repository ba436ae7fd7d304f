// Package securitytest is what the tests share that compare messages with
// docs/security.md.
package securitytest

import (
	"slices"
	"strings"
)

// Rows returns the messages that docs/security.md has a row of five columns about, none
// of which is empty. They are named as Go names their types: "wire.Hello".
func Rows(page string) map[string]bool {
	rows := map[string]bool{}
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 5 || slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) == "" }) {
			continue
		}
		for _, name := range strings.Split(cells[0], ",") {
			if name = strings.TrimSpace(name); len(name) > 2 && name[0] == '`' && name[len(name)-1] == '`' {
				rows[name[1:len(name)-1]] = true
			}
		}
	}
	return rows
}
