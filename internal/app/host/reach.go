package host

import (
	"fmt"
	"net/netip"
)

// reach is what is known of how others reach this world.
type reach struct {
	listeners *listeners
	router    *routerPorts
	at        netip.AddrPort // of the node, for other nodes
	mapped    netip.AddrPort // where the router has opened the port for nodes
	browsers  func() bool    // reach it by UDP
}

// Reach says in one sentence who can reach this world, and what would help others.
func (h *Host) Reach() string {
	players, nodes := h.Listens()
	r := reach{&h.listeners, h.router, h.NodeAddr(), h.mapped, func() bool { return len(h.BrowsersAt()) > 0 }}
	switch {
	case h.listeners.https != nil:
		return r.https()
	case h.cfg.Page != "" && nodes && h.listeners.browser != nil:
		return r.channels()
	case players:
		return r.page(nodes)
	}
	return "Only this machine can reach this world. Start it with --share to let friends in."
}

// https is Reach where the page comes by HTTPS.
func (r *reach) https() string {
	if four, _ := r.router.players(); fromAnywhere(four) {
		return fmt.Sprintf("Your router opens port %d automatically: anyone with the link can join by HTTPS, if its name leads to the router.", r.listeners.https.addr.Port())
	}
	return "Anyone with the link can join by HTTPS, if its name leads to this machine."
}

// page is Reach where the page comes from this node, over a TCP port.
func (r *reach) page(nodes bool) string {
	four, six := r.router.players()
	port := r.listeners.addr.Port()
	at := netip.AddrPort{}
	if nodes {
		at = r.at
	}
	switch {
	case fromAnywhere(four):
		return "Your router opens the port automatically: anyone with the link can join."
	case fromAnywhere(at) && ownAddress(at.Addr()):
		return "This machine can be reached from outside: anyone with the link can join."
	case fromAnywhere(six):
		return fmt.Sprintf("Your router lets friends in who have IPv6: they can join by the link that has this machine's. For others open TCP port %d in your router.", port)
	case four.IsValid():
		return "Your router is behind another one, at home or at your provider: friends in the same network can join, others with the program through another node of this world."
	case fromAnywhere(at):
		return fmt.Sprintf("Others reach this machine from outside with the program. For browsers elsewhere start it with --page, or open TCP port %d in your router.", port)
	case nodes && !at.IsValid():
		return fmt.Sprintf("Your router lets nobody in: friends join with the program, through another node of this world. Opening TCP port %d in the router lets browsers in.", port)
	}
	return fmt.Sprintf("Friends in the same network can join. For others open TCP port %d in your router.", port)
}

// channels is Reach where browsers have their page from elsewhere and come over data
// channels.
func (r *reach) channels() string {
	at := r.at
	switch six := r.router.browsers6(); {
	case fromAnywhere(at) && r.mapped.IsValid():
		return "Your router opens the port automatically: anyone with the link can join."
	case fromAnywhere(at):
		return "This machine can be reached from outside: anyone with the link can join."
	case fromAnywhere(six) && r.browsers():
		return "Your router lets friends in who have IPv6; others with the link connect through another node of this world, if it has one that can be reached."
	case !at.IsValid() && r.browsers():
		return "Your router lets nobody in: friends with the link connect through another node of this world, which only carries them if both routers are strict."
	case !at.IsValid():
		return "Your router lets nobody in: friends join with the program, through another node of this world. Opening the UDP port in the router lets browsers in."
	}
	return fmt.Sprintf("Friends in the same network can join. For others open UDP port %d in your router.", at.Port())
}
