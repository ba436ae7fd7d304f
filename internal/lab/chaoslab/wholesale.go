package chaoslab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// Faults that a group of three does not survive: all hosts of a part are killed at once,
// with or without their disks, and a host comes back with a disk of an earlier time.

// lossFaults are what else goes wrong with --set losses=1.
var lossFaults = []chaosFault{
	{"all_hosts_killed", 8, 2, 10, (*chaos).killNode, (*chaos).start, (*chaos).allHosts},
	{"all_disks_lost", 8, 6, 10, (*chaos).wipeNode, (*chaos).start, (*chaos).allHostsForGood},
	{"old_disks", 8, 2, 8, (*chaos).copyDisk, (*chaos).putDiskBack, nil},
}

// firstWipe is the first round in which disks are deleted: there are copies of what was
// built by then.
const firstWipe = 5

// betweenWipes is for how many rounds no disks are deleted after others were: so long the
// part needs for new copies on other nodes, of which the whole is sent once a minute at
// most. Whoever deletes all copies of something has deleted it.
const betweenWipes = 35

// allHostsForGood chooses nodes whose disks are deleted. The founder's has the key that
// makes operators, which no other node has.
func (c *chaos) allHostsForGood(round int, well []*chaosProcess, r *rng.Rand) []*chaosProcess {
	if round < c.wipeFrom {
		return nil
	}
	all := c.allHosts(round, slices.DeleteFunc(well, func(p *chaosProcess) bool { return p.number == 0 }), r)
	if len(all) > 0 {
		c.wipeFrom = round + betweenWipes
	}
	return all
}

// allHosts chooses the hosts of a part that one of some nodes leads, if all of them are
// among these, and enough other nodes are there to go on.
func (c *chaos) allHosts(_ int, among []*chaosProcess, r *rng.Rand) []*chaosProcess {
	byID := map[string]*chaosProcess{}
	for _, p := range among {
		byID[p.last.Node] = p
	}
	var all [][]*chaosProcess
	for _, p := range among {
		for _, part := range p.last.Parts {
			var hosts []*chaosProcess
			for _, m := range part.Members {
				if h := byID[m]; h != nil {
					hosts = append(hosts, h)
				}
			}
			if part.Leads && len(hosts) == len(part.Members) && len(hosts) == 3 && len(c.nodes) > 2*len(hosts) {
				all = append(all, hosts)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[r.Intn(len(all))]
}

// wipeNode kills a node and deletes all that it has: it comes back as another one.
func (c *chaos) wipeNode(p *chaosProcess, _ *rng.Rand) error {
	p.kill()
	return os.RemoveAll(p.config.Data)
}

// copyDisk copies a node's disk, which it is put back to later.
func (c *chaos) copyDisk(p *chaosProcess, _ *rng.Rand) error {
	if err := lab.StopProcess(p.Cmd.Process); err != nil {
		return err
	}
	p.taken = time.Now()
	err := os.CopyFS(p.oldDisk(), os.DirFS(p.disk()))
	return errors.Join(err, lab.ContProcess(p.Cmd.Process))
}

// putDiskBack kills a node and starts it with the disk that it had when it was copied.
func (c *chaos) putDiskBack(p *chaosProcess) error {
	p.kill()
	if err := errors.Join(os.RemoveAll(p.disk()), os.Rename(p.oldDisk(), p.disk())); err != nil {
		return fmt.Errorf("put the disk back: %w", err)
	}
	c.putBack = append(c.putBack, oldDisk{p.number, p.taken})
	return c.start(p)
}

func (p *chaosProcess) disk() string    { return filepath.Join(p.config.Data, "worlds") }
func (p *chaosProcess) oldDisk() string { return p.config.Data + ".old" }
