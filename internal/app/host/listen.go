package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/netip"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// listen opens the ports for players.
func (h *Host) listen() error {
	addr, err := h.cfg.address()
	if err != nil {
		return err
	}
	ring, err := keyring.Open(h.cfg.Data)
	if err != nil {
		return err
	}
	if h.local, err = ring.Local(); err != nil {
		return err
	}
	if h.cfg.JoinCode == "" && h.cfg.Code != nil && !h.needsCode() {
		h.cfg.JoinCode = h.cfg.Code()
	}
	if err := h.listeners.openCertificates(); err != nil {
		return err
	}
	cfg := gateway.Config{
		Local: h.local,
		Game:  gateway.Node{Node: h.client}, Code: h.cfg.JoinCode, Whitelist: h.whitelist(),
		Invited: h.needsCode(), Guest: h.guest, Sharing: h.sharing, Owner: h.cfg.Owner,
		Hosts: h.cfg.Hosts, Outer: h.router.playerAddrs, Proxies: h.cfg.Proxies, Open: h.cfg.OpenStatus, Limits: h.cfg.Limits, Stats: h.figures, Log: h.cfg.Log, Console: h.openConsole(ring), Map: h.openMap(), Content: h.content,
	}
	if h.cfg.Share {
		cfg.Inviter = h.Inviter()
	}
	if h.peers != nil {
		cfg.Entrances = h.entrances.all
	}
	if err := h.listeners.open(cfg, addr); err != nil {
		return err
	}
	if err := h.listenBrowsers(ring); err != nil {
		return err
	}
	h.router.openForPlayers(h.listeners.addr, h.listeners.https)
	return h.announce()
}

// JoinCode is what players from elsewhere must know; empty: none.
func (h *Host) JoinCode() string { return h.cfg.JoinCode }

// figures are what /status and /metrics show of the node.
func (h *Host) figures(ctx context.Context) (gateway.Stats, error) {
	var out gateway.Stats
	var err error
	if out.Stats, err = h.loop.Stats(ctx); err != nil {
		return out, err
	}
	n, err := h.Stats(ctx)
	out.Tick, out.Players, out.Regions, out.Writes = n.Tick, n.Sessions, len(n.Regions), n.Writes
	for i := range n.Regions {
		r := &n.Regions[i]
		out.Ticks.Merge(&r.Tick)
		if r.Tick.Count > 0 {
			l := gateway.RegionLoad{X: r.Pos.X, Z: r.Pos.Z, Players: r.Figures.Players, Mobs: r.Figures.Mobs, Watched: r.Figures.Subscribers}
			l.SetTicks(&r.Tick)
			out.Slowest = append(out.Slowest, l)
		}
	}
	slices.SortStableFunc(out.Slowest, func(a, b gateway.RegionLoad) int { return cmp.Compare(b.P99, a.P99) })
	out.Slowest = out.Slowest[:min(len(out.Slowest), shownRegions)]
	if err != nil {
		return out, err
	}
	out.Disk = diskFigures(h.world.Store.Stats())
	out.Hosting, err = h.hosting(ctx, &n)
	return out, err
}

// shownRegions is how many regions the status shows.
const shownRegions = 10

// Addr is the address that the gateway listens on.
func (h *Host) Addr() netip.AddrPort { return h.listeners.addr }

// LocalURL is the page for the owner of this machine: URL with the secret of the
// data folder, which stands behind # and so is not sent over the network.
func (h *Host) LocalURL() string { return PageURL(h.URL(), "", string(h.local)) }

// Local is the secret of the data folder, which LocalURL has and Ask wants.
func (h *Host) Local() keyring.LocalSecret { return h.local }

// OwnAddress is the address of a gateway for client.Dial. If it is of this machine
// the data folder's secret is added, so that programs of the owner are local.
func OwnAddress(data, addr string) (string, error) {
	local, err := keyring.ReadLocal(data)
	if err != nil || local == "" || strings.Contains(addr, "#") || !near(strings.Trim(strings.TrimPrefix(addr, "http://"), "/")) {
		return addr, err
	}
	return PageURL(addr, "", string(local)), nil
}

// URL is the page for a browser on this machine.
func (h *Host) URL() string { return h.listeners.url() }

// FriendURLs are the page as others reach it, those from farthest away first; none if
// only this machine can.
func (h *Host) FriendURLs() []string { return h.listeners.friendURLs() }

// Loopback reports whether only this machine can reach what Config listens on for
// players.
func (c Config) Loopback() bool { return !c.TLS.wanted() && c.listensHere() }

// listensHere reports whether Listen is an address that only this machine reaches.
func (c Config) listensHere() bool {
	addr, err := c.withDefaults().address()
	return err == nil && gateway.Config{}.CheckListen(addr) == nil
}

// RandomCode makes a join code that can be told over the phone: eight letters
// and digits that are not mistaken for each other, 40 bits.
func RandomCode() string {
	const letters = "abcdefghjkmnpqrstuvwxyz23456789"
	var b strings.Builder
	for b.Len() < 8 {
		var r [1]byte
		rand.Read(r[:])
		if int(r[0]) < 256/len(letters)*len(letters) {
			b.WriteByte(letters[int(r[0])%len(letters)])
		}
	}
	return b.String()
}

// LoopStats reads how the node's loop does.
func (h *Host) LoopStats(ctx context.Context) (transport.Stats, error) { return h.loop.Stats(ctx) }

// NetStats are the figures of what the node says to others.
func (h *Host) NetStats(ctx context.Context) (transport.NetStats, error) { return h.loop.NetStats(ctx) }
