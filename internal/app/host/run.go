package host

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/net/clock"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// closeTime is how long clients and the node may take to end: the node itself takes 18
// seconds at most, eight to save and ten to hand over.
const closeTime = 22 * time.Second

// Runner is what the commands play and node do: it runs a world until it is
// interrupted, and talks to the person at the terminal.
type Runner struct {
	Config
	// TrustedProxies are Proxies as they were given: addresses or CIDR blocks.
	TrustedProxies []string
	OwnerKey       string // Owner as it was given: a player's public key or id
	Named          string // a bookmark, or else a world; empty: Config says
	Browser        bool   // open one
	Alone          bool   // no other node may host the world
	JSON           bool   // one line when the world is open, nothing else
	Out            io.Writer
}

// Run opens the world and returns when it has been closed.
func (r *Runner) Run(ctx context.Context) error {
	r.Create = true
	if err := r.readProxies(); err != nil {
		return err
	}
	if err := r.readOwner(); err != nil {
		return err
	}
	if err := r.resolve(); err != nil {
		return err
	}
	if err := r.openToOthers(); err != nil {
		return err
	}
	if r.JoinCode == "" && !r.Whitelist && !r.Loopback() {
		r.Code = RandomCode
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
			a = limit.Canonical(a)
			p, err = a.Prefix(a.BitLen())
		}
		p, ok := limit.CanonicalPrefix(p)
		if err != nil || !ok {
			return fmt.Errorf("%w: --trusted-proxy %q: want an address or a block such as 10.0.0.0/8", ErrUsage, text)
		}
		r.Proxies = append(r.Proxies, p)
	}
	return nil
}

// readOwner reads which player owns this machine.
func (r *Runner) readOwner() error {
	if r.OwnerKey == "" {
		return nil
	}
	if key, err := hex.DecodeString(r.OwnerKey); err == nil && len(key) == ed25519.PublicKeySize {
		r.Owner = id.Of(key)
		return nil
	}
	who, err := id.Parse(r.OwnerKey)
	if err != nil {
		return fmt.Errorf("%w: --owner %q: want a player's public key, 64 digits, as the page shows it under \"Your key\", or a player's id, 40 digits", ErrUsage, r.OwnerKey)
	}
	r.Owner = who
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
		if invitation.Is(text) {
			if err := r.accept(text); err != nil {
				return err
			}
			for _, a := range r.Invitation.Addrs {
				addrs = append(addrs, a.String())
			}
			continue
		}
		a, err := Resolve(data, text)
		if err != nil {
			return err
		}
		addrs = append(addrs, a...)
	}
	r.Join = addrs
	return nil
}

// close ends the world and says that all is well.
func (r *Runner) close(h *Host) error {
	r.say("\nSaving %s…", h.World().Name)
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
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
