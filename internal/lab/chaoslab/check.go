package chaoslab

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
)

// check reads the world back: as a fresh client of every node, from the stores
// of all nodes, and who led what when.
func (c *chaos) check() error {
	for _, p := range c.nodes {
		if err := c.readBy(p); err != nil {
			c.wrong.add("reading by node %d: %v", p.number, err)
		}
	}
	c.logf("read by clients")
	if err := c.wait(c.t.Context, calmTime, c.settled); err != nil {
		c.wrong.add("replicas do not become equal: %v", err)
	}
	for _, p := range c.nodes {
		p.kill()
	}
	if err := c.checkConvictions(); err != nil {
		return err
	}
	if err := c.readLosses(); err != nil {
		return err
	}
	replicas, err := c.readStores()
	if err != nil {
		return err
	}
	c.compare(replicas)
	if err := errors.Join(c.countTokens(replicas), c.checkSigns(replicas), c.checkDoors(replicas)); err != nil {
		return err
	}
	c.logf("read %d replicas", c.counts["replicas"])
	return c.checkLeads()
}

// readBy reads all spots as a client of a node.
func (c *chaos) readBy(p *chaosProcess) error {
	g, err := nodelab.JoinAs(c.t.Context, p.config.Gateway, c.reader, calmTime)
	if err != nil {
		return err
	}
	defer g.Close()
	for _, e := range c.editors {
		if err := goTo(c.t.Context, g, e.home, e.spots); err != nil {
			return err
		}
		c.look(fmt.Sprintf("a client of node %d", p.number), g, e.spots)
	}
	return c.readMarket(fmt.Sprintf("a client of node %d", p.number), g)
}

// replica is what a node's store has of a part.
type replica struct {
	node  int
	space string
	kept  group.SavedState
	kvs   []machine.KV
}

// readStores reads all replicas of all nodes, which have stopped.
func (c *chaos) readStores() (out map[string][]replica, err error) {
	out = map[string][]replica{}
	for _, p := range c.nodes {
		s, err := disk.OpenWith(filepath.Join(p.dir, "db"), disk.Options{Retry: 5 * time.Second})
		if err != nil {
			return nil, fmt.Errorf("the store of node %d: %w", p.number, err)
		}
		spaces, err := s.Spaces()
		for _, own := range spaces {
			space, ok := strings.CutPrefix(own, group.OwnSpace(""))
			if !ok || err != nil {
				continue
			}
			r := replica{node: p.number, space: space}
			var state []machine.KV
			if state, err = s.Read(machine.DiskRead{Space: own}); err == nil {
				r.kept, err = group.ReadSavedState(state)
			}
			if err == nil {
				r.kvs, err = s.Read(machine.DiskRead{Space: space})
			}
			if err == nil && !r.kept.Removed {
				out[space] = append(out[space], r)
			}
		}
		if cerr := s.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return nil, fmt.Errorf("the store of node %d: %w", p.number, err)
		}
	}
	return out, nil
}

// compareKnown compares the replicas with each other and with what was acknowledged.
func (c *chaos) compare(replicas map[string][]replica) {
	for _, space := range slices.Sorted(maps.Keys(replicas)) {
		all := replicas[space]
		slices.SortStableFunc(all, func(a, b replica) int {
			return cmp.Or(b.kept.Gen.Compare(a.kept.Gen), cmp.Compare(b.kept.Applied, a.kept.Applied))
		})
		first := all[0]
		c.counts["parts"]++
		for _, r := range all {
			if !slices.ContainsFunc(first.kept.Members, func(m group.Member) bool { return m.ID == r.kept.Self }) {
				continue // was a member once
			}
			c.counts["replicas"]++
			switch {
			case r.kept.Gen != first.kept.Gen:
				c.wrong.add("%s: nodes %d and %d have two groups: %v, %v", space, first.node, r.node, first.kept.Gen, r.kept.Gen)
			case r.kept.Applied != first.kept.Applied:
				c.counts["replicas_behind"]++ // what it lacks is in its log
			case !slices.EqualFunc(r.kvs, first.kvs, sameKV):
				c.wrong.add("%s: nodes %d and %d differ at entry %d: %s", space, first.node, r.node, r.kept.Applied, differs(first.kvs, r.kvs))
			}
		}
		c.compareBlocks(&first)
	}
	for _, e := range c.editors {
		for _, s := range e.spots {
			if space := region.Space(s.at.Column().Region()); replicas[space] == nil && !s.may[world.Air] {
				c.wrong.add("%s is nowhere: %v", space, s)
			}
		}
	}
}

func sameKV(a, b machine.KV) bool {
	return bytes.Equal(a.Key, b.Key) && bytes.Equal(a.Value, b.Value)
}

// differs names the first record that differs.
func differs(a, b []machine.KV) string {
	for i := range min(len(a), len(b)) {
		if !sameKV(a[i], b[i]) {
			return fmt.Sprintf("%q %x, %q %x", a[i].Key, a[i].Value, b[i].Key, b[i].Value)
		}
	}
	return fmt.Sprintf("%d and %d records", len(a), len(b))
}

// compareBlocks compares the spots in a region's space with what may be there.
func (c *chaos) compareBlocks(r *replica) {
	for _, e := range c.editors {
		for _, s := range e.spots {
			at := s.at.Column()
			if region.Space(at.Region()) != r.space {
				continue
			}
			col, err := region.Stored(at, r.kvs, c.land.Gen.Column)
			if err != nil {
				c.wrong.add("node %d: %v", r.node, err)
				return
			}
			b := col.At(int(s.at.X&(world.ChunkSize-1)), int(s.at.Y), int(s.at.Z&(world.ChunkSize-1)))
			switch {
			case s.may[b], s.burnt(b):
			case s.allows(b, c.lostAt(s.at)):
				c.counts["lost_places"]++
			default:
				c.wrong.add("node %d has %v, %v", r.node, b, s)
			}
		}
	}
}

// reign is a time for which a node led a part for certain.
type reign struct {
	node int
	part string
	lead
	from, to int64
}

// checkLeads looks for two that led a part at the same time.
func (c *chaos) checkLeads() error {
	byPart := map[string][]*reign{}
	for _, p := range c.nodes {
		all, err := readLeads(p.number, p.config.Leads)
		if err != nil {
			return err
		}
		c.counts["leaderships"] += len(all)
		for _, r := range all {
			byPart[r.part] = append(byPart[r.part], r)
		}
	}
	for _, part := range slices.Sorted(maps.Keys(byPart)) {
		c.wrong.list = append(c.wrong.list, rivals(byPart[part])...)
	}
	return nil
}

// readLeads reads what a node has written down. Within one term a node leads
// without a break or not at all.
func readLeads(node int, file string) (out []*reign, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	type key struct {
		part string
		lead lead
	}
	all := map[key]*reign{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l leadsLine
		if json.Unmarshal(lines.Bytes(), &l) != nil {
			continue // cut off by a kill
		}
		for _, part := range slices.Sorted(maps.Keys(l.Leads)) {
			k := key{part, l.Leads[part]}
			if r := all[k]; r != nil {
				r.to = l.From
			} else {
				all[k] = &reign{node, part, k.lead, l.To, l.To}
				out = append(out, all[k])
			}
		}
	}
	return out, lines.Err()
}

// rivals lists the pairs of nodes that led one group in one term, or one part at one time.
// Who is cut off may begin a part that others begin, too: until they meet, both groups lead,
// and the one that was begun later gives way (docs/protocols/hosting.md).
func rivals(all []*reign) (out []string) {
	for i, a := range all {
		for _, b := range all[:i] {
			switch {
			case a.node == b.node || a.generation() == b.generation() && a.Fork != b.Fork:
			case a.lead == b.lead:
				out = append(out, fmt.Sprintf("%s: nodes %d and %d both led in term %d", a.part, b.node, a.node, a.Term))
			case a.from < b.to && b.from < a.to:
				out = append(out, fmt.Sprintf("%s: node %d led in term %d and node %d in term %d at the same time, for %v", a.part, b.node, b.Term, a.node, a.Term,
					time.Duration(min(a.to, b.to)-max(a.from, b.from))))
			}
		}
	}
	return out
}

// generation is that of the group, which the term begins with.
func (l lead) generation() uint64 { return shardgroup.GenerationOf(l.Term) }

// tailOf is the end of a file.
func tailOf(name string) string {
	b, _ := os.ReadFile(name) // only for an error's text
	return string(b[max(0, len(b)-500):])
}
