package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/session"
)

// TestOtherVersionDials: who speaks an older or a newer version is told which
// one this node speaks, whatever its frames look like.
func TestOtherVersionDials(t *testing.T) {
	n := startNode(t, 1, steady)
	for i, c := range []struct {
		offers []string
		yours  string
	}{
		{[]string{"voxelpopuli/1"}, "yours version 1"},
		{[]string{"voxelpopuli/77", "voxelpopuli/76"}, "yours version 77"},
	} {
		a := newAttacker(t, 9, n.peer)
		a.conf.NextProtos = c.offers
		conn, err := quic.DialAddr(t.Context(), a.to.String(), a.conf, &quic.Config{MaxIdleTimeout: patience})
		if err == nil { // or it was told before it had seen that it is connected
			<-conn.Context().Done()
			err = context.Cause(conn.Context())
		}
		var app *quic.ApplicationError
		if !errors.As(err, &app) {
			t.Fatalf("%v: %v", c.offers, err)
		}
		if app.ErrorCode != codeVersion || !strings.Contains(app.ErrorMessage, fmt.Sprint("speaks version ", session.Version)) || !strings.Contains(app.ErrorMessage, c.yours) {
			t.Errorf("%v: %v", c.offers, app)
		}
		n.fails("version", uint64(i+1))
	}
	a := newAttacker(t, 9, n.peer)
	a.conf.NextProtos = []string{"h3"}
	if _, err := quic.DialAddr(t.Context(), a.to.String(), a.conf, nil); err == nil {
		t.Error("a browser is let in")
	}
	a.conf.NextProtos = []string{"voxelpopuli/77", fmt.Sprint("voxelpopuli/", session.Version)} // somebody newer, who will tell us
	first := testHello()
	a.connect(first.frame())
	n.sees("link 1")
}

// TestOtherVersionAnswers: who dials a node of an older version says so.
func TestOtherVersionAnswers(t *testing.T) {
	i, err := newIdentity(testKey(8))
	if err != nil {
		t.Fatal(err)
	}
	conf := &tls.Config{Certificates: i.server.Certificates, ClientAuth: tls.RequireAnyClientCert, NextProtos: []string{"voxelpopuli/1"}}
	older, err := quic.ListenAddr("127.0.0.1:0", conf, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer older.Close()
	at := older.Addr().(*net.UDPAddr).AddrPort()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err = Ask(ctx, nil, testKey(2), at, nil)
	var v session.OtherVersion
	if !errors.As(err, &v) || v != 1 || !strings.Contains(err.Error(), fmt.Sprint("speaks version 1 of the protocol between nodes, this node ", session.Version)) {
		t.Errorf("asked: %v", err)
	}
	n := startNode(t, 1, steady)
	n.do(func(env machine.Env) { env.Open(machine.Peer{Addr: machine.AddrFrom(at)}) })
	n.fails("version", 1)
}

// TestVersionIsDescribed: the protocol's description says of which version it is,
// and what that one changed.
func TestVersionIsDescribed(t *testing.T) {
	b, err := os.ReadFile("../../../docs/protocols/transport.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("(`session.Version`), now %d.", session.Version),
		fmt.Sprintf("\n| %d | ", session.Version),
		fmt.Sprintf("ALPN `%s%d`", protocol, session.Version),
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("docs/protocols/transport.md does not say %q", want)
		}
	}
}
