package e2e

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// staticPage serves the page of `voxelpopuli page` from a plain file server.
func staticPage(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command(bin, "page", "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := httptest.NewServer(http.FileServer(http.FS(os.DirFS(dir))))
	t.Cleanup(s.Close)
	return s.URL + "/"
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
	if testing.Short() {
		t.Skip("starts a node and a browser")
	}
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
