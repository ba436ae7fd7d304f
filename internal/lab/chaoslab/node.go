package chaoslab

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/clock"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/faulty"
)

// chaosOrder is what chaos says to one of its nodes. The first order has Config;
// of the others each says how bad things are from now on.
type chaosOrder struct {
	Config *chaosConfig  `json:",omitempty"`
	Cut    []string      `json:",omitempty"` // addresses of nodes that this one can send nothing to
	Sync   time.Duration `json:",omitempty"` // how much longer each sync of the disk takes
	Full   bool          `json:",omitempty"` // the disk has no room
	Clock  time.Duration `json:",omitempty"` // an offset that the clock is corrected by, once
}

// chaosConfig is how a node is started.
type chaosConfig struct {
	Data, Seed string
	Nodes      string // UDP address
	Gateway    string
	Listen     string // the gateway's address on the node's own host; empty: the same
	Code       string // what players must know; empty: nothing
	Join       []string
	Leads      string // file for what it leads when
	Held       string // file for who holds tokens
}

// chaosReport is a node's answer.
type chaosReport struct {
	Node, Nodes, URL, Dir string
	Parts                 []chaosPart
	Convicted             []id.ID // by replay
	Replayed              uint64  // ticks of regions that others led, since it was started
	Error                 string
}

// chaosPart is a part of the world that the node keeps.
type chaosPart struct {
	Part  string
	Leads bool
	lead
	Applied uint64
	Members []string // ids
}

// chaosNode is the child process: a host on a network, a disk and a clock that
// can be made bad.
type chaosNode struct {
	*host.Host
	under chaosUnder
}

// chaosUnder is what it stands on.
type chaosUnder struct {
	net   *faulty.Network
	clock *clock.Clock
	sync  atomic.Int64
	full  atomic.Bool
}

func chaosNodeMain(in io.Reader, out io.Writer) error {
	n := &chaosNode{under: chaosUnder{net: faulty.NewNetwork(1), clock: clock.New()}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var o chaosOrder
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		r, err := n.obey(o)
		if err != nil {
			r.Error = err.Error()
		}
		if err := json.NewEncoder(out).Encode(r); err != nil {
			return err
		}
	}
	if n.Host == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return n.Close(ctx)
}

func (n *chaosNode) obey(o chaosOrder) (r chaosReport, err error) {
	if o.Config != nil {
		if err := n.start(o.Config); err != nil {
			return r, err
		}
	}
	u := &n.under
	u.sync.Store(int64(o.Sync))
	u.full.Store(o.Full)
	if o.Clock != 0 {
		u.clock.Adjust(o.Clock)
	}
	if err := u.isolate(o.Cut); err != nil {
		return r, err
	}
	return n.report()
}

func (n *chaosNode) start(c *chaosConfig) (err error) {
	u := &n.under
	held, err := os.OpenFile(c.Held, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	n.Host, err = host.Start(host.Config{
		Data: c.Data, World: "chaos", Create: true, Seed: c.Seed, Mode: "creative", Hosting: "open",
		Listen: cmp.Or(c.Listen, c.Gateway), JoinCode: c.Code, Nodes: c.Nodes, Join: c.Join,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Faults: host.FaultInjection{Packets: u.net.Wrap, Disk: u.disk(vfs.Default), Clock: u.clock,
			Store: func(d transport.Disk) transport.Disk { return &heldDisk{Disk: d, f: held} }},
	})
	if err != nil {
		return err
	}
	go func() { // what cannot go on ends, as the program does
		<-n.Failed()
		os.Exit(1)
	}()
	f, err := os.OpenFile(c.Leads, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	go n.noteLeads(f)
	return nil
}

// isolate lets nothing go to some addresses; nil: all is well.
func (u *chaosUnder) isolate(addrs []string) error {
	cut := map[netip.AddrPort]bool{}
	for _, s := range addrs {
		a, err := netip.ParseAddrPort(s)
		if err != nil {
			return err
		}
		cut[a] = true
	}
	u.net.Cut(func(_, to netip.AddrPort) bool { return cut[to] })
	return nil
}

// disk is a file system whose syncs can be slow and that can be full.
func (u *chaosUnder) disk(on vfs.FS) vfs.FS {
	slow := errorfs.Wrap(on, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch op.Kind {
		case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
			time.Sleep(time.Duration(u.sync.Load()))
		}
		return nil
	}))
	return chaosDisk{slow, u}
}

type chaosDisk struct {
	vfs.FS
	u *chaosUnder
}

// GetDiskUsage implements vfs.FS.
func (d chaosDisk) GetDiskUsage(path string) (vfs.DiskUsage, error) {
	use, err := d.FS.GetDiskUsage(path)
	if d.u.full.Load() {
		use.AvailBytes = 0
	}
	return use, err
}

func (n *chaosNode) report() (r chaosReport, err error) {
	s, err := n.Stats(context.Background())
	if err != nil {
		return r, err
	}
	r.Node, r.Nodes, r.URL, r.Dir = s.Self.ID.String(), nodelab.JoinAddr(n.Host), n.LocalURL(), n.Dir()
	r.Convicted, r.Replayed = s.Convicted, s.LogEntries
	for _, p := range s.Shards {
		if !p.Held {
			continue
		}
		part := chaosPart{Part: p.Shard.String(), Leads: p.Leads, lead: lead{p.Term, p.Fork}, Applied: p.Applied}
		for _, m := range p.Members {
			part.Members = append(part.Members, m.ID.String())
		}
		r.Parts = append(r.Parts, part)
	}
	return r, nil
}

// leadsEvery is how often a node writes down what it leads.
const leadsEvery = 100 * time.Millisecond

// leadsLine says that a node led parts at some moment between two, by the
// system's clock, which all nodes of the experiment share.
type leadsLine struct {
	From, To int64
	Leads    map[string]lead // by part
}

// lead is a term of one of the groups of a part.
type lead struct{ Term, Fork uint64 }

// noteLeads writes down what the node leads, so that it can be read after the
// process was killed.
func (n *chaosNode) noteLeads(f *os.File) {
	for ; ; time.Sleep(leadsEvery) {
		l := leadsLine{From: time.Now().UnixNano(), Leads: map[string]lead{}}
		r, err := n.report()
		l.To = time.Now().UnixNano()
		if err != nil {
			return // the node has stopped
		}
		for _, p := range r.Parts {
			if p.Leads {
				l.Leads[p.Part] = p.lead
			}
		}
		b, err := json.Marshal(l)
		if err == nil {
			_, err = f.Write(append(b, '\n'))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "cannot write down what the node leads:", err)
			os.Exit(1)
		}
	}
}

// What a child can be.
const (
	childNode = "node"
	childSays = "says"
)

// Children are nodes that harm themselves, and what notes what clients were told.
var Children = lab.Children{childNode: chaosNodeMain, childSays: keeperMain}
