package nodelab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// begin lets players edit until a region has had the same leader and three hosts for a
// while, and so many of these replay its log, and then lets a host lie.
func (c *cluster) begin(es *masons, what lie, load time.Duration, follow int, allowed func(leader *NodeProcess) error) (leader, liar *NodeProcess, began time.Time, err error) {
	region := c.spawn.Region()
	if leader, err = c.steady(region, load); err == nil {
		err = allowed(leader)
	}
	if err == nil {
		err = c.replayed(region, leader, follow)
	}
	if liar = leader; err == nil && what.follows {
		liar, err = c.follower(region, leader)
	}
	var built world.Pos
	if err == nil {
		built, err = es.builtIn(region)
	}
	if err != nil {
		return nil, nil, began, err
	}
	o := NodeOrder{Region: &region, Lie: what.name, Place: &built}
	for _, who := range es.who {
		o.Players = append(o.Players, who.Player())
	}
	for end := time.Now().Add(SettleTime); ; {
		if began = time.Now(); !what.restarts {
			_, err = liar.Ask(o)
		}
		if err == nil || err.Error() != errNobodyHome.Error() || time.Now().After(end) {
			return leader, liar, began, err
		}
		if err := lab.Sleep(c.ctx, 100*time.Millisecond); err != nil {
			return nil, nil, began, err
		}
	}
}

// replayed waits until so many hosts of a region besides its leader replay logs.
func (c *cluster) replayed(region world.RegionPos, leader *NodeProcess, follow int) error {
	hosts, err := c.hosts(region)
	if err != nil {
		return err
	}
	delete(hosts, leader)
	first := map[*NodeProcess]uint64{}
	for end := time.Now().Add(SettleTime); time.Now().Before(end); {
		more := 0
		for p := range hosts {
			r, err := p.Ask(NodeOrder{})
			if err != nil {
				return err
			}
			if n, ok := first[p]; !ok {
				first[p] = r.Replayed
			} else if r.Replayed > n {
				more++
			}
		}
		if more >= follow {
			return nil
		}
		if err := lab.Sleep(c.ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("less than %d hosts of the region %v have replayed its log within %v", follow, region, SettleTime)
}

// follower is a host of a region that does not lead it.
func (c *cluster) follower(region world.RegionPos, leader *NodeProcess) (*NodeProcess, error) {
	hosts, err := c.hosts(region)
	if err != nil {
		return nil, err
	}
	for _, p := range c.nodes {
		if _, is := hosts[p]; is && p != leader {
			return p, nil
		}
	}
	return nil, errOtherHosts
}

// leadsNoLobby refuses a leader of a region that hosts the lobby too, for lies about the
// lobby: what a host of the lobby says is believed in part (README, limits).
func (c *cluster) leadsNoLobby(what lie, leader *NodeProcess) error {
	r, err := leader.Ask(NodeOrder{Lobby: true})
	if err == nil && what.lobby && r.Holds {
		err = errOtherHosts
	}
	return err
}

// operators are the players that take themselves for operators.
func (es *masons) operators() (list []bool) {
	for _, e := range es.all {
		list = append(list, e.Self().Operator)
	}
	return list
}

// putBackDisk lets a node play on for a while, kills it, and starts it again with its disk as
// it was before. It returns when it was killed.
func (c *cluster) putBackDisk(p *NodeProcess, load time.Duration) (killed time.Time, err error) {
	disk, old := filepath.Join(p.Data, "worlds"), p.Data+".old"
	err = p.whileStopped(func() error { return os.CopyFS(old, os.DirFS(disk)) })
	if err == nil {
		err = lab.Sleep(c.ctx, load)
	}
	if killed = time.Now(); err == nil {
		err = errors.Join(c.kill(p), os.RemoveAll(disk), os.Rename(old, disk))
	}
	if err == nil {
		err = c.revive(p)
	}
	return killed, err
}

// steady waits until the same node has led a region for a while, with three hosts.
func (c *cluster) steady(region world.RegionPos, long time.Duration) (*NodeProcess, error) {
	for {
		before, err := c.settled(region, 3)
		if err == nil {
			err = lab.Sleep(c.ctx, long)
		}
		if err != nil {
			return nil, err
		}
		if after, have, err := c.leader(region); err != nil || after == before && have >= 3 {
			return after, err
		}
	}
}

// builtIn is a place of a region where an edit was acknowledged.
func (es *masons) builtIn(region world.RegionPos) (world.Pos, error) {
	for _, e := range es.all {
		for at, b := range e.Acknowledged() {
			if b != world.Air && at.Region() == region {
				return at, nil
			}
		}
	}
	return world.Pos{}, errors.New("nobody has built anything in the spawn's region")
}

// wait waits until something is done, at most for some time: it notes when two nodes have
// convicted the liar, when another than the leader leads, and how many convictions there are of
// others.
func (c *cluster) wait(leader *NodeProcess, liar id.ID, region world.RegionPos, began time.Time, most time.Duration, o *lieOutcome, done func() bool) error {
	for end := time.Now().Add(most); time.Now().Before(end) && !done(); {
		o.by, o.honest = 0, 0
		for _, p := range c.nodes {
			if p.dead {
				continue
			}
			r, err := p.Ask(NodeOrder{Region: &region})
			if err != nil {
				return err
			}
			for _, who := range r.Convicted {
				if who == liar {
					o.by++
				} else {
					o.honest++
				}
			}
			if r.Leader == p.Self && p != leader && o.replace == 0 {
				o.replace = time.Since(began).Seconds()
			}
		}
		if o.by >= 2 && !o.caught {
			o.caught, o.convict = true, time.Since(began).Seconds()
		}
		if err := lab.Sleep(c.ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}
