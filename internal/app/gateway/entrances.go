package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
)

// Entrance is another node of the world that lets players in
// (docs/decisions/0031-players-whose-node-dies.md).
type Entrance struct {
	Node   id.ID
	IP     netip.Addr // of the node; not valid: not known
	Port   uint16
	Near   bool     // on this machine
	Local  bool     // only those on its machine reach it by IP and Port
	Names  []string // by which it is reached over https, through a proxy
	Linked bool     // it is there at present
	Hidden bool     // it is reached through the node at the address of Channels
	// Channels is where browsers reach it over data channels; zero: nowhere.
	Channels datachannel.At
}

// owns reports whether a page of this origin is one that the node serves, as far as
// can be told. A page of a node has one of its names, or the node's port and an
// address: the one that is known here, or one that means something only to those
// who are near the node, where no page of the wide web can come from.
func (e *Entrance) owns(origin *url.URL) bool {
	name := strings.ToLower(origin.Hostname())
	if slices.Contains(e.Names, name) {
		return true
	}
	if portOf(origin) != strconv.Itoa(int(e.Port)) {
		return false
	}
	if isLocalhost(name) {
		return true
	}
	ip, err := netip.ParseAddr(name)
	ip = limit.Canonical(ip)
	return err == nil && (ip == e.IP || ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// visiting reports whether a request comes from a page that another node of the
// world has served, which may go on here: it may ask for a session and open a
// socket, and nothing else. It has no rights of this machine.
func (g *Gateway) visiting(r *http.Request) bool {
	if g.cfg.Entrances == nil || r.URL.Path != "/api/session" && r.URL.Path != "/ws" {
		return false
	}
	u, err := url.Parse(r.Header.Get("Origin"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return slices.ContainsFunc(g.cfg.Entrances(), func(e Entrance) bool { return e.owns(u) })
}

// allow lets the browser show the answer to the page that has asked; it reports
// whether the request was only the question whether it may ask.
func allow(w http.ResponseWriter, r *http.Request) (done bool) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	h.Add("Vary", "Origin")
	if r.Method != http.MethodOptions {
		return false
	}
	h.Set("Access-Control-Allow-Methods", http.MethodPost)
	h.Set("Access-Control-Allow-Headers", "Content-Type")
	h.Set("Access-Control-Allow-Private-Network", "true")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// entrances is what a player is told who has come by a request: where to go on when
// this node is gone. What only this machine reaches is told on this machine only.
func (g *Gateway) entrances(r *http.Request) *wire.Entrances {
	out := &wire.Entrances{}
	if g.cfg.Entrances == nil {
		return out
	}
	host, ip, _ := splitHost(r.Host)
	here := remote(r).IsLoopback() && (ip.IsLoopback() || isLocalhost(host))
	add := func(node id.ID, url string) {
		if len(out.List) < wire.MaxEntrances {
			out.List = append(out.List, wire.Entrance{Node: node, URL: url})
		}
	}
	for _, e := range g.cfg.Entrances() {
		if !e.Linked {
			continue
		}
		for _, name := range e.Names {
			add(e.Node, "https://"+name+"/")
		}
		at := ""
		switch {
		case e.Local && !here:
		case e.Near: // reached as this node is
			at = host
		case e.IP.IsValid() && !e.IP.IsLoopback():
			at = e.IP.String()
		}
		if at != "" {
			add(e.Node, "http://"+net.JoinHostPort(strings.Trim(at, "[]"), strconv.Itoa(int(e.Port)))+"/")
		}
	}
	for _, e := range g.channelEntrances().List {
		add(e.Node, e.URL)
	}
	return out
}

// channelEntrances are those by data channels. Who has come by data channels is told
// of no other, since the nodes refuse requests of a page that none of them has served.
func (g *Gateway) channelEntrances() *wire.Entrances {
	out := &wire.Entrances{}
	if g.cfg.Entrances == nil {
		return out
	}
	for _, e := range g.cfg.Entrances() {
		if e.Linked && e.Channels.Addr.IsValid() && len(out.List) < wire.MaxEntrances {
			out.List = append(out.List, wire.Entrance{Node: e.Node, URL: e.Channels.URL()})
		}
	}
	return out
}

// reachable is what the page may talk to, besides 'self'. In a world of several nodes
// it goes on at others when this one is gone. It learns of them while it runs, when
// its policy cannot be changed any more, so that the policy names none. That gives
// little away: what runs on the page is bound by script-src, and a script that got in
// all the same could take what it knows elsewhere by leaving the page.
func (g *Gateway) reachable(r *http.Request) string {
	if g.cfg.Entrances != nil {
		return " http: https: ws: wss:"
	}
	// Safari below 16 does not count WebSockets among 'self'. Host is one that is
	// known: nothing can be smuggled in with it.
	return " ws://" + r.Host + " wss://" + r.Host
}
