package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/voxelpopuli/voxelpopuli/internal/clock"
	"github.com/voxelpopuli/voxelpopuli/internal/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/keyring"
)

// saveTime is how long a world may take to close.
const saveTime = time.Minute

// Runner is what the commands play and node do: it runs a world until it is
// interrupted, and talks to the person at the terminal.
type Runner struct {
	Config
	// TrustedProxies are Proxies as they were given: addresses or CIDR blocks.
	TrustedProxies []string
	Named          string // a bookmark, or else a world; empty: Config says
	Browser        bool   // open one
	Alone          bool   // no other node may host the world
	// NoPortMapping: the home's router is not asked to open the port.
	NoPortMapping bool
	JSON          bool // one line when the world is open, nothing else
	Out           io.Writer
}

// Run opens the world and returns when it has been closed.
func (r *Runner) Run(ctx context.Context) error {
	r.Create = true
	if err := r.readProxies(); err != nil {
		return err
	}
	if err := r.resolve(); err != nil {
		return err
	}
	if err := r.openToNodes(); err != nil {
		return err
	}
	if r.JoinCode == "" && !r.Whitelist && !r.Loopback() {
		r.JoinCode = RandomCode()
	}
	if len(r.NTP) == 0 && !r.Loopback() { // alone, nobody needs to agree on the time
		r.NTP = clock.DefaultServers
	}
	if len(r.NTP) == 1 && r.NTP[0] == "none" {
		r.NTP = nil
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	h, err := Start(r.Config)
	if (errors.Is(err, ErrPortInUse) || errors.Is(err, disk.ErrInUse)) && r.Browser && r.openRunning(ctx) {
		return nil
	}
	if err != nil {
		return err
	}
	r.opened(h)
	select {
	case <-ctx.Done():
	case <-h.Failed():
	}
	stop() // a second Ctrl-C ends at once: what was acknowledged is on disk
	return r.close(h)
}

// readProxies reads which proxies are trusted.
func (r *Runner) readProxies() error {
	for _, text := range r.TrustedProxies {
		p, err := netip.ParsePrefix(text)
		if a, noPrefix := netip.ParseAddr(text); noPrefix == nil {
			p, err = a.Unmap().Prefix(a.Unmap().BitLen())
		}
		if err != nil {
			return fmt.Errorf("%w: --trusted-proxy %q: want an address or a block such as 10.0.0.0/8", ErrUsage, text)
		}
		r.Proxies = append(r.Proxies, p)
	}
	return nil
}

// resolve replaces bookmarks by the addresses that they are of.
func (r *Runner) resolve() error {
	data := r.withDefaults().Data
	if r.Named != "" {
		all, err := Bookmarks(data)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(m Bookmark) bool { return strings.EqualFold(m.Name, r.Named) }) {
			r.Join = append([]string{r.Named}, r.Join...)
		} else {
			r.World = r.Named
		}
	}
	var addrs []string
	for _, text := range r.Join {
		a, err := Resolve(data, text)
		if err != nil {
			return err
		}
		addrs = append(addrs, a...)
	}
	r.Join = addrs
	return nil
}

// openToNodes chooses the port for other nodes: that of the players, unless it
// was chosen.
func (r *Runner) openToNodes() error {
	if r.Alone {
		return nil
	}
	if r.Nodes != "" {
		r.MapPort = r.mapsPort()
		return nil
	}
	addr, err := r.withDefaults().address()
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(addr)
	r.Nodes = net.JoinHostPort("", port)
	r.MapPort = r.mapsPort()
	return err
}

// mapsPort reports whether a router is asked to open the port for nodes: if that
// is of use to others, because they may play here or it joins them.
func (r *Runner) mapsPort() bool {
	if r.NoPortMapping || near(r.Nodes) {
		return false
	}
	return !r.Loopback() || slices.ContainsFunc(r.Join, func(a string) bool { return !near(a) })
}

// near reports whether an address is of this machine only.
func near(addr string) bool {
	name, _, err := net.SplitHostPort(addr)
	if err != nil {
		name = strings.Trim(addr, "[]")
	}
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

// close ends the world and says that all is well.
func (r *Runner) close(h *Host) error {
	r.say("\nSaving %s…", h.World().Name)
	ctx, cancel := context.WithTimeout(context.Background(), saveTime)
	defer cancel()
	if err := h.Close(ctx); err != nil {
		return err
	}
	r.say("Everything is saved. Goodbye.")
	return nil
}

func (r *Runner) say(format string, args ...any) {
	if !r.JSON {
		fmt.Fprintf(r.Out, format+"\n", args...)
	}
}

// Opened is the line of JSON that says that a world is open.
type Opened struct {
	World    string   `json:"world"`
	ID       string   `json:"id"`
	Seed     string   `json:"seed"`
	URL      string   `json:"url"`
	Friends  []string `json:"friends"`
	JoinCode string   `json:"join_code,omitempty"`
	Nodes    string   `json:"nodes,omitempty"` // the address that other nodes join by
	Dir      string   `json:"dir"`
}

func (r *Runner) opened(h *Host) {
	m := h.World()
	o := Opened{World: m.Name, ID: m.ID.String(), Seed: m.Seed, URL: h.URL(), Friends: h.FriendURLs(), JoinCode: r.JoinCode, Dir: h.Dir()}
	if at := h.NodeAddr(); at.IsValid() {
		o.Nodes = at.String()
	}
	if r.JSON {
		_ = json.NewEncoder(r.Out).Encode(o) // a closed pipe is no reason to close the world
		return
	}
	r.say("%s is open (seed %s, kept in %s).\n", o.World, o.Seed, o.Dir)
	r.say("  You:      %s", r.ownPage(h))
	for _, f := range o.Friends {
		r.say("  Friends:  %s", PageURL(f, o.JoinCode, ""))
	}
	if o.JoinCode != "" {
		r.say("  Code:     %s", o.JoinCode)
	}
	if o.Nodes != "" {
		r.say("  Nodes:    voxelpopuli play --join %s", o.Nodes)
	}
	r.say("\nCtrl-C saves everything and ends.")
	r.openBrowser(o.URL, h.local)
}

// ownPage is the owner's page as it is printed: with the secret where only the
// owner reads it, in a terminal, and without it where it would go into a log.
func (r *Runner) ownPage(h *Host) string {
	if f, ok := r.Out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return h.LocalURL()
	}
	return h.URL() + " (as the owner: add #local= and what " + filepath.Join(h.cfg.Data, "keys", "local.secret") + " says)"
}

// PageURL is the page with the join code and the proof of who is local filled in;
// what stands behind # is not sent over the network.
func PageURL(base, code, local string) string {
	behind := url.Values{}
	if code != "" {
		behind.Set("code", code)
	}
	if local != "" {
		behind.Set("local", local)
	}
	if len(behind) == 0 {
		return base
	}
	return base + "#" + behind.Encode()
}

// openBrowser opens the owner's page, with a ticket: other users of this machine
// can see what a browser was started with.
func (r *Runner) openBrowser(base string, local keyring.LocalSecret) {
	if !r.Browser {
		return
	}
	if err := OpenBrowser(PageURL(base, "", local.Ticket(time.Now()))); err != nil {
		r.say("No browser could be opened: open the page above yourself.")
	}
}

// openRunning opens the browser for a world that another process has open at
// our address already; it reports false if that is another program, or another
// world.
func (r *Runner) openRunning(ctx context.Context) bool {
	c := r.withDefaults()
	addr, err := c.address()
	if err != nil || !c.Loopback() {
		return false
	}
	base := "http://" + addr + "/"
	local, err := keyring.ReadLocal(c.Data)
	if err != nil {
		return false
	}
	s, err := Ask(ctx, base, local)
	if err != nil || s.World.Name != c.World {
		return false
	}
	r.say("%s is open already: %s", c.World, base)
	r.openBrowser(base, local)
	return true
}

var asking = &http.Client{Timeout: 5 * time.Second}
