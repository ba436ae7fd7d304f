package host

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
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
	h.browser = datachannel.Listen(h.peers.socket.Browsers(), cert, datachannel.Limits{})
	go h.gateway.ServeChannels(h.browser)
	return nil
}

func (h *Host) closeBrowsers() {
	if h.browser != nil {
		h.browser.Close()
	}
}

// maxAt is how many nodes a link names.
const maxAt = 3

// At is where a browser reaches a node by UDP, and the certificate that it finds there.
type At struct {
	Addr        netip.AddrPort
	Fingerprint datachannel.Fingerprint
}

// String is how a link names it.
func (a At) String() string { return a.Addr.String() + "_" + a.Fingerprint.String() }

// BrowsersAt is where browsers reach this node by UDP; empty: nowhere.
func (h *Host) BrowsersAt() []At {
	at := h.NodeAddr()
	if h.browser == nil || !at.IsValid() {
		return nil
	}
	return []At{{at, h.browser.Fingerprint()}}
}

// Link is what a person sends to friends whose browsers are anywhere: the page that is
// no node's, with the invitation (or, if that is empty, the join code) and the nodes by
// which the world is reached. Empty: there is no such page, or no such node.
func (h *Host) Link(invitation string) string {
	at := h.BrowsersAt()
	if h.cfg.Page == "" || len(at) == 0 {
		return ""
	}
	link := PageURL(h.cfg.Page, cmp.Or(invitation, h.JoinCode()), "")
	sep := "#"
	if strings.Contains(link, "#") {
		sep = "&"
	}
	for _, a := range at[:min(len(at), maxAt)] {
		// Nothing else needs to be escaped: chat programs take brackets for an end.
		link += sep + "at=" + strings.NewReplacer("[", "%5B", "]", "%5D").Replace(a.String())
		sep = "&"
	}
	return link
}
