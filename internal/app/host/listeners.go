package host

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/app/webtls"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
)

// listeners are the ports at which players come in, with the gateway behind them: HTTP,
// HTTPS if it is wanted, and data channels at the port for other nodes.
type listeners struct {
	cfg    *Config
	router *routerPorts

	gateway      *gateway.Gateway
	addr         netip.AddrPort        // of HTTP
	certificates *webtls.Source        // nil: the page is not served by HTTPS
	https        *https                // nil: likewise
	browser      *datachannel.Listener // nil: no browser reaches this node by UDP
	served       []chan error          // what the gateway returned, for each port
}

// open opens the ports for HTTP and HTTPS.
func (l *listeners) open(cfg gateway.Config, addr string) error {
	if err := checkListen(cfg, addr); err != nil {
		return err
	}
	var err error
	if l.gateway, err = gateway.New(cfg); err != nil {
		return err
	}
	port, err := net.Listen("tcp", addr)
	if err != nil {
		return listenError(addr, err)
	}
	l.addr = port.Addr().(*net.TCPAddr).AddrPort()
	l.router.setPage(l.addr.Port())
	l.serve(func() error { return l.gateway.Serve(port) })
	if l.certificates != nil {
		return l.openHTTPS(cfg)
	}
	return nil
}

// checkListen refuses an address at which everybody could come in.
func checkListen(cfg gateway.Config, addr string) error {
	if err := cfg.CheckListen(addr); err != nil {
		return &explained{err, "everybody who reaches " + addr + " could come in: use --share, set --join-code CODE or use --whitelist"}
	}
	return nil
}

// serve lets players in at a port; close waits for it.
func (l *listeners) serve(port func() error) {
	ended := make(chan error, 1)
	l.served = append(l.served, ended)
	go func() { ended <- port() }()
}

// openHTTPS opens the HTTPS port of the gateway.
func (l *listeners) openHTTPS(cfg gateway.Config) error {
	t := l.cfg.TLS
	addr := cmp.Or(t.Listen, defaultHTTPS)
	if err := checkListen(cfg, addr); err != nil {
		return err
	}
	port, err := net.Listen("tcp", addr)
	if err != nil {
		return httpsError(addr, err)
	}
	at := port.Addr().(*net.TCPAddr).AddrPort()
	l.https = &https{names: l.certificates.Names(), addr: at}
	l.router.setPage(at.Port())
	l.https.listenPlain(t, l.certificates, l.cfg.Log)
	ctx, stop := context.WithCancel(context.Background())
	l.https.stop = stop
	l.serve(func() error { return l.gateway.ServeTLS(port, l.certificates.Server()) })
	go l.https.obtain(ctx, l.certificates, l.cfg.Log)
	return nil
}

// openChannels accepts data channels of browsers at the port for other nodes.
func (l *listeners) openChannels(at datachannel.Circuits, cert *datachannel.Certificate) {
	l.browser = datachannel.ListenCircuits(at, cert, datachannel.Limits{})
	go l.gateway.ServeChannels(l.browser)
}

// close tells the clients and waits until they are gone.
func (l *listeners) close(ctx context.Context) error {
	if len(l.served) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, goodbye)
	defer cancel()
	err := l.gateway.Shutdown(ctx)
	if l.browser != nil {
		l.browser.Close()
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	err = l.https.close()
	for _, ended := range l.served {
		err = errors.Join(err, <-ended)
	}
	return err
}

// url is the page for a browser on this machine.
func (l *listeners) url() string {
	ip := l.addr.Addr().Unmap()
	if ip.IsUnspecified() {
		ip = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return pageOf(ip, l.addr.Port())
}

// friendURLs are the page as others reach it, those from farthest away first; none if
// only this machine can.
func (l *listeners) friendURLs() []string {
	out := l.https.pages()
	ip := l.addr.Addr().Unmap()
	if len(out) > 0 || ip.IsLoopback() {
		return out
	}
	out = l.router.pages()
	if !ip.IsUnspecified() {
		return append(out, pageOf(ip, l.addr.Port()))
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, a := range addrs {
		n, ok := a.(*net.IPNet)
		if ip, valid := netip.AddrFromSlice(n.IP); ok && valid && ip.Unmap().Is4() && !ip.IsLoopback() && !ip.IsLinkLocalUnicast() {
			out = append(out, pageOf(ip.Unmap(), l.addr.Port()))
		}
	}
	return out
}

func pageOf(ip netip.Addr, port uint16) string {
	return "http://" + net.JoinHostPort(ip.String(), strconv.Itoa(int(port))) + "/"
}

// playersAt is where players reach this node, as the other nodes are told.
func (l *listeners) playersAt() node.PlayersAt {
	at := node.PlayersAt{Port: l.addr.Port(), Local: l.addr.Addr().Unmap().IsLoopback()}
	names := l.cfg.Hosts
	if l.https != nil && l.https.addr.Port() != 443 { // names are dialled at port 443
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(l.https.names, n) })
	}
	if l.browser != nil {
		at.Certificate = l.browser.Fingerprint()
	}
	at.Names = names[:min(len(names), node.MaxPlayerNames)]
	return at
}
