package transport

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestAskFile: who may ask about the world gets files by their names, one that there is not
// is said to be missing, and a node without files refuses the question.
func TestAskFile(t *testing.T) {
	big := bytes.Repeat([]byte("pack"), 1<<20)
	p := startNode(t, 1, func(c *Config) {
		c.Net.About = []byte("how it begins")
		c.Net.Files = func(name FileName) []byte {
			if name == (FileName{7}) {
				return big
			}
			return nil
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	got, err := AskFile(ctx, nil, testKey(2), p.sock.Addr(), nil, FileName{7})
	if err != nil || !bytes.Equal(got, big) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	if _, err := AskFile(ctx, nil, testKey(2), p.sock.Addr(), nil, FileName{8}); !errors.Is(err, ErrNoFile) {
		t.Errorf("a file that there is not: %v", err)
	}
	if a, err := Ask(ctx, nil, testKey(2), p.sock.Addr(), nil); err != nil || string(a.About) != "how it begins" {
		t.Errorf("%+v, %v", a, err)
	}
	q := startNode(t, 3, func(c *Config) { c.Net.About = []byte("how it begins") })
	if _, err := AskFile(ctx, nil, testKey(2), q.sock.Addr(), nil, FileName{7}); err == nil {
		t.Error("a node without files gives one")
	}
}

// TestFileBudget: an address, and all together, get so many bytes and no more.
func TestFileBudget(t *testing.T) {
	now := time.Unix(1000, 0)
	f := newFileBudget()
	a := netip.MustParseAddr("192.0.2.1")
	n := 0
	for ; f.begin(a, now); n++ {
		f.end(a, maxFile, now)
	}
	if n != fileBurst/maxFile {
		t.Errorf("an address gets %d large files at once", n)
	}
	if f.begin(a, now.Add(time.Second)) != (fileRate > 0) {
		t.Error("it gets none a second later")
	}
	f.end(a, 0, now)
	for i := byte(2); f.begin(netip.AddrFrom4([4]byte{192, 0, 2, i}), now); i++ {
		f.end(netip.AddrFrom4([4]byte{192, 0, 2, i}), maxFile, now)
		if n++; n > allFilesBurst/maxFile+1 { // and what a second has brought
			t.Fatal("all together get more than there is")
		}
	}
	g := newFileBudget()
	for i := range filesAtOnce {
		if !g.begin(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), now) {
			t.Fatalf("file %d is not sent", i)
		}
	}
	if g.begin(a, now) {
		t.Error("more files at a time")
	}
}

// TestStranger: both ends of a link hear where a node of another network is.
func TestStranger(t *testing.T) {
	heard := make(chan netip.AddrPort, 8)
	hear := func(at netip.AddrPort) {
		select {
		case heard <- at:
		default:
		}
	}
	a := startNode(t, 1, func(c *Config) { c.Net.Stranger = hear })
	b := startNode(t, 2, func(c *Config) { c.Net.World[0]++; c.Net.Stranger = hear })
	a.do(func(env machine.Env) { env.Open(b.peer) })
	want := map[netip.AddrPort]bool{a.sock.Addr(): true, b.sock.Addr(): true}
	for end := time.After(time.Minute); len(want) > 0; {
		select {
		case at := <-heard:
			delete(want, at)
		case <-end:
			t.Fatalf("nobody heard of %v", want)
		}
	}
}
