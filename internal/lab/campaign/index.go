package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeIndex lists the parts, with what they reproduce and where they come from.
func (c *campaign) writeIndex() error {
	var b strings.Builder
	b.WriteString("# Results of `vplab run all`\n\n| part | of the sources | command | commit | machine | seconds | |\n|---|---|---|---|---|---|---|\n")
	for _, p := range c.parts {
		r, ok := c.complete(p)
		if !ok {
			fmt.Fprintf(&b, "| %s | %s | `%s` | | | | missing |\n", p.Name, p.Of, p.Command(c.Seed))
			continue
		}
		state := "complete"
		if r.Failure != "" {
			state = "failed: " + strings.ReplaceAll(r.Failure, "|", "/")
		}
		fmt.Fprintf(&b, "| [%s](%s/report.txt) | %s | `%s` | %.12s | %s | %.0f | %s |\n", p.Name, p.Name, p.Of, r.Command, r.Commit, r.Machine, r.Seconds, state)
	}
	return os.WriteFile(filepath.Join(c.Out, "index.md"), []byte(b.String()), 0o644)
}
