package linklab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/page"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/netns"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/web"
)

var JoinByLink = lab.Experiment{
	Name:   "join-by-link",
	Shows:  "how long it takes from opening a link until one stands in the world, in a Chromium that has never seen it, by each kind of path",
	Source: "own aims: 4 s directly and 8 s through a punched hole, better 2 and 5 s",
	Settings: []lab.Setting{
		{Name: "visits", Default: "3", Text: "times that each link is opened, each with a new profile; the median counts"},
	},
	Run: runJoinByLink,
}

// linkPath is a way to a world.
type linkPath struct {
	name        string
	home, guest string // rules of the routers; empty: there is none
	channels    bool   // the page is no node's
}

var linkPaths = []linkPath{
	{name: "websocket"},
	{name: "direct", channels: true},
	{name: "punched", home: netns.AddressRestricted, guest: netns.Symmetric, channels: true},
	{name: "relayed", home: netns.Symmetric, guest: netns.Symmetric, channels: true},
}

func runJoinByLink(t *lab.Trial) error {
	visits := t.Int("visits", 1)
	if err := t.Settings(); err != nil {
		return err
	}
	if _, err := nodelab.FindBrowser(); err != nil {
		return err
	}
	for _, p := range linkPaths {
		if err := joinBy(t, p, visits); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// joinBy builds a network and lets browsers join a world in it.
func joinBy(t *lab.Trial, p linkPath, visits int) (err error) {
	ctx, cancel := context.WithCancel(t.Context)
	defer cancel()
	dir, err := os.MkdirTemp("", "voxelpopuli-lab-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := netns.New(netns.OneSubnet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	url, err := servePage(ctx, netns.OneSubnet.Own, filepath.Join(dir, "page"))
	if err != nil {
		return err
	}
	w := &linkWorld{ctx: ctx, dir: dir, page: url}
	defer w.close()
	public, err := r.Machine()
	if err != nil {
		return err
	}
	if err := nodelab.FoundWorld(w.folder(), t.Seed, ""); err != nil {
		return err
	}
	link, err := w.start(public, public.Addr)
	if err != nil {
		return err
	}
	guest, router, home := public, (*netns.Machine)(nil), (*netns.Machine)(nil)
	if p.home != "" {
		desk, at, err := r.Behind(p.home)
		if err != nil {
			return err
		}
		home = at
		if link, err = w.start(desk, "0.0.0.0"); err != nil {
			return err
		}
		if guest, router, err = r.Behind(p.guest); err != nil {
			return err
		}
	} else if guest, err = r.Machine(); err != nil {
		return err
	}
	if !p.channels {
		link = fmt.Sprintf("http://%s:%s/#code=%s", public.Addr, netns.NodePort, w.nodes[0].Invitation)
	}
	var ready []float64
	for i := range visits {
		direct := true
		v, err := nodelab.VisitPage(t, link, func() (err error) {
			if router != nil {
				direct, err = isDirect(ctx, router, home.Addr, public.Addr)
			}
			return err
		}, guest.On()...)
		if err != nil {
			return err
		}
		t.Logf("%s, visit %d: in the world after %.2f s; the path is direct: %t", p.name, i+1, v.Ready/1e3, direct)
		if want := p.name != "relayed"; direct != want {
			return fmt.Errorf("the path is direct: %t", direct)
		}
		ready = append(ready, v.Ready/1e3)
	}
	t.Metric(p.name+"_ready_s", lab.Percentile(ready, 0.5), "s")
	t.Metric(p.name+"_worst_s", lab.Percentile(ready, 1), "s")
	return nil
}

// pathSettle is how long a browser has to find its path, pathWatch how long is looked
// which one it uses.
const (
	pathSettle = 5 * time.Second
	pathWatch  = 3 * time.Second
)

// isDirect reports whether a browser sends more to the router of its world than to the
// node that helps.
func isDirect(ctx context.Context, router *netns.Machine, home, helper string) (bool, error) {
	var sent [2][2]int
	for i := range sent {
		if err := lab.Sleep(ctx, []time.Duration{pathSettle, pathWatch}[i]); err != nil {
			return false, err
		}
		for j, to := range []string{home, helper} {
			n, err := router.Sent(to)
			if err != nil {
				return false, err
			}
			sent[i][j] = n
		}
	}
	return sent[1][0]-sent[0][0] > sent[1][1]-sent[0][1], nil
}

// linkWorld are the nodes of a world that is joined by links.
type linkWorld struct {
	ctx       context.Context
	dir, page string
	nodes     []*nodelab.NodeProcess
}

func (w *linkWorld) close() {
	for _, n := range w.nodes {
		n.Close()
	}
}

func (w *linkWorld) folder() string { return filepath.Join(w.dir, fmt.Sprint("node", len(w.nodes))) }

// start starts a node, which joins by the first, and waits until its link names all.
func (w *linkWorld) start(at *netns.Machine, addr string) (link string, err error) {
	p, err := lab.Start(w.ctx, nodelab.ChildHost, os.Stderr, at.On()...)
	if err != nil {
		return "", err
	}
	n := &nodelab.NodeProcess{Process: p, Data: w.folder()}
	o := nodelab.NodeOrder{Data: n.Data, At: addr + ":" + netns.NodePort, Share: true, Page: w.page}
	if len(w.nodes) > 0 {
		o.Invitation = w.nodes[0].Invitation
	}
	w.nodes = append(w.nodes, n)
	if n.NodeReport, err = n.Ask(o); err != nil {
		return "", err
	}
	for end := time.Now().Add(nodelab.SettleTime); strings.Count(n.Link, "at=") < len(w.nodes); {
		if time.Now().After(end) {
			return "", fmt.Errorf("the link of node %d is %q", len(w.nodes), n.Link)
		}
		if err := lab.Sleep(w.ctx, 200*time.Millisecond); err != nil {
			return "", err
		}
		if n.NodeReport, err = n.Ask(nodelab.NodeOrder{}); err != nil {
			return "", err
		}
	}
	return n.Link, nil
}

// servePage serves the page that is no node's until ctx ends.
func servePage(ctx context.Context, host, dir string) (url string, err error) {
	if _, err := page.Write(web.Files(), dir); err != nil {
		return "", err
	}
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return "", err
	}
	s := &http.Server{Handler: http.FileServer(http.FS(os.DirFS(dir)))}
	context.AfterFunc(ctx, func() { s.Close() })
	go func() { _ = s.Serve(l) }() // until it is closed
	return fmt.Sprintf("http://%s/", l.Addr()), nil
}
