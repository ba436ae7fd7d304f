package e2e

import (
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// joins starts a node here that is to join one elsewhere. It returns what it says if it
// cannot.
func joins(t *testing.T, data, join string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "node", "--data", data, "--join", join, "--port", "-1", "--ntp", "none", "--no-port-mapping")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("a stranger's node has joined: %s", out)
	}
	return string(out)
}

// TestStrangers is evening (b) of issue 22: somebody on the same network tries to get
// into a private world, and into one that is shared by invitation, as a player and as a
// node, and gets nothing.
func TestStrangers(t *testing.T) {
	m := newLAN(t).machine()
	at := net.JoinHostPort(m.Addr, "4747")
	founder, data := t.TempDir(), t.TempDir()

	private := startOn(t, m, founder)
	var tries sync.WaitGroup
	tries.Go(func() { joins(t, data, at) }) // takes as long as a node waits for an answer
	out, err := exec.Command("ip", append(m.On()[1:], "ss", "-Hlntu")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if f := strings.Fields(line); len(f) < 5 || !strings.HasPrefix(f[4], "127.0.0.1:") {
			t.Errorf("a private world listens: %s", line)
		}
	}
	if c, err := net.DialTimeout("tcp", at, time.Second); err == nil {
		c.Close()
		t.Error("a stranger's browser has got a connection")
	}
	eve := newPlayer(t, "Eve")
	// The friend's machine of later makes its key meanwhile.
	friend := &server{t: t, data: t.TempDir(), args: []string{"--ntp", "none", "--no-port-mapping"}}
	if out, err := exec.Command(bin, "identity", "show", "--data", friend.data).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tries.Wait()
	private.kill()

	shared := startOn(t, m, founder, "--share")
	if said := joins(t, data, at); !strings.Contains(said, "invitation") {
		t.Errorf("a stranger's node reads: %s", said)
	}
	if got, err := filepath.Glob(filepath.Join(data, "worlds", "*")); err != nil || len(got) > 0 {
		t.Errorf("a stranger's node has got %v, %v", got, err)
	}
	eve.open("http://" + at + "/")
	eve.do("see the field for the code", chromedp.WaitVisible("#code"))
	eve.do("guess", chromedp.SendKeys("#code", "vp-guess"+kb.Enter))
	eve.reads("#start-error", "code")
	eve.quit()

	ann := newPlayer(t, "Ann")
	ann.open(shared.friends[0] + "#code=" + shared.invitation)
	ann.enter()
	friend.args = append(friend.args, "--join", shared.invitation)
	t.Cleanup(friend.kill)
	friend.start(-1)
	friend.until("the invited node to have a link", func(h hosting) bool { return h.Links > 0 })
	if err := friend.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
}
