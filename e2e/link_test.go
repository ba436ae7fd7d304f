package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// staticPage serves the page of `voxelpopuli page` from a plain file server.
func staticPage(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return servePage(t, l)
}

// servePage does that at a port.
func servePage(t *testing.T, l net.Listener) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command(bin, "page", "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := &http.Server{Handler: http.FileServer(http.FS(os.DirFS(dir)))}
	t.Cleanup(func() { s.Close() })
	go s.Serve(l)
	return fmt.Sprintf("http://%s/", l.Addr())
}

// TestBrokenLoad: a page one of whose scripts could not be fetched is loaded again by
// itself; so is the worker that makes the picture.
func TestBrokenLoad(t *testing.T) {
	front := httptest.NewUnstartedServer(nil)
	srv := startServer(t, "--host", front.Listener.Addr().String())
	to, err := url.Parse(srv.url)
	if err != nil {
		t.Fatal(err)
	}
	lost := map[string]int32{"/main-panels.js": 2, "/worker.js": 1} // the first is asked for by modulepreload, too
	asked := map[string]*atomic.Int32{"/main-panels.js": {}, "/worker.js": {}}
	proxy := httputil.NewSingleHostReverseProxy(to)
	front.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := asked[r.URL.Path]; n != nil && n.Add(1) <= lost[r.URL.Path] {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	})
	front.Start()
	t.Cleanup(front.Close)
	ann := newPlayer(t, "Ann")
	ann.open(front.URL)
	ann.enter() // waits for meshes
	for path, n := range asked {
		if n.Load() <= lost[path] {
			t.Errorf("%s was asked for %d times only: nothing failed", path, n.Load())
		}
	}
}

// udpPort is one that is free: a link names it, so it stays over restarts.
func udpPort(t *testing.T) string {
	t.Helper()
	c, err := net.ListenPacket("udp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return fmt.Sprintf(":%d", c.LocalAddr().(*net.UDPAddr).Port)
}

// TestJoinByLink: a browser whose page comes from a server that knows nothing of the
// world joins it by a link, over data channels, and builds. When the node is killed and
// comes back, the browser goes on.
func TestJoinByLink(t *testing.T) {
	s := startServer(t, "--share", "--nodes", udpPort(t), "--ntp", "none", "--no-port-mapping", "--page", staticPage(t))
	if s.link == "" {
		t.Fatal("the node prints no link")
	}
	ann := newPlayer(t, "Ann")
	ann.open(s.link)
	ann.enter()
	st := ann.state()
	if !strings.HasPrefix(st.Gateway, "webrtc:") {
		t.Fatalf("the page has dialled %s", st.Gateway)
	}
	_, built := buildAlone(ann)
	port := s.port()
	s.kill()
	ann.until("to notice", func(s state) bool { return s.Stage == "lost" })
	s.start(port)
	ann.ready()
	if b := ann.block(built.x, built.y, built.z); b != built.block {
		t.Errorf("what was built is %d now, not %d", b, built.block)
	}
}

// linkOf is the link that the owner is shown, once it names n nodes.
func (s *server) linkOf(n int) string {
	s.t.Helper()
	for range 100 {
		var all struct {
			List []struct{ Links []struct{ URL string } }
		}
		ask, err := http.NewRequest(http.MethodGet, s.reachable()+"api/invites", nil)
		if err != nil {
			s.t.Fatal(err)
		}
		ask.Header.Set("Authorization", "Bearer "+s.secret())
		answer, err := s.client.Do(ask)
		if err != nil {
			s.t.Fatal(err)
		}
		err = json.NewDecoder(answer.Body).Decode(&all)
		answer.Body.Close()
		if err != nil || len(all.List) == 0 || len(all.List[0].Links) == 0 {
			s.t.Fatalf("%s: %+v, %v", answer.Status, all, err)
		}
		if link := all.List[0].Links[0].URL; strings.Count(link, "at=") == n {
			return link
		}
		time.Sleep(200 * time.Millisecond)
	}
	s.t.Fatalf("no link names %d nodes", n)
	return ""
}

// TestLinkedNodeDies: a browser that has come by a link goes on at another node, over
// data channels, when its node is cut off; the link opens the world all the same.
func TestLinkedNodeDies(t *testing.T) {
	net, page := newLAN(t), staticPage(t)
	first := net.machine()
	one := startOn(t, first, t.TempDir(), "--share", "--page", page)
	for range 2 {
		startOn(t, net.machine(), t.TempDir(), "--join", one.invitation, "--share")
	}
	link := one.linkOf(3)
	ann := newPlayer(t, "Ann")
	ann.open(link)
	ann.enter()
	_, built := buildAlone(ann)
	before := ann.state().Gateway
	first.unplug()
	after := ann.until("to go on at another node", func(s state) bool { return s.Stage == "playing" && s.Gateway != before })
	if !strings.HasPrefix(after.Gateway, "webrtc:") {
		t.Errorf("Ann goes on at %s", after.Gateway)
	}
	ann.ready()
	if b := ann.block(built.x, built.y, built.z); b != built.block {
		t.Errorf("what was built is %d now, not %d", b, built.block)
	}
	bo := newPlayer(t, "Bo")
	bo.open(link)
	bo.enter()
	ann.until("to see Bo", func(s state) bool { _, ok := s.other("Bo"); return ok })
}
