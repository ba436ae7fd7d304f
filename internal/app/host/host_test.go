package host_test

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

const patience = 90 * time.Second

// config is that of a machine without a key.
func config(t *testing.T) host.Config {
	return host.Config{Data: t.TempDir(), Create: true, Seed: "7", Mode: "creative", Port: -1}
}

// founder is that of a machine that has a node key already, for tests of one
// node: solving the puzzle takes a while.
func founder(t *testing.T) host.Config {
	t.Helper()
	c := config(t)
	ring, err := keyring.Open(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := hex.DecodeString("78d2439da1ec7a5c5e614b52334a16c0ac5939ff53372e260bc82adf7ad78745")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ring.Import([]keyring.Key{{Kind: keyring.Node, Private: ed25519.NewKeyFromSeed(seed)}}, false); err != nil {
		t.Fatal(err)
	}
	return c
}

func start(t *testing.T, c host.Config) *host.Host {
	t.Helper()
	h, err := host.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, h) })
	return h
}

func stop(t *testing.T, h *host.Host) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.Close(ctx); err != nil {
		t.Error(err)
	}
}

// player is a client over a real WebSocket.
type player struct {
	*client.Mirror
	conn client.Conn
	mu   sync.Mutex
	chat []string
	end  chan error
}

func join(t *testing.T, h *host.Host, who client.Identity, code string) *player {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, welcome, err := client.Dial(ctx, h.LocalURL(), who, code)
	if err != nil {
		t.Fatal(err)
	}
	p := &player{conn: conn, end: make(chan error, 1)}
	p.Mirror = client.NewMirror(conn, welcome, client.Options{Heard: func(m wire.Message) {
		if c, ok := m.(*wire.Chat); ok {
			p.mu.Lock()
			p.chat = append(p.chat, c.From+": "+c.Text)
			p.mu.Unlock()
		}
	}})
	go func() { p.end <- p.Run() }()
	t.Cleanup(func() { conn.Close() })
	if err := p.View(2, 0); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *player) heard(line string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.chat {
		if strings.HasPrefix(l, line) {
			return true
		}
	}
	return false
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func identity(t *testing.T, name string) client.Identity {
	t.Helper()
	who, err := client.NewIdentity(name)
	if err != nil {
		t.Fatal(err)
	}
	return who
}

// TestRestart: names, operators, places and blocks are as they were.
func TestRestart(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := founder(t)
	ann, bo := identity(t, "Ann"), identity(t, "Bo")
	h := start(t, c)
	a := join(t, h, ann, "")
	b := join(t, h, bo, "")
	if !a.Welcome().Operator || b.Welcome().Operator {
		t.Error("the first local player is the operator, nobody else")
	}
	if err := a.Say("hello"); err != nil {
		t.Fatal(err)
	}
	until(t, "Bo to read hello", func() bool { return b.heard("Ann: hello") })
	place := put(t, a)
	until(t, "Bo to see the block", func() bool { got, ok := b.Blocks().Block(place); return ok && got == world.Bricks })
	if err := b.Say("/seed"); err != nil {
		t.Fatal(err)
	}
	until(t, "an answer", func() bool { return b.heard(": The seed of home is 7.") })
	stop(t, h)
	if err := <-a.end; refused(err) != wire.Restart {
		t.Errorf("at the end Ann heard %v, want %s", err, wire.Restart)
	}

	h = start(t, c)
	thief := identity(t, "ann")
	if _, _, err := client.Dial(t.Context(), h.Addr().String(), thief, ""); refused(err) != wire.NameTaken {
		t.Errorf("Ann's name went to another: %v", err)
	}
	a = join(t, h, ann, "")
	if !a.Welcome().Operator {
		t.Error("Ann is no operator any more")
	}
	until(t, "the block to be there", func() bool { got, ok := a.Blocks().Block(place); return ok && got == world.Bricks })
}

// put lets a creative player put a block two above the ground beside it, on
// whatever side nobody stands: sheep and other players go where they like. Who has
// just put one is told to wait, and does.
func put(t *testing.T, p *player) world.Pos {
	t.Helper()
	act := func(a wire.Act) wire.ActResult {
		t.Helper()
		ch, err := p.Act(a)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case r := <-ch:
			if !r.OK && r.Code != wire.Occupied && r.Code != wire.Cooldown {
				t.Fatalf("act %+v: %s %s", a, r.Code, r.Text)
			}
			return r
		case <-time.After(patience):
			t.Fatalf("act %+v: no answer", a)
		}
		panic("unreachable")
	}
	act(wire.Act{Kind: wire.Pick, A: uint64(world.Bricks), B: 0})
	act(wire.Act{Kind: wire.Select, A: 0})
	var top world.Pos
	sides, tries := [][2]int32{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}, 0
	until(t, "room for a block", func() bool {
		side := sides[tries%len(sides)]
		tries++
		ground := beside(t, p, side[0], side[1])
		top = ground.Add(0, 1, 0)
		return act(wire.Act{Kind: wire.Place, X: ground.X, Y: ground.Y, Z: ground.Z, Face: 1, A: 0}).OK
	})
	return top
}

// beside is the top of what is beside a player.
func beside(t *testing.T, p *player, dx, dz int32) world.Pos {
	t.Helper()
	feet := p.Body().Pos.Block()
	ground := feet.Add(dx, -1, dz)
	until(t, "the ground to be loaded", func() bool { _, ok := p.Blocks().Block(ground); return ok })
	for y := int32(-3); y <= 3; y++ {
		if b, _ := p.Blocks().Block(feet.Add(dx, y, dz)); b.Solid() {
			ground = feet.Add(dx, y, dz)
		}
	}
	return ground
}

// TestCommands: what an operator types happens to real players.
func TestCommands(t *testing.T) {
	h := start(t, founder(t))
	ann := join(t, h, identity(t, "Ann"), "")
	bo := join(t, h, identity(t, "Bo Peep"), "")
	say := func(line string) {
		t.Helper()
		if err := ann.Say(line); err != nil {
			t.Fatal(err)
		}
	}
	say(`/gamemode survival "bo peep"`)
	until(t, "Bo to be in survival mode", func() bool { return bo.Self().Mode == uint8(world.Survival) })
	say("/give bo crystal_ore 3")
	until(t, "Bo to have crystals", func() bool {
		for i := range wire.MaxSlots {
			if s := bo.Slot(i); s.Block == uint16(world.CrystalOre) && s.Count == 3 {
				return true
			}
		}
		return false
	})
	say("/time set midnight")
	until(t, "midnight", func() bool { return bo.TimeOffset() != 0 })
	say("/tp bo 300 120 -300")
	until(t, "Bo to be far away", func() bool {
		at := bo.Body().Pos.Block()
		return at.X == 300 && at.Z == -300
	})
	say("/tp bo ann")
	until(t, "Bo to be back with Ann", func() bool {
		d := bo.Body().Pos.Sub(ann.Body().Pos)
		return d.X.Abs() < 4096 && d.Z.Abs() < 4096
	})
	say("/save")
	until(t, "everything to be saved", func() bool { return ann.heard(": Saved ") })
	say("/ban bo 1h being loud")
	if err := <-bo.end; refused(err) != wire.Banned {
		t.Errorf("banned Bo heard %v", err)
	}
	until(t, "Bo to be gone", func() bool { return len(ann.Players()) == 1 })
}

func refused(err error) wire.Code {
	var r *wire.Refused
	if errors.As(err, &r) {
		return r.Code
	}
	return ""
}

func TestJoinCode(t *testing.T) {
	c := founder(t)
	c.JoinCode = "sesame"
	h := start(t, c)
	if _, _, err := client.Dial(t.Context(), h.Addr().String(), identity(t, "Ann"), "open"); refused(err) != wire.BadCode {
		t.Errorf("a wrong code: %v", err)
	}
	conn, _, err := client.Dial(t.Context(), h.Addr().String(), identity(t, "Ann"), "sesame")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	join(t, h, identity(t, "Owner"), "")
}

func TestStartFails(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		change func(*host.Config)
		code   int
		says   string
	}{
		"port in use":       {func(c *host.Config) { c.Port = port }, host.ExitPortInUse, "--port"},
		"no such world":     {func(c *host.Config) { c.Create = false }, host.ExitNoWorld, "home"},
		"no name":           {func(c *host.Config) { c.World = "../x" }, host.ExitUsage, "../x"},
		"no mode":           {func(c *host.Config) { c.Mode = "god" }, host.ExitUsage, "survival"},
		"bad port":          {func(c *host.Config) { c.Listen = "127.0.0.1:http" }, host.ExitUsage, "port"},
		"port out of range": {func(c *host.Config) { c.Port = 70000 }, host.ExitUsage, "65535"},
		"open to everybody": {func(c *host.Config) { c.Listen = "0.0.0.0" }, host.ExitFailure, "--join-code"},
		"not our address":   {func(c *host.Config) { c.Listen, c.JoinCode = "192.0.2.1", "x" }, host.ExitFailure, "192.0.2.1"},
		"data is a file":    {func(c *host.Config) { c.Data = blocked }, host.ExitFailure, "data folder"},
	} {
		c := founder(t)
		x.change(&c)
		h, err := host.Start(c)
		if err == nil {
			t.Errorf("%s: started", name)
			stop(t, h)
			continue
		}
		if got := host.ExitCode(err); got != x.code || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s: exit code %d, want %d: %v", name, got, x.code, err)
		}
	}
}

// TestTwice: a world can be open once, and is free again after it was closed.
func TestTwice(t *testing.T) {
	c := founder(t)
	h := start(t, c)
	if _, err := host.Start(c); !errors.Is(err, disk.ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	s, err := host.Ask(t.Context(), h.Addr().String(), h.Local())
	if err != nil || s.World.Name != "home" {
		t.Errorf("status: %+v, %v", s, err)
	}
	stop(t, h)
	start(t, c)
}

func TestAskNobody(t *testing.T) {
	_, err := host.Ask(t.Context(), "127.0.0.1:1", "")
	if !errors.Is(err, host.ErrNoNode) {
		t.Errorf("asked nobody: %v", err)
	}
}

// TestBackups: an open world writes backups that can be imported.
func TestBackups(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := founder(t)
	c.BackupEvery, c.BackupKeep = 20*time.Millisecond, 1
	h := start(t, c)
	put(t, join(t, h, identity(t, "Ann"), ""))
	f, err := worldfs.OpenFolder(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	until(t, "a backup", func() bool { files, err = f.Backups("home"); return err != nil || len(files) > 0 })
	if err != nil {
		t.Fatal(err)
	}
	stop(t, h)
	if files, err = f.Backups("home"); err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	if sum, err := host.ImportWorld(f, files[len(files)-1], host.Import{Name: "copy"}); err != nil || sum.Meta.Seed != "7" {
		t.Errorf("import: %+v, %v", sum, err)
	}
}

func TestExitCodes(t *testing.T) {
	for want, err := range map[int]error{
		host.ExitOK:        nil,
		host.ExitFailure:   errors.New("something"),
		host.ExitUsage:     host.ErrUsage,
		host.ExitPortInUse: syscall.EADDRINUSE,
		host.ExitInUse:     disk.ErrInUse,
		host.ExitNoWorld:   worldfs.ErrExists,
		host.ExitDiskFull:  machine.ErrDiskFull,
		host.ExitNoNode:    host.ErrNoNode,
		host.ExitData:      worldfs.ErrFile,
	} {
		if err != nil {
			err = fmt.Errorf("context: %w", err)
		}
		if got := host.ExitCode(err); got != want {
			t.Errorf("%v: exit code %d, want %d", err, got, want)
		}
	}
}

func TestLoopback(t *testing.T) {
	for listen, want := range map[string]bool{
		"": true, "localhost": true, "127.0.0.1": true, "127.0.0.1:80": true, "[::1]:80": true, "::1": true,
		"0.0.0.0": false, ":4747": false, "192.168.1.5": false, "example.org:1": false,
	} {
		if got := (host.Config{Listen: listen}).Loopback(); got != want {
			t.Errorf("%q: loopback %v, want %v", listen, got, want)
		}
	}
}

func TestFriends(t *testing.T) {
	c := founder(t)
	h := start(t, c)
	if f := h.FriendURLs(); f != nil {
		t.Errorf("friends could come to %v", f)
	}
	c = founder(t)
	c.Listen, c.JoinCode = "0.0.0.0", host.RandomCode()
	h = start(t, c)
	if want := fmt.Sprintf("http://127.0.0.1:%d/", h.Addr().Port()); h.URL() != want {
		t.Errorf("own page %s, want %s", h.URL(), want)
	}
	for _, f := range h.FriendURLs() {
		ap, err := netip.ParseAddrPort(strings.Trim(strings.TrimPrefix(f, "http://"), "/"))
		if err != nil || ap.Addr().IsLoopback() || ap.Port() != h.Addr().Port() {
			t.Errorf("friends are sent to %s (%v)", f, err)
		}
	}
}
