package host_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/nattest"
)

// behindRouter is the configuration of a host that a home's router opens ports for.
func behindRouter(t *testing.T, r *nattest.Router) host.Config {
	c := invited(t)
	c.Listen, c.Nodes, c.MapPort, c.Router = "0.0.0.0", ":0", true, r.Start(t)
	return c
}

// askedFor reads what the router was asked so far: the last of each port and protocol.
func askedFor(r *nattest.Router) map[nattest.Request]uint32 {
	out := map[nattest.Request]uint32{}
	for len(r.Asked()) > 0 {
		q := <-r.Asked()
		life := q.Life
		q.Life = 0
		out[q] = life
	}
	return out
}

// TestRouterOpensThePage: where the page comes from the node its TCP port is opened as
// the UDP port is, friends are told the address outside, and both are closed at the end.
func TestRouterOpensThePage(t *testing.T) {
	r := &nattest.Router{}
	h := start(t, behindRouter(t, r))
	udp, tcp := nat.LocalPort{Protocol: nat.UDP, Number: 0}, nat.LocalPort{Protocol: nat.TCP, Number: h.Addr().Port()}
	outside := fmt.Sprintf("http://27.1.1.1:%d/", nattest.OutsidePort)
	until(t, "the router to have opened the page's port", func() bool { return slices.Contains(h.FriendURLs(), outside) })
	if h.FriendURLs()[0] != outside {
		t.Errorf("friends are told %v", h.FriendURLs())
	}
	if is := h.Reach(); is != "Your router opens the port automatically: anyone with the link can join." {
		t.Errorf("who can reach the world: %s", is)
	}
	// A friend's browser says that it has dialled the address outside.
	q, err := http.NewRequest(http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d/api/session", tcp.Number), strings.NewReader(fmt.Sprintf("{%q:%q}", "code", h.Invitation().Text())))
	if err != nil {
		t.Fatal(err)
	}
	q.Host = fmt.Sprintf("27.1.1.1:%d", nattest.OutsidePort)
	q.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if a.StatusCode != http.StatusOK {
		t.Errorf("a friend from outside: %s", a.Status)
	}
	opened := askedFor(r)
	if opened[nattest.Request{By: "PCP", Port: tcp}] != 3600 {
		t.Errorf("the router was asked for %v", opened)
	}
	for q := range opened {
		if q.Port.Protocol == nat.UDP {
			udp = q.Port
		}
	}
	stop(t, h)
	closed := askedFor(r)
	for _, port := range []nat.LocalPort{udp, tcp} {
		if life, ok := closed[nattest.Request{By: "PCP", Port: port}]; !ok || life != 0 {
			t.Errorf("%v was not closed: %v", port, closed)
		}
	}
}

// TestPageOfAnotherServer: friends whose page comes from elsewhere need no TCP port, so
// none is opened; by IPv6 the link names where the firewall lets them in.
func TestPageOfAnotherServer(t *testing.T) {
	r := &nattest.Router{}
	c := behindRouter(t, r)
	c.Page = "https://example.org/"
	h := start(t, c)
	if nattest.HasIPv6() {
		until(t, "the link to name the address by IPv6", func() bool {
			return strings.Contains(h.Link(h.Invitation().Text()), "%5B"+nattest.Outside6.String()+"%5D")
		})
	}
	for q := range askedFor(r) {
		if q.Port.Protocol != nat.UDP {
			t.Errorf("the router was asked for %+v", q)
		}
	}
	if is := h.Reach(); is != "Your router opens the port automatically: anyone with the link can join." {
		t.Errorf("who can reach the world: %s", is)
	}
}

// TestRouterThatOpensNothing: who can reach the world is not more than who can.
func TestRouterThatOpensNothing(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	r := &nattest.Router{Refuse: 2}
	c := behindRouter(t, r)
	c.Router.Device, c.Router.Gateway6 = "http://127.0.0.1:1/", "[::1]:1"
	h := start(t, c)
	if is := h.Reach(); !strings.HasPrefix(is, "Friends in the same network can join.") && !strings.HasPrefix(is, "This machine can be reached from outside") {
		t.Errorf("who can reach the world: %s", is)
	}
	for _, page := range h.FriendURLs() {
		if strings.Contains(page, "27.1.1.1") {
			t.Errorf("friends are told %s", page)
		}
	}
}
