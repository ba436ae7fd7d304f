package host

import (
	"slices"
	"testing"
)

// TestResolve: names are bookmarks, then worlds; routers are asked only where that
// is of use to others.
func TestResolve(t *testing.T) {
	data := t.TempDir()
	if err := (Bookmark{Name: "friends", Addrs: []string{"192.0.2.7:4747", "192.0.2.8"}}).Keep(data); err != nil {
		t.Fatal(err)
	}
	both := []string{"192.0.2.7:4747", "192.0.2.8"}
	for name, c := range map[string]struct {
		in    Runner
		world string
		join  []string
		maps  bool
	}{
		"nothing":           {Runner{}, "", nil, false},
		"a world":           {Runner{Named: "castle"}, "castle", nil, false},
		"a bookmark":        {Runner{Named: "Friends"}, "", both, true},
		"--join a bookmark": {Runner{Config: Config{Join: []string{"friends"}}}, "", both, true},
		"an address":        {Runner{Config: Config{Join: []string{"192.0.2.9"}}}, "", []string{"192.0.2.9"}, true},
		"this machine":      {Runner{Config: Config{Join: []string{"127.0.0.1"}}}, "", []string{"127.0.0.1"}, false},
		"open to players":   {Runner{Config: Config{Listen: "0.0.0.0"}}, "", nil, true},
		"not wanted":        {Runner{Config: Config{Listen: "0.0.0.0", NoPortMapping: true}}, "", nil, false},
		"alone":             {Runner{Alone: true, Config: Config{Listen: "0.0.0.0"}}, "", nil, true},
		"alone, here":       {Runner{Alone: true}, "", nil, false},
		"a loopback port":   {Runner{Config: Config{Listen: "0.0.0.0", Nodes: "127.0.0.1:4747"}}, "", nil, true},
		"a proxy before it": {Runner{Config: Config{Nodes: "0.0.0.0:4747"}}, "", nil, false},
	} {
		r := c.in
		r.Data = data
		if err := r.resolve(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := r.openToOthers(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if r.World != c.world || !slices.Equal(r.Join, c.join) || r.MapPort != c.maps {
			t.Errorf("%s: world %q, join %q, asks the router: %v; want %q, %q, %v", name, r.World, r.Join, r.MapPort, c.world, c.join, c.maps)
		}
	}
}
