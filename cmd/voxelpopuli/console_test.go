package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// asProgram makes the test's executable the program.
const asProgram = "VOXELPOPULI_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Unsetenv(asProgram)
		main()
	}
	os.Exit(m.Run())
}

// lines are texts that come at any time.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, s)
}

func (l *lines) until(t *testing.T, want string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		l.mu.Lock()
		all := strings.Join(l.all, "\n")
		l.mu.Unlock()
		if strings.Contains(all, want) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("nobody said %q:\n%s", want, all)
		}
	}
}

// visit brings a player into a world.
func visit(t *testing.T, h *host.Host, name string) (*client.Mirror, *lines) {
	t.Helper()
	who, err := client.NewIdentity(name)
	if err != nil {
		t.Fatal(err)
	}
	conn, welcome, err := client.Dial(t.Context(), strings.Split(h.LocalURL(), "#")[0], who, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	chat := &lines{}
	p := client.NewMirror(conn, welcome, client.Options{Heard: func(m wire.Message) {
		if c, ok := m.(*wire.Chat); ok {
			chat.add(c.From + ": " + c.Text)
		}
	}})
	go func() { _ = p.Run() }() // ends with the connection
	return p, chat
}

// dialConsole opens a world and its console.
func dialConsole(t *testing.T) (context.Context, *host.Console) {
	t.Helper()
	h, err := host.Start(host.Config{Data: t.TempDir(), Create: true, Seed: "7", Port: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	c, err := host.DialConsole(ctx, strings.Split(h.LocalURL(), "#")[0], h.Local())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return ctx, c
}

// TestConsoleScript: a script of more lines than the lobby takes at once has all of them done.
func TestConsoleScript(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	ctx, c := dialConsole(t)
	go func() {
		for range lobby.SayBurst + 1 {
			if c.Say(ctx, "/seed") != nil {
				return // Next fails, too
			}
		}
	}()
	for answers := 0; answers <= lobby.SayBurst; {
		e, _, err := c.Next(ctx)
		if err != nil || e.Event == "error" {
			t.Fatalf("after %d answers: %v, %q", answers, err, e.Line)
		}
		if strings.Contains(e.Line, "seed") {
			answers++
		}
	}
}

// TestConsoleInHistory: what a console has built stands in the history under its name, and is
// taken back by it.
func TestConsoleInHistory(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	ctx, c := dialConsole(t)
	const box = "0 200 0 1 200 1"
	for _, x := range []struct{ say, answer string }{
		{"/fill " + box + " stone", "4 blocks changed."},
		{"/inspect " + box, "[Console]: 0 200 0, air became stone"},
		{"/rollback [console] 10m " + box, "4 blocks changed."},
		{"/inspect " + box, "[Console]: 0 200 0, stone became air (rollback)"},
	} {
		if err := c.Say(ctx, x.say); err != nil {
			t.Fatal(err)
		}
		for {
			e, _, err := c.Next(ctx)
			if err != nil || e.Event == "error" {
				t.Fatalf("%s: %v, %q", x.say, err, e.Line)
			}
			if strings.Contains(e.Line, x.answer) {
				break
			}
		}
	}
}

// TestChatBridge: the script of deploy brings what is said to a webhook, and what is written
// to its FIFO into the world; and the console lets nobody in who cannot show the secret.
func TestChatBridge(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for _, tool := range []string{"sh", "curl", "mkfifo"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is missing")
		}
	}
	data := t.TempDir()
	h, err := host.Start(host.Config{Data: data, Create: true, Seed: "7", Port: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	posted := &lines{}
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		var m struct{ Content string }
		if err := json.Unmarshal(b, &m); err != nil {
			t.Errorf("%q: %v", b, err)
		}
		posted.add(m.Content)
	}))
	t.Cleanup(hook.Close)
	addr := strings.Split(h.LocalURL(), "#")[0]
	bin, self := t.TempDir(), os.Args[0]
	if err := os.WriteFile(filepath.Join(bin, "voxelpopuli"), []byte("#!/bin/sh\n"+asProgram+"=1 exec "+self+" --data "+data+" \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(bin, "fifo")
	bridge := exec.Command("sh", "../../deploy/chat-bridge.sh", hook.URL, fifo, addr)
	bridge.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	var trouble bytes.Buffer
	bridge.Stderr = &trouble
	if err := bridge.Start(); err != nil {
		t.Fatal(err)
	}
	p, chat := visit(t, h, "Zoë")
	var w *os.File
	for end := time.Now().Add(time.Minute); w == nil; time.Sleep(5 * time.Millisecond) { // until the script has made it
		if w, err = os.OpenFile(fifo, os.O_WRONLY, 0); err != nil && time.Now().After(end) {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(w, "from outside\n"); err != nil {
		t.Fatal(err)
	}
	chat.until(t, ": [Console] from outside")
	w.Close()
	if err := p.Say(`said "in" the world, "line":1`); err != nil {
		t.Fatal(err)
	}
	posted.until(t, `<Zoë> said "in" the world, "line":1`)
	visit(t, h, "Bo")
	posted.until(t, "Bo has come.")

	out := program{t, data}.ok("console", addr, "--wait", "5s")
	if !strings.Contains(out, "Zoë is here.") {
		t.Errorf("the console says %q", out)
	}
	code, _, errs := program{t, t.TempDir()}.run("console", addr)
	if code == 0 {
		t.Errorf("without the secret: %s", errs)
	}
	if err := h.Close(context.Background()); err != nil {
		t.Error(err)
	}
	_ = bridge.Wait() // the console ends with the world, the script with the console
	if strings.Contains(trouble.String(), "panic") {
		t.Error(trouble.String())
	}
}

// TestWorldMerge: what nodes have put aside is shown on the founder's machine, by its node,
// and nowhere else; a name that nobody knows is refused with where names are found.
func TestWorldMerge(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	data := t.TempDir()
	h, err := host.Start(host.Config{Data: data, Create: true, Seed: "7", Port: -1, Nodes: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	addr := strings.Split(h.LocalURL(), "#")[0]
	if out := (program{t, data}).ok("world", "merge", "--at", addr); !strings.Contains(out, "Nobody keeps a state put aside.") {
		t.Errorf("nothing was put aside: %q", out)
	}
	if out := (program{t, data}).ok("world", "merge", "3fa2c1d0", "--at", addr); !strings.Contains(out, "Nobody keeps a state put aside") {
		t.Errorf("a name that nobody knows: %q", out)
	}
	if code, _, errs := (program{t, data}).run("world", "merge", "--apply", "--at", addr); code != 2 {
		t.Errorf("nothing is named: %d, %q", code, errs)
	}
}
