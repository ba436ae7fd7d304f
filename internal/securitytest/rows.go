// Package securitytest is what the tests share that compare messages with
// docs/security.md.
package securitytest

import "strings"

// Rows returns the messages that docs/security.md has a row of five columns about, which
// says at least who may send them and how that is verified. They are named as Go names
// their types: "wire.Hello".
func Rows(page string) map[string]bool {
	rows := map[string]bool{}
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 5 || strings.TrimSpace(cells[1]) == "" || strings.TrimSpace(cells[2]) == "" {
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
