package truthlab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/internal/store/authority"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// TruthZones is r. The two that tamper are of one zone: three of four decide.
const TruthZones = 4

// truthNet is the experiment's world.
type truthNet struct {
	ctx       context.Context
	dir       string
	t         *lab.Trial
	authority *authority.Authority
	rules     voxelrules.Config
	nodes     []*truthProcess
	past      *truthPast
	every     time.Duration
	protocol  string
}

// truthProcess is one node.
type truthProcess struct {
	*lab.Process
	data, paper, list string
	forges            bool
	truthReport
}

// found makes the authority, its world and its nodes' processes.
func (n *truthNet) found(nodes int, latency time.Duration) (err error) {
	if n.dir, err = os.MkdirTemp("", "voxelpopuli-lab-"); err != nil {
		return err
	}
	if n.authority, err = authority.Init(filepath.Join(n.dir, "authority"), TruthZones, time.Now()); err != nil {
		return err
	}
	list, err := n.authority.Revoke(time.Now())
	if err != nil {
		return err
	}
	for i := range nodes {
		p := &truthProcess{data: filepath.Join(n.dir, fmt.Sprint("node", i)), forges: i == 4 || i == 8}
		p.paper, p.list = filepath.Join(p.data, "certificate.pem"), filepath.Join(p.data, "revocations.pem")
		if err := n.admit(p, i%TruthZones); err != nil {
			return err
		}
		if err := files.Write(p.list, keyring.RevocationsText(list), 0o644); err != nil {
			return err
		}
		n.nodes = append(n.nodes, p)
	}
	folder, err := worldfs.OpenFolder(n.nodes[0].data)
	if err != nil {
		return err
	}
	// Ten nodes have found their places long before this is over.
	given := &host.Storage{After: 20*time.Second + time.Duration(nodes)*2*time.Second, LMax: latency, Regions: n.rules.Regions}
	if _, err := host.CreateWorld(folder, host.NewWorld{
		Name: nodelab.LabWorld, Seed: fmt.Sprint(n.rules.Seed), Mode: "creative", Genesis: n.authority.Genesis(), Storage: given,
	}); err != nil {
		return err
	}
	for i, p := range n.nodes {
		if p.Process, err = lab.Start(n.ctx, childTruth, os.Stderr); err != nil {
			return err
		}
		o := truthOrder{Data: p.data, Paper: p.paper, List: p.list, Forges: p.forges, Alters: i == 4, Protocol: n.protocol, Rules: n.rules}
		if i > 0 {
			o.Join = []string{n.nodes[0].Nodes}
		}
		if err := p.ask(o); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	n.every = n.nodes[0].Truth.Every
	n.past = newTruthPast(n.rules, n.nodes[0].Truth.Begin, n.every)
	return nil
}

// admit gives a node a key and a certificate. The authority draws places; keys
// are made anew until one has its place in the wanted zone; who is to tamper gets
// one in the middle, so that it holds what the players build.
func (n *truthNet) admit(p *truthProcess, zone int) error {
	space := overlay.SpaceFor(TruthZones)
	for {
		if err := os.MkdirAll(p.data, 0o700); err != nil {
			return err
		}
		ring, err := keyring.Open(p.data)
		if err != nil {
			return err
		}
		key, err := ring.Node(0, nil)
		if err != nil {
			return err
		}
		c, err := n.authority.Issue(key.Public(), "", time.Now().Add(-time.Minute), time.Now().Add(time.Hour))
		if err != nil {
			return err
		}
		sub := space.SubArea(zone)
		middle := geom.Point{X: sub.Min.X/2 + sub.Max.X/2, Y: sub.Min.Y/2 + sub.Max.Y/2}
		near := c.Pos.Dist2(middle) < int64(space.SubSide()/4)*int64(space.SubSide()/4)
		if space.Zone(c.Pos) == zone && (near || !p.forges) {
			return files.Write(p.paper, keyring.CertificateText(c), 0o644)
		}
		if err := os.RemoveAll(p.data); err != nil {
			return err
		}
	}
}

func (p *truthProcess) ask(o truthOrder) error {
	p.truthReport = truthReport{}
	err := p.Do(o, &p.truthReport, nodelab.SettleTime)
	if err == nil && p.Error != "" {
		err = errors.New(p.Error)
	}
	return err
}

// each asks all nodes for what they hold.
func (n *truthNet) each() error {
	for i, p := range n.nodes {
		if err := p.ask(truthOrder{After: n.past.at}); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	return nil
}

// begun waits until the storage has begun, and all nodes take part in it.
func (n *truthNet) begun() error {
	return n.wait("for all nodes to hold their part of the first update", n.past.time(0), nodelab.SettleTime, n.nodes,
		func(p *truthProcess) bool { return p.State != nil })
}

// askEvery is how often nodes are asked for what is waited for.
const askEvery = 500 * time.Millisecond

// wait asks all nodes until something is so at some of them. It gives up when it
// has become so at none more for long, from some time on. How long is counted in
// answers: where the nodes' machine has no time for them, they take longer, too.
func (n *truthNet) wait(what string, from time.Time, patience time.Duration, at []*truthProcess, so func(*truthProcess) bool) error {
	for best, left := -1, patience; ; left -= askEvery {
		if err := n.each(); err != nil {
			return err
		}
		is := 0
		for _, p := range at {
			if so(p) {
				is++
			}
		}
		switch {
		case is == len(at):
			return nil
		case is > best || time.Now().Before(from):
			best, left = max(is, best), patience
		case left <= 0:
			return fmt.Errorf("waited too long %s: %d of %d do", what, is, len(at))
		}
		if err := lab.Sleep(n.ctx, askEvery); err != nil {
			return err
		}
	}
}

func (n *truthNet) honest() (out []*truthProcess) {
	for _, p := range n.nodes {
		if !p.forges {
			out = append(out, p)
		}
	}
	return out
}

// sent is how many bytes of the overlay's and the storage's messages honest nodes
// have sent, when they were asked last.
func (n *truthNet) sent() (all uint64) {
	for _, p := range n.honest() {
		all += p.Sent
	}
	return all
}

// next is the first update that has not been due yet.
func (n *truthNet) next() int64 { return int64(time.Since(n.past.time(0))/n.every) + 1 }

// close ends all processes and forgets the world.
func (n *truthNet) close() error {
	for _, p := range n.nodes {
		if p.Process != nil {
			_ = p.Kill() // it may have ended by itself
		}
	}
	var err error
	if n.authority != nil {
		err = n.authority.Close()
	}
	return errors.Join(err, os.RemoveAll(n.dir))
}
