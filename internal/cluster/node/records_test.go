package node

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// savedRecords are the records of shards that the disk of a node has, each under its key, and
// whether it has them as they were saved before.
func (c *cluster) savedRecords(i int) (each []machine.KV, before bool) {
	for _, kv := range c.nodes[i].Disk.All(part.NodeSpace) {
		before = before || string(kv.Key) == oldRecordsKey
		if bytes.HasPrefix(kv.Key, []byte(recordKey)) {
			each = append(each, kv)
		}
	}
	return each, before
}

// saveAsBefore makes what the disk of a node has of records of shards what an older program
// would have written.
func (c *cluster) saveAsBefore(i int) {
	each, _ := c.savedRecords(i)
	all := machine.KV{Key: []byte(oldRecordsKey), Value: []byte{1}}
	w := machine.DiskWrite{Space: part.NodeSpace}
	for _, kv := range each {
		all.Value = append(append(all.Value, kv.Key[len(recordKey):]...), kv.Value[1:]...)
		w.Delete = append(w.Delete, kv.Key)
	}
	w.Put = []machine.KV{all}
	c.nodes[i].Call(func() { c.node(i).net.store.do(jobSave, w) })
}

// TestRecordsOutliveNodes: all nodes of a world but one end within seconds, the hosts of a
// region with their disks. When the others are back, they know from theirs that the region
// had hosts: it continues from a copy. Without its record, whoever creates it would begin
// with the land as it was generated. Some of the nodes have saved their records as an older
// program did.
func TestRecordsOutliveNodes(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c, g, home := playedIn(t, 1)
	hosts := c.hostsOf(home)
	c.s.Run(10 * time.Second) // the window
	c.destroy(hosts)
	var others []int
	for i := range c.nodes {
		if !slices.Contains(hosts, i) {
			others = append(others, i)
			if i%2 == 0 {
				c.saveAsBefore(i)
			}
		}
	}
	c.s.Run(time.Second)
	for _, i := range others {
		c.nodes[i].Crash()
	}
	c.s.Run(5 * time.Second)
	for _, i := range others {
		c.nodes[i].Restart()
	}
	g.quiet = false
	c.until("somebody leads it", func() bool { return c.leaderOf(home) >= 0 })
	if c.noted("It was restored to its state of") == 0 {
		t.Error("it began anew")
	}
	for _, i := range others {
		if each, before := c.savedRecords(i); len(each) == 0 || before {
			t.Errorf("node %d has %d records on its disk; as before: %v", i, len(each), before)
		}
	}
	c.buildsOn(g, g.acted+4)
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}
