package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// program runs the program in a data folder.
type program struct {
	t    *testing.T
	data string
}

func (p program) run(args ...string) (code int, out, errs string) {
	p.t.Helper()
	var o, e bytes.Buffer
	code = run(p.t.Context(), append([]string{"--data", p.data}, args...), &o, &e)
	return code, o.String(), e.String()
}

func (p program) ok(args ...string) string {
	p.t.Helper()
	code, out, errs := p.run(args...)
	if code != 0 {
		p.t.Fatalf("%v: exit code %d: %s", args, code, errs)
	}
	return out
}

func TestWorldCommands(t *testing.T) {
	p := program{t, t.TempDir()}
	if out := p.ok("world", "list"); !strings.Contains(out, "no world yet") {
		t.Errorf("an empty list: %q", out)
	}
	p.ok("world", "new", "castle", "--seed", "42", "--mode", "creative", "--protect", "3")
	if out := p.ok("world", "list"); !strings.Contains(out, "castle") || !strings.Contains(out, "42") {
		t.Errorf("list: %q", out)
	}
	var rows []struct{ Name, Seed, Mode string }
	if err := json.Unmarshal([]byte(p.ok("world", "list", "--json")), &rows); err != nil || len(rows) != 1 || rows[0].Mode != "creative" {
		t.Errorf("list as JSON: %+v, %v", rows, err)
	}
	if out := p.ok("world", "info", "CASTLE"); !strings.Contains(out, "3 blocks around the spawn") {
		t.Errorf("info: %q", out)
	}
	file := filepath.Join(t.TempDir(), "castle.vpworld")
	p.ok("world", "export", "castle", file)
	if code, _, errs := p.run("world", "export", "castle", file); code != host.ExitNoWorld || !strings.Contains(errs, "--force") {
		t.Errorf("exported over a file: exit code %d: %s", code, errs)
	}
	p.ok("world", "export", "castle", file, "--force")
	if code, _, errs := p.run("world", "import", file, "more", "--max-size", "-1"); code != host.ExitUsage {
		t.Errorf("a negative size: exit code %d: %s", code, errs)
	}
	p.ok("world", "import", file, "copy")
	if backup := strings.TrimSpace(p.ok("world", "backup", "copy")); !strings.HasPrefix(backup, p.data) {
		t.Errorf("backup written to %q", backup)
	}
	p.ok("world", "delete", "castle", "--yes")
	if out := p.ok("world", "list"); strings.Contains(out, "castle") || !strings.Contains(out, "copy") {
		t.Errorf("list after deleting: %q", out)
	}
}

func TestExitCodes(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	p := program{t, t.TempDir()}
	p.ok("world", "new", "castle")
	notWorld := filepath.Join(p.data, "notes.txt")
	if err := os.WriteFile(notWorld, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		args string
		says string
	}{
		{host.ExitUsage, "nosuch", "unknown command"},
		{host.ExitUsage, "play --nosuch", "--help"},
		{host.ExitUsage, "wrold", "Did you mean voxelpopuli world?"},
		{host.ExitUsage, "world exprot castle", "Did you mean voxelpopuli world export?"},
		{host.ExitUsage, "play --join-cdoe x", "Did you mean --join-code?"},
		{host.ExitUsage, "play one two", "usage: voxelpopuli play [NAME]"},
		{host.ExitUsage, "world info", "usage: voxelpopuli world info NAME"},
		{host.ExitUsage, "world new a/b", "a/b"},
		{host.ExitUsage, "world new x --mode god", "survival or creative"},
		{host.ExitUsage, "--log-level loud world list", "loud"},
		{host.ExitUsage, "world new x --difficulty 41", "0 to 40"},
		{host.ExitUsage, "authority init a/b", "a/b"},
		{host.ExitUsage, "authority issue x --key 12", "identity show"},
		{host.ExitUsage, "identity new nobody-has-such-a-long-name", "1 to 20"},
		{host.ExitNoWorld, "authority list nosuch", "authority init"},
		{host.ExitNoWorld, "world new x --authority nosuch", "authority init"},
		{host.ExitNoWorld, "--data " + t.TempDir() + " identity export " + notWorld, "no keys yet"},
		{host.ExitData, "identity import " + notWorld + " --passphrase-file " + notWorld, "no key file"},
		{host.ExitNoWorld, "world info nosuch", "castle"},
		{host.ExitNoWorld, "world new Castle", "already"},
		{host.ExitData, "world import " + notWorld, "no world export"},
		{host.ExitNoNode, "status 127.0.0.1:1", "is it running"},
		{host.ExitNoNode, "bots --join 127.0.0.1:1 --players 1", "127.0.0.1:1"},
		{host.ExitFailure, "world delete castle", "nothing was deleted"},
	} {
		code, _, errs := p.run(strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%s: exit code %d, want %d; it says %q, want %q in it", c.args, code, c.code, errs, c.says)
		}
	}
}

// TestSettings: flags go before the environment, that before config.json.
func TestSettings(t *testing.T) {
	p := program{t, t.TempDir()}
	seed := func(args ...string) string {
		t.Helper()
		p.ok(append([]string{"world", "new", "x"}, args...)...)
		var rows []struct{ Seed string }
		if err := json.Unmarshal([]byte(p.ok("world", "info", "x", "--json")), &rows); err != nil {
			t.Fatal(err)
		}
		p.ok("world", "delete", "x", "--yes")
		return rows[0].Seed
	}
	config := func(s string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.data, "config.json"), []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config(`{"seed": 1, "join-code": "sesame", "host": ["a.example", "b.example"], "whitelist": true}`)
	if got := seed(); got != "1" {
		t.Errorf("from config.json: seed %s, want 1", got)
	}
	t.Setenv("VOXELPOPULI_SEED", "2")
	if got := seed(); got != "2" {
		t.Errorf("from the environment: seed %s, want 2", got)
	}
	if got := seed("--seed", "3"); got != "3" {
		t.Errorf("from the flag: seed %s, want 3", got)
	}
	for bad, want := range map[string]int{
		`{"sed": 1}`: host.ExitUsage, `{"data": "/"}`: host.ExitUsage,
		`{`: host.ExitData, `{} more`: host.ExitData, `[1]`: host.ExitData, "": host.ExitData, "\x00\x00": host.ExitData,
		strings.Repeat("[", 1<<19): host.ExitData, strings.Repeat(" ", maxConfig+1): host.ExitData,
	} {
		config(bad)
		if code, _, errs := p.run("world", "list"); code != want || !strings.Contains(errs, "config.json") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%.20q: exit code %d, want %d: %.300s", bad, code, want, errs)
		}
	}
	for _, bad := range []string{`{"mode": {"a": [1]}}`, `{"mode": [["creative"]]}`, `{"mode": null}`} {
		config(bad)
		if code, _, errs := p.run("world", "new", "x"); code != host.ExitUsage || !strings.Contains(errs, "want a text") {
			t.Errorf("%s: exit code %d: %s", bad, code, errs)
		}
	}
	config(`{"port": "high"}`)
	if code, _, errs := p.run("node"); code != host.ExitUsage || !strings.Contains(errs, "port") {
		t.Errorf("a bad setting: exit code %d: %s", code, errs)
	}
}

// TestPlay opens a world, asks for its status, lets bots in and ends it.
func TestPlay(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	p := program{t, t.TempDir()}
	ctx, interrupt := context.WithCancel(t.Context())
	r, w := io.Pipe()
	code := make(chan int)
	go func() {
		code <- run(ctx, []string{"--data", p.data, "play", "--no-browser", "--json", "--port", "-1"}, w, os.Stderr)
		w.Close()
	}()
	var opened host.Opened
	if err := json.NewDecoder(r).Decode(&opened); err != nil {
		t.Fatal(err)
	}
	addr := strings.Trim(strings.TrimPrefix(opened.URL, "http://"), "/")
	if out := p.ok("status", addr); !strings.Contains(out, "home") {
		t.Errorf("status: %q", out)
	}
	if out := p.ok("status", addr); strings.Count(out, "\n") > 12 {
		t.Errorf("status has too many lines: %q", out)
	}
	if all := p.ok("status", addr, "--all"); strings.Count(all, "\n") <= strings.Count(p.ok("status", addr), "\n") || !strings.Contains(all, "network") {
		t.Errorf("status --all: %q", all)
	}
	for flag, value := range map[string]string{"--seed": "another", "--mode": "creative"} {
		if c, _, errs := p.run("node", "--port", "-1", "--alone", flag, value); c != host.ExitInUse {
			t.Errorf("node %s on an open world: exit code %d: %s", flag, c, errs)
		}
	}
	if out := p.ok("status", addr, "--json"); !json.Valid([]byte(out)) {
		t.Errorf("status as JSON: %q", out)
	}
	if c, _, errs := p.run("world", "export", "home", filepath.Join(p.data, "x")); c != host.ExitInUse {
		t.Errorf("exporting an open world: exit code %d: %s", c, errs)
	}
	bots := []string{"bots", "--players", "2", "--duration", "50ms", "--join", addr}
	for range 2 { // they are the same players the second time
		if out := p.ok(bots...); !strings.Contains(out, "2 came in") {
			t.Errorf("bots: %q", out)
		}
	}
	stranger := program{t, t.TempDir()}
	if c, _, errs := stranger.run(bots...); c == 0 || !strings.Contains(errs, "--name") {
		t.Errorf("bots with the names of others: exit code %d: %s", c, errs)
	}
	interrupt()
	go io.Copy(io.Discard, r)
	if c := <-code; c != 0 {
		t.Errorf("exit code %d", c)
	}
	for flag, value := range map[string]string{"--seed": "another", "--mode": "creative"} {
		if c, _, errs := p.run("node", "--port", "-1", "--alone", flag, value); c != host.ExitUsage || !strings.Contains(errs, flag) {
			t.Errorf("node %s on a world that is there: exit code %d: %s", flag, c, errs)
		}
	}
}

func TestEveryCommandHasHelp(t *testing.T) {
	root := newRoot(io.Discard, io.Discard)
	all := root.Commands()
	for i := 0; i < len(all); i++ {
		c := all[i]
		all = append(all, c.Commands()...)
		if c.Short == "" || c.Example == "" && c.Name() != "version" && c.Name() != "help" && c.Name() != "completion" && c.Parent().Name() != "completion" {
			t.Errorf("%s: no help or no example", c.CommandPath())
		}
	}
}
