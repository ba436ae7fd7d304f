package host

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// Browsers that reach this node by UDP, over WebRTC data channels: those whose page
// comes from elsewhere, and those that no TCP port is open for
// (docs/decisions/0065-data-channels.md).

// listenBrowsers accepts data channels on the port for other nodes, if others may
// play here.
func (h *Host) listenBrowsers(ring *keyring.Ring) error {
	if h.peers == nil || !h.cfg.Share {
		return nil
	}
	text, err := ring.BrowserCertificate(func() ([]byte, error) {
		c, err := datachannel.NewCertificate()
		if err != nil {
			return nil, err
		}
		return c.Text(), nil
	})
	if err != nil {
		return err
	}
	cert, err := datachannel.ParseCertificate(text)
	if err != nil {
		return fmt.Errorf("%s in the keys of the data folder: %w: remove it, the next start makes a new one, and links to this node are made anew", keyring.BrowserFile, err)
	}
	h.listeners.openChannels(h.circuits, cert)
	return nil
}

// maxAt is how many nodes a link names.
const maxAt = 3

// BrowsersAt is where browsers reach the world by UDP: at this node first, then at
// others that there is a link to.
func (h *Host) BrowsersAt() (out []datachannel.At) {
	if h.listeners.browser == nil {
		return nil
	}
	others := h.entrances.all()
	if at := h.NodeAddr(); at.IsValid() {
		out = append(out, datachannel.At{Addr: at, Fingerprint: h.listeners.browser.Fingerprint()})
	} else if at := h.helper(others); at.IsValid() {
		out = append(out, datachannel.At{Addr: at, Fingerprint: h.listeners.browser.Fingerprint()})
	}
	if six := h.router.browsers6(); fromAnywhere(six) {
		out = append(out, datachannel.At{Addr: six, Fingerprint: h.listeners.browser.Fingerprint()})
	}
	for _, e := range others {
		at := e.Channels
		if !e.Linked || !at.Addr.IsValid() || len(out) == maxAt {
			continue
		}
		// Those who reach this node from far away do not reach one that is known only
		// by an address of the local network.
		if len(out) == 0 || traversal.Scope(at.Addr.Addr()) >= traversal.Scope(out[0].Addr.Addr()) {
			out = append(out, at)
		}
	}
	return out
}

// helper is the public node through which browsers reach this one, which is hidden: its
// home relay, or else another that it is linked with.
func (h *Host) helper(others []gateway.Entrance) (at netip.AddrPort) {
	s, err := h.Traversal(context.Background())
	if err != nil {
		return at
	}
	for _, e := range others {
		if !e.Linked || e.Hidden || !e.Channels.Addr.IsValid() {
			continue
		}
		if e.Channels.Addr == traversal.HomeRelay(s.Self.Addr) {
			return e.Channels.Addr
		}
		if !at.IsValid() {
			at = e.Channels.Addr
		}
	}
	return at
}

// hiddenNode is the hidden node that checks of browsers name.
func (h *Host) hiddenNode(name string) id.ID {
	return h.node.NodeWith(func(certificate [32]byte) bool { return datachannel.Fingerprint(certificate).Name() == name })
}

// Link is what a person sends to friends whose browsers are anywhere: the page that is
// no node's, with the text of an invitation (or, if that is empty, the join code) and the nodes by
// which the world is reached. Empty: there is no such page, or no such node.
func (h *Host) Link(text string) string {
	at := h.BrowsersAt()
	if h.cfg.Page == "" || len(at) == 0 {
		return ""
	}
	if i, err := invitation.Parse(text); err == nil {
		text = i.At(nil).Text() // the link names the nodes already
	}
	link := PageURL(h.cfg.Page, cmp.Or(text, h.JoinCode()), "")
	sep := "#"
	if strings.Contains(link, "#") {
		sep = "&"
	}
	for _, a := range at {
		// Nothing else needs to be escaped: chat programs take brackets for an end.
		link += sep + "at=" + strings.NewReplacer("[", "%5B", "]", "%5D").Replace(a.String())
		sep = "&"
	}
	return link
}
