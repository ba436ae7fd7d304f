package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestPageWithoutItsServer: a page that was opened once opens again, and joins a world by
// a link, when the server that it came from is gone.
func TestPageWithoutItsServer(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command(bin, "page", "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.FS(os.DirFS(dir)))
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // the browser's own cache keeps nothing
		files.ServeHTTP(w, r)
	})}
	go server.Serve(l)
	defer server.Close()
	page := fmt.Sprintf("http://%s/", l.Addr())
	s := startServer(t, "--share", "--nodes", udpPort(t), "--ntp", "none", "--no-port-mapping", "--page", page)

	ann := newPlayer(t, "Ann")
	ann.open(s.link)
	ann.until("the page to be kept", func(state) (kept bool) {
		ann.eval("!!navigator.serviceWorker?.controller", &kept)
		return kept
	})
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if a, err := http.Get(page); err == nil {
		a.Body.Close()
		t.Fatal("the server answers")
	}
	ann.open(s.link)
	ann.enter()
	ann.ready()
	if at := ann.state().Gateway; !strings.HasPrefix(at, "webrtc:") {
		t.Errorf("the page has dialled %s", at)
	}
}
