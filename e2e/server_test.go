package e2e

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	shots = flag.String("shots", "", "folder to write screenshots to")
	bin   string // the program
)

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("skipped: all of it starts nodes and browsers")
		return
	}
	dir, err := os.MkdirTemp("", "voxelpopuli-e2e-")
	if err != nil {
		panic(err)
	}
	bin = filepath.Join(dir, "voxelpopuli")
	build := exec.Command("go", "build", "-o", bin, "./cmd/voxelpopuli")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the program does not build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// server is the program as a child process with a data folder of its own.
type server struct {
	t    *testing.T
	data string
	args []string
	made bool     // the world is there: it has a seed
	on   []string // command that starts the program, on another machine; nil: this one
	url  string   // for this machine's browser
	// invitation is what the node hands out, friends are its pages for other machines,
	// nodes is where other nodes reach it.
	invitation, nodes string
	friends           []string
	link              string       // for browsers whose page is no node's
	client            *http.Client // reaches it; http.DefaultClient unless set
	cmd               *exec.Cmd
	log               strings.Builder
}

// startServer starts `voxelpopuli node` on a free port, which it keeps over
// restarts, since the page belongs to it.
func startServer(t *testing.T, args ...string) *server {
	s := &server{t: t, data: t.TempDir(), args: args}
	s.run()
	return s
}

// run starts the server until the test ends.
func (s *server) run() {
	s.t.Helper()
	s.start(-1)
	s.t.Cleanup(func() {
		s.kill()
		if s.t.Failed() {
			s.t.Logf("the server's log:\n%s", s.log.String())
		}
	})
}

// alone starts a world and a player in it.
func alone(t *testing.T) (*server, *player) {
	t.Helper()
	srv := startServer(t)
	ann := newPlayer(t, "Ann")
	ann.open(srv.page())
	ann.enter()
	return srv, ann
}

func (s *server) start(port int) {
	s.t.Helper()
	giveKey(s.t, s.data)
	args := append([]string{"node", "--json", "--data", s.data, "--log-level", "info", "--port", strconv.Itoa(port)}, s.args...)
	if !s.made {
		args = append(args, "--seed", "7")
	}
	args = append(append(append([]string(nil), s.on...), bin), args...)
	s.cmd = exec.Command(args[0], args[1:]...)
	s.cmd.Stderr = &s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.t.Fatalf("the server did not open its world: %v\n%s", err, s.log.String())
	}
	var opened struct {
		URL, Invitation, Nodes, Link string
		Friends                      []string
	}
	if err := json.Unmarshal([]byte(line), &opened); err != nil {
		s.t.Fatalf("%v in %q", err, line)
	}
	s.client = cmp.Or(s.client, http.DefaultClient)
	s.url, s.invitation, s.nodes, s.friends, s.link = opened.URL, opened.Invitation, opened.Nodes, opened.Friends, opened.Link
}

// secret is that of the data folder.
func (s *server) secret() string {
	b, err := os.ReadFile(filepath.Join(s.data, "keys", "local.secret"))
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// reachable is the page as this process reaches it.
func (s *server) reachable() string {
	if s.on != nil {
		return s.friends[0]
	}
	return s.url
}

// page is the page as its owner opens it.
func (s *server) page() string { return s.url + "#local=" + s.secret() }

func (s *server) port() int {
	port, err := strconv.Atoi(strings.Trim(s.url[strings.LastIndexByte(s.url, ':')+1:], "/"))
	if err != nil {
		s.t.Fatal(err)
	}
	return port
}

// stop ends the server as Ctrl-C does.
func (s *server) stop() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil {
		s.t.Fatal(err)
	}
	if err := s.wait(); err != nil {
		s.t.Fatalf("the server did not end well: %v\n%s", err, s.log.String())
	}
}

// kill ends the server as a power cut does.
func (s *server) kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.wait()
	}
}

func (s *server) wait() error {
	if s.cmd == nil {
		return nil
	}
	timer := time.AfterFunc(time.Minute, func() { s.cmd.Process.Kill() })
	defer timer.Stop()
	err := s.cmd.Wait()
	s.cmd = nil
	return err
}

// again starts the server anew at the same address.
func (s *server) again() {
	s.t.Helper()
	s.start(s.port())
}
