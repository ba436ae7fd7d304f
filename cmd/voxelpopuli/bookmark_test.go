package main

import (
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
)

func TestBookmarks(t *testing.T) {
	p := program{t, t.TempDir()}
	p.ok("world", "bookmarks", "friends", "127.0.0.1:1", "example.org:4747", "--id", "0000000000000000000000000000000000000001")
	p.ok("world", "bookmarks", "Another", "127.0.0.1:2")
	all := read[[]host.Bookmark](t, p.ok("world", "bookmarks", "--json"))
	if len(all) != 2 || all[0].Name != "Another" || len(all[1].Addrs) != 2 || all[1].World.IsZero() {
		t.Errorf("%+v", all)
	}
	if out := p.ok("world", "bookmarks"); !strings.Contains(out, "127.0.0.1:1, example.org:4747") {
		t.Errorf("list: %s", out)
	}
	for _, args := range []string{"status FRIENDS", "bots --players 1 --join friends"} {
		if code, _, errs := p.run(strings.Fields(args)...); code != host.ExitNoNode || !strings.Contains(errs, "127.0.0.1:1") {
			t.Errorf("%s: exit code %d: %s", args, code, errs)
		}
	}
	p.ok("world", "bookmarks", "friends", "127.0.0.1:3")
	p.ok("world", "bookmarks", "another", "--remove")
	if all := read[[]host.Bookmark](t, p.ok("world", "bookmarks", "--json")); len(all) != 1 || all[0].Addrs[0] != "127.0.0.1:3" {
		t.Errorf("%+v", all)
	}
	for args, want := range map[string]int{
		"world bookmarks another --remove": host.ExitNoWorld, "world bookmarks x": host.ExitUsage,
		"world bookmarks a/b 1.2.3.4:5": host.ExitUsage, "world bookmarks x http://1.2.3.4/": host.ExitUsage, "world bookmarks x 1.2.3.4:5 --id 1": host.ExitUsage,
	} {
		if code, _, errs := p.run(strings.Fields(args)...); code != want {
			t.Errorf("%s: exit code %d, want %d: %s", args, code, want, errs)
		}
	}
}
