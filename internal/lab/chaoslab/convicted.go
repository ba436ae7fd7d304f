package chaoslab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/voxelpopuli/voxelpopuli/internal/app/evidence"
)

// checkConvictions looks for convictions: all nodes follow the rules, so nobody may have a
// proof against another by replaying its log, whatever went wrong.
func (c *chaos) checkConvictions() error {
	for _, p := range c.nodes {
		for _, who := range p.last.Convicted {
			c.wrong.add("node %d has convicted %s, which is honest", p.number, who)
		}
		c.counts["ticks_replayed"] += int(p.last.Replayed)
		if err := c.readEvidence(p); err != nil {
			return fmt.Errorf("the evidence of node %d: %w", p.number, err)
		}
	}
	if c.counts["ticks_replayed"] == 0 {
		c.wrong.add("no node has replayed what another did")
	}
	return nil
}

// readEvidence reads what a node has written down against others.
func (c *chaos) readEvidence(p *chaosProcess) error {
	f, err := os.Open(filepath.Join(p.dir, "evidence.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	err = evidence.Each(f, func(_ int, line []byte) {
		if s, err := evidence.Explain(line); err == nil {
			c.wrong.add("node %d has a proof against an honest node: %s", p.number, s.Text)
		}
	})
	return errors.Join(err, f.Close())
}
