package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/transport/session"
)

// TestOtherVersionDials: who speaks an older or a newer version is told which
// one this node speaks, whatever its frames look like.
func TestOtherVersionDials(t *testing.T) {
	n := startNode(t, 1)
	for i, c := range []struct {
		offers []string
		yours  string
	}{
		{[]string{"voxelpopuli/1"}, "yours version 1"},
		{[]string{"voxelpopuli/77", "voxelpopuli/76"}, "yours version 77"},
	} {
		a := newAttacker(t, 9, n.peer)
		a.conf.NextProtos = c.offers
		conn, _ := a.connect([]byte("a frame of another version"))
		app := a.refused(conn)
		if app.ErrorCode != codeVersion || !strings.Contains(app.ErrorMessage, "speaks version 2") || !strings.Contains(app.ErrorMessage, c.yours) {
			t.Errorf("%v: %v", c.offers, app)
		}
		n.fails("version", uint64(i+1))
	}
	a := newAttacker(t, 9, n.peer)
	a.conf.NextProtos = []string{"h3"}
	if _, err := quic.DialAddr(t.Context(), a.to.String(), a.conf, nil); err == nil {
		t.Error("a browser is let in")
	}
	a.conf.NextProtos = []string{"voxelpopuli/77", "voxelpopuli/2"} // somebody newer, who will tell us
	first := testHello()
	a.connect(first.frame())
	n.sees("link 1")
}

// other is a listener of another version, which says of each connection how it
// ended.
func other(t *testing.T, protocol string) (at netip.AddrPort, ends chan error) {
	t.Helper()
	i, err := newIdentity(testKey(8))
	if err != nil {
		t.Fatal(err)
	}
	conf := &tls.Config{Certificates: i.server.Certificates, ClientAuth: tls.RequireAnyClientCert, NextProtos: []string{protocol}}
	l, err := quic.ListenAddr("127.0.0.1:0", conf, &quic.Config{MaxIdleTimeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	ends = make(chan error, 10)
	go func() {
		for {
			c, err := l.Accept(context.Background())
			if err != nil {
				return
			}
			go func() {
				<-c.Context().Done()
				ends <- context.Cause(c.Context())
			}()
		}
	}()
	return l.Addr().(*net.UDPAddr).AddrPort(), ends
}

// TestOtherVersionAnswers: who dials a node of an older version says so, to
// whoever asked for it and to the other end.
func TestOtherVersionAnswers(t *testing.T) {
	at, ends := other(t, "voxelpopuli/1")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := Ask(ctx, nil, testKey(2), at)
	var v session.OtherVersion
	if !errors.As(err, &v) || v != 1 || !strings.Contains(err.Error(), "speaks version 1 of the protocol between nodes, this node 2") {
		t.Errorf("asked: %v", err)
	}
	n := startNode(t, 1)
	n.do(func(env machine.Env) { env.Open(machine.Peer{Addr: machine.AddrFrom(at)}) })
	n.fails("version", 1)
	for range 2 {
		select {
		case err := <-ends:
			var app *quic.ApplicationError
			if !errors.As(err, &app) || app.ErrorCode != codeClosed && app.ErrorCode != codeVersion {
				t.Errorf("the other end hears %v", err)
			}
		case <-time.After(patience):
			t.Fatal("the other end hears nothing")
		}
	}
}
