package nat

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"
)

// gatewayRequest is what a fake router was asked.
type gatewayRequest struct {
	port uint16
	life uint32
}

// fakeGateway answers PCP, or NAT-PMP alone, and lets mappings live a second.
func fakeGateway(t *testing.T, old bool, refuse byte) (string, chan gatewayRequest) {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	asked := make(chan gatewayRequest, 64)
	go func() {
		for {
			q := make([]byte, 1100)
			n, from, err := conn.ReadFrom(q)
			if err != nil {
				return
			}
			if a := answer(q[:n], old, refuse, asked); a != nil {
				conn.WriteTo([]byte("noise"), from) // not from this router's protocol
				conn.WriteTo(a, from)
			}
		}
	}()
	return conn.LocalAddr().String(), asked
}

func answer(q []byte, old bool, refuse byte, asked chan gatewayRequest) []byte {
	switch {
	case q[0] == 2 && old:
		return []byte{0, 0x81, 0, 1, 0, 0, 0, 0} // unsupported version (RFC 6886, 3.5)
	case q[0] == 2 && len(q) == pcpSize:
		a := append([]byte(nil), q...)
		a[1], a[2], a[3] = 0x81, 0, refuse
		life := binary.BigEndian.Uint32(q[4:])
		asked <- gatewayRequest{binary.BigEndian.Uint16(q[40:]), life}
		binary.BigEndian.PutUint32(a[4:], min(life, 1))
		binary.BigEndian.PutUint16(a[42:], 6000)
		ip := netip.MustParseAddr("::ffff:27.1.1.1").As16()
		copy(a[44:], ip[:])
		return a
	case q[0] == 0 && q[1] == 0:
		return []byte{0, 128, 0, 0, 0, 0, 0, 1, 27, 1, 1, 1}
	case q[0] == 0 && q[1] == 1 && len(q) == 12:
		life := binary.BigEndian.Uint32(q[8:])
		asked <- gatewayRequest{binary.BigEndian.Uint16(q[4:]), life}
		a := make([]byte, 16)
		a[1], a[3] = 129, refuse
		copy(a[8:10], q[4:6])
		binary.BigEndian.PutUint16(a[10:], 6000)
		binary.BigEndian.PutUint32(a[12:], min(life, 1))
		return a
	}
	return nil
}

// opened runs Open until the router was asked to renew, and checks that it is
// asked to close the port at the end.
func opened(t *testing.T, cfg MapConfig, want string, asked chan gatewayRequest) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	addrs := make(chan netip.AddrPort, 8)
	cfg.Port, cfg.Opened = 4747, func(a netip.AddrPort) { addrs <- a }
	cfg.Log = slog.New(slog.DiscardHandler)
	done := make(chan struct{})
	go func() { Open(ctx, cfg); close(done) }()
	if a := <-addrs; a.String() != want {
		t.Errorf("opened at %v, want %s", a, want)
	}
	for range 2 {
		if q := <-asked; q != (gatewayRequest{4747, uint32(MappingLifetime / time.Second)}) {
			t.Errorf("asked for %+v", q)
		}
	}
	stop()
	<-done
	var last gatewayRequest
	for len(asked) > 0 {
		last = <-asked
	}
	if last != (gatewayRequest{4747, 0}) {
		t.Errorf("the router was not asked to close the port: %+v", last)
	}
}

func TestPortByPCP(t *testing.T) {
	gateway, asked := fakeGateway(t, false, 0)
	opened(t, MapConfig{Gateway: gateway}, "27.1.1.1:6000", asked)
}

func TestPortByNATPMP(t *testing.T) {
	gateway, asked := fakeGateway(t, true, 0)
	opened(t, MapConfig{Gateway: gateway}, "27.1.1.1:6000", asked)
}

func TestRoutersThatRefuse(t *testing.T) {
	for _, old := range []bool{false, true} {
		gateway, _ := fakeGateway(t, old, 2) // not authorized
		r := &pcp{gateway: gateway}
		if _, _, err := r.mapPort(t.Context(), 4747, MappingLifetime); err == nil || !strings.Contains(err.Error(), "code 2") {
			t.Errorf("old %v: %v", old, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := (&pcp{gateway: "127.0.0.1:1"}).mapPort(ctx, 4747, MappingLifetime); err == nil {
		t.Error("opened after the end")
	}
}

// igd is a router that speaks UPnP. Leases: whether it knows any.
func igd(t *testing.T, leases bool) (string, chan gatewayRequest) {
	t.Helper()
	asked := make(chan gatewayRequest, 64)
	field := func(body, name string) string {
		m := regexp.MustCompile("<" + name + ">(.*?)</" + name + ">").FindStringSubmatch(body)
		if m == nil {
			return ""
		}
		return m[1]
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/desc.xml", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major><minor>0</minor></specVersion>
<device><deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:1</deviceType><serviceList><service>
<serviceType>urn:schemas-upnp-org:service:WANIPConnection:1</serviceType><serviceId>urn:upnp-org:serviceId:WANIPConn1</serviceId>
<controlURL>/control</controlURL><eventSubURL>/e</eventSubURL><SCPDURL>/s</SCPDURL></service></serviceList></device></root>`)
	})
	mux.HandleFunc("/control", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16))
		body := string(b)
		action := strings.Trim(r.Header.Get("SOAPACTION"), `"`)
		action = action[strings.LastIndexByte(action, '#')+1:]
		var q gatewayRequest
		fmt.Sscan(field(body, "NewExternalPort"), &q.port)
		fmt.Sscan(field(body, "NewLeaseDuration"), &q.life)
		out := ""
		switch action {
		case "AddPortMapping":
			if field(body, "NewInternalClient") != "127.0.0.1" || field(body, "NewProtocol") != "UDP" || !leases && q.life > 0 {
				http.Error(w, "725", http.StatusInternalServerError)
				return
			}
			asked <- q
		case "DeletePortMapping":
			asked <- gatewayRequest{q.port, 0}
		case "GetExternalIPAddress":
			out = "<NewExternalIPAddress>27.1.1.1</NewExternalIPAddress>"
		}
		w.Header().Set("Content-Type", "text/xml")
		fmt.Fprintf(w, `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body><u:%sResponse xmlns:u="urn:schemas-upnp-org:service:WANIPConnection:1">%s</u:%sResponse></s:Body></s:Envelope>`, action, out, action)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/desc.xml", asked
}

func TestPortByUPnP(t *testing.T) {
	for _, leases := range []bool{true, false} {
		device, asked := igd(t, leases)
		u := &upnp{device: device}
		addr, life, err := u.mapPort(t.Context(), 4747, MappingLifetime)
		if err != nil || addr.String() != "27.1.1.1:4747" || life != MappingLifetime {
			t.Fatalf("opened at %v for %v: %v", addr, life, err)
		}
		want := uint32(0)
		if leases {
			want = uint32(MappingLifetime / time.Second)
		}
		if q := <-asked; q != (gatewayRequest{4747, want}) {
			t.Errorf("asked for %+v", q)
		}
		if _, _, err := u.mapPort(t.Context(), 4747, 0); err != nil {
			t.Fatal(err)
		}
		if q := <-asked; q != (gatewayRequest{4747, 0}) {
			t.Errorf("at the end asked for %+v", q)
		}
	}
}

// scripted is a router that does what a test says.
type scripted struct {
	err  error
	addr netip.AddrPort
}

func (s *scripted) name() string { return "script" }
func (s *scripted) mapPort(context.Context, uint16, time.Duration) (netip.AddrPort, time.Duration, error) {
	return s.addr, 10 * time.Minute, s.err
}

func TestMapperGoesOn(t *testing.T) {
	var told []netip.AddrPort
	a, b := &scripted{err: ErrNoRouter}, &scripted{err: ErrNoRouter}
	m := &mapper{routers: []router{a, b}, cfg: MapConfig{
		RetryAfter: time.Hour, Log: slog.New(slog.DiscardHandler), Opened: func(a netip.AddrPort) { told = append(told, a) },
	}}
	check := func(what string, want time.Duration, tellings ...string) {
		t.Helper()
		told = nil
		if got := m.renewMapping(t.Context()); got != want {
			t.Errorf("%s: again after %v, want %v", what, got, want)
		}
		if len(told) != len(tellings) {
			t.Fatalf("%s: told %v", what, told)
		}
		for i, s := range tellings {
			if told[i].String() != s {
				t.Errorf("%s: told %v, want %s", what, told[i], s)
			}
		}
	}
	none := netip.AddrPort{}.String()
	check("nobody opens", time.Hour)
	b.err, b.addr = nil, netip.MustParseAddrPort("27.1.1.1:1")
	check("the second opens", 5*time.Minute, "27.1.1.1:1")
	check("it is renewed", 5*time.Minute)
	b.addr = netip.MustParseAddrPort("27.1.1.2:1")
	check("another address", 5*time.Minute, "27.1.1.2:1")
	b.err = ErrNoRouter
	check("it opens no more", time.Hour, none)
	a.err, a.addr = nil, netip.MustParseAddrPort("28.1.1.1:1")
	check("now the first opens", 5*time.Minute, "28.1.1.1:1")
}

func TestParseRoutes(t *testing.T) {
	const table = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	0000A8C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
eth0	00000000	0100A8C0	0003	0	0	100	00000000	0	0	0
`
	if ip, ok := parseRoutes(table); !ok || ip.String() != "192.168.0.1" {
		t.Errorf("gateway %v, %v", ip, ok)
	}
	if ip, ok := parseRoutes(strings.Join(strings.Split(table, "\n")[:2], "\n")); ok {
		t.Errorf("gateway %v without a default route", ip)
	}
}
