package nodelab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// followed is a server that leads the spawn's region while other processes host it, too:
// they keep its log and replay it.
type followed struct {
	*Server
	followers []*NodeProcess
}

// leadAttempts is how many worlds are begun until the server leads: who is nearest to the
// region's key does, and keys are random.
const leadAttempts = 12

// startFollowed begins a world.
func startFollowed(ctx context.Context, seed uint64, followers int) (f *followed, err error) {
	if followers == 0 {
		s, err := startServer(seed)
		return &followed{Server: s}, err
	}
	for range leadAttempts {
		if f, err = tryFollowed(ctx, seed, followers); err != nil {
			return nil, err
		}
		leads, err := f.leads(ctx)
		if err == nil && leads {
			return f, nil
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("in each of %d worlds another node led the spawn's region", leadAttempts)
}

func tryFollowed(ctx context.Context, seed uint64, followers int) (*followed, error) {
	dir, err := os.MkdirTemp("", "voxelpopuli-lab-")
	if err != nil {
		return nil, err
	}
	data, err := nodeFolder(dir, 0)
	if err == nil {
		err = FoundLab(data, seed)
	}
	var h *host.Host
	if err == nil {
		h, err = host.Start(LabConfig(data, nil))
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	f := &followed{Server: &Server{h, dir}}
	for i := range followers {
		data, err := nodeFolder(dir, i+1)
		var p *NodeProcess
		if err == nil {
			p, err = startNode(ctx, NodeOrder{Data: data, Join: []string{JoinAddr(h)}})
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		f.followers = append(f.followers, p)
	}
	return f, nil
}

// leads reports whether this process leads the spawn's region, once that has all its hosts:
// a crowd of one plays there.
func (f *followed) leads(ctx context.Context) (bool, error) {
	c, err := startCrowd(ctx, crowdOrder{Addr: f.LocalURL(), Seed: f.Seed(), Homes: f.homes(1, 1), Above: 1 << 20}) // names belong to who had them first
	if err != nil {
		return false, err
	}
	defer c.close()
	if _, err := c.do(crowdOrder{Join: 1}); err != nil {
		return false, err
	}
	at := f.spawnRegion()
	for end := time.Now().Add(SettleTime); ; {
		r, err := lookAt(ctx, f.Host, &NodeOrder{Region: &at})
		if err != nil || r.Members > len(f.followers) {
			return r.Leader == r.Self, err
		}
		if time.Now().After(end) {
			return false, fmt.Errorf("the region %v has %d hosts of %d after %v", at, r.Members, len(f.followers)+1, SettleTime)
		}
		if err := lab.Sleep(ctx, 100*time.Millisecond); err != nil {
			return false, err
		}
	}
}

func (f *followed) spawnRegion() world.RegionPos {
	m := f.World()
	return m.Spawn.Region()
}

// work is what the followers have done: seconds of CPU, and entries that they have replayed.
func (f *followed) work() (cpu, replayed float64, err error) {
	for _, p := range f.followers {
		r, err := p.Ask(NodeOrder{})
		if err != nil {
			return 0, 0, err
		}
		cpu += r.CPU
		replayed += float64(r.Replayed)
	}
	return cpu, replayed, nil
}

// Close ends all processes and forgets the world.
func (f *followed) Close() error {
	for _, p := range f.followers {
		_ = p.Kill() // nothing of it is needed any more
	}
	return f.Server.Close()
}
