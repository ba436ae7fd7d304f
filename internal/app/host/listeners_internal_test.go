package host

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/app/webtls"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// newListeners are listeners of a host without a world.
func newListeners() *listeners {
	cfg := Config{Log: slog.New(slog.DiscardHandler)}
	return &listeners{cfg: &cfg, router: newRouterPorts(&cfg, new(sync.WaitGroup), nil)}
}

// TestListenersOpenAndClose: the port is open until close, whose end means that nothing of
// the gateway runs. What was never opened can be closed.
func TestListenersOpenAndClose(t *testing.T) {
	l := newListeners()
	if err := l.close(context.Background()); err != nil {
		t.Errorf("nothing is open: %v", err)
	}
	if err := l.open(gateway.Config{}, "0.0.0.0:0"); err == nil {
		t.Error("opened for everybody, without a code")
	}
	if err := l.open(gateway.Config{}, "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if l.addr.Port() == 0 || l.url() != pageOf(l.addr.Addr(), l.addr.Port()) || len(l.friendURLs()) != 0 {
		t.Errorf("at %v: %s, for friends %v", l.addr, l.url(), l.friendURLs())
	}
	if other := newListeners(); other.open(gateway.Config{}, l.addr.String()) == nil {
		t.Error("two listen at the same port")
	}
	if err := l.close(context.Background()); err != nil {
		t.Error(err)
	}
	again := newListeners()
	if err := again.open(gateway.Config{}, l.addr.String()); err != nil {
		t.Errorf("after close: %v", err)
	}
	if err := again.close(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestPlayersAt: other nodes are told the names of the page by HTTP, and those of HTTPS only
// where browsers look for them.
func TestPlayersAt(t *testing.T) {
	l := newListeners()
	l.addr = netip.MustParseAddrPort("0.0.0.0:8080")
	l.cfg.Hosts = []string{"proxy.example", "own.example"}
	if at := l.playersAt(); at.Port != 8080 || at.Local || !slices.Equal(at.Names, l.cfg.Hosts) {
		t.Errorf("%+v", at)
	}
	l.https = &https{names: []string{"own.example"}, addr: netip.MustParseAddrPort("0.0.0.0:8443")}
	if at := l.playersAt(); !slices.Equal(at.Names, []string{"proxy.example"}) {
		t.Errorf("HTTPS at 8443: %v", at.Names)
	}
	if len(l.cfg.Hosts) != 2 {
		t.Errorf("the configuration has %v", l.cfg.Hosts)
	}
	if pages := l.friendURLs(); !slices.Equal(pages, []string{"https://own.example:8443/"}) {
		t.Errorf("friends come to %v", pages)
	}
	l.https.addr = netip.MustParseAddrPort("0.0.0.0:443")
	if at := l.playersAt(); len(at.Names) != 2 {
		t.Errorf("HTTPS at 443: %v", at.Names)
	}
	l.addr = netip.MustParseAddrPort("[::1]:80")
	if at := l.playersAt(); !at.Local || l.url() != "http://[::1]:80/" {
		t.Errorf("%+v, %s", at, l.url())
	}
}

// TestCertificatesFromFiles: a certificate that cannot be read is an error that names the
// setting; without TLS there is none.
func TestCertificatesFromFiles(t *testing.T) {
	l := newListeners()
	if err := l.openCertificates(); err != nil || l.certificates != nil {
		t.Errorf("%v, %v", l.certificates, err)
	}
	l.cfg.TLS.Cert = "missing.pem"
	if err := l.openCertificates(); err == nil || errors.Is(err, webtls.ErrConfig) || !errors.Is(err, ErrUsage) {
		t.Errorf("%v", err)
	}
}

// TestEntrancesAreAskedOnceASecond: the node is asked once however often the gateway looks,
// and what it said last counts while it is busy.
func TestEntrancesAreAskedOnceASecond(t *testing.T) {
	asked := 0
	var busy error
	e := entrances{known: func(context.Context) ([]node.Entry, error) {
		asked++
		return []node.Entry{{Node: machine.Peer{ID: id.ID{1}}, At: node.PlayersAt{Port: 80}}, {Linked: true}}, busy
	}}
	for range 3 {
		if list := e.all(); len(list) != 2 || list[0].Node != (id.ID{1}) || list[0].Port != 80 || !list[1].Linked {
			t.Errorf("%+v", list)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	e.made, busy = e.made.Add(-2*entrancesEvery), errors.New("busy")
	if list := e.all(); asked != 2 || len(list) != 2 {
		t.Errorf("asked %d times, %d entrances while the node is busy", asked, len(list))
	}
	if time.Since(e.made) < entrancesEvery {
		t.Error("a failure counts as an answer")
	}
}
