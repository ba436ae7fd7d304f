package e2e

import (
	"context"
	"fmt"
	"net"
	"os"
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

// elsewhere makes a machine of its own, a network namespace with a cable to this one.
// It returns what starts a program there, and its address.
func elsewhere(t *testing.T) (on []string, addr string) {
	t.Helper()
	name, cable := fmt.Sprintf("vpe%d", os.Getpid()), fmt.Sprintf("vpe%dc", os.Getpid())
	ip := func(args string) error {
		out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ip %s: %w: %s", args, err, out)
		}
		return nil
	}
	if err := ip("netns add " + name); err != nil {
		t.Skipf("needs Linux, root and the program ip: %v", err)
	}
	t.Cleanup(func() {
		if err := ip("netns del " + name); err != nil {
			t.Error(err)
		}
	})
	for _, do := range []string{
		fmt.Sprintf("link add %s type veth peer name eth0 netns %s", cable, name),
		fmt.Sprintf("addr add 198.18.77.1/24 dev %s", cable), fmt.Sprintf("link set %s up", cable),
		fmt.Sprintf("-n %s addr add 198.18.77.2/24 dev eth0", name),
		fmt.Sprintf("-n %s link set eth0 up", name), fmt.Sprintf("-n %s link set lo up", name),
	} {
		if err := ip(do); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"ip", "netns", "exec", name}, "198.18.77.2"
}

// startElsewhere starts a founder's node on another machine.
func startElsewhere(t *testing.T, on []string, data string, args ...string) *server {
	t.Helper()
	s := &server{t: t, data: data, on: on, args: append([]string{"--ntp", "none", "--no-port-mapping"}, args...)}
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("the log:\n%s", s.log.String())
		}
	})
	s.start(4747)
	return s
}

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
	if testing.Short() {
		t.Skip("starts nodes and a browser")
	}
	on, addr := elsewhere(t)
	at := net.JoinHostPort(addr, "4747")
	founder, data := t.TempDir(), t.TempDir()

	private := startElsewhere(t, on, founder)
	var tries sync.WaitGroup
	tries.Go(func() { joins(t, data, at) }) // takes as long as a node waits for an answer
	out, err := exec.Command(on[0], append(on[1:], "ss", "-Hlntu")...).Output()
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

	shared := startElsewhere(t, on, founder, "--share")
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
