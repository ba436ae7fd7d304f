package host_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/voxelpopuli/voxelpopuli/internal/app/webmap"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestWorldMap: the map of a node shows what was built, and who owns land; players only if
// who runs the node wants that.
func TestWorldMap(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := founder(t)
	c.Map = "players"
	h := start(t, c)
	ann := join(t, h, identity(t, "Ann"), "")
	at := put(t, ann)
	if err := ann.Say("/claim home 3"); err != nil {
		t.Fatal(err)
	}
	get := func(path string) []byte {
		t.Helper()
		res, err := http.Get("http://" + h.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(path, res.Status, err)
		}
		return b
	}
	if page := string(get("/map")); !strings.Contains(page, "worldmap.js") {
		t.Error("no page")
	}
	r := at.Region()
	tile := "/map/tile/0/" + strconv.Itoa(int(r.X)) + "/" + strconv.Itoa(int(r.Z))
	red := func() int { // bricks are red, and grass is not
		rgb, err := io.ReadAll(flate.NewReader(bytes.NewReader(get(tile))))
		if err != nil || len(rgb) != webmap.Size*webmap.Size*3 {
			t.Fatalf("%d bytes: %v", len(rgb), err)
		}
		i := (int(at.Z)&(world.RegionSize-1)*webmap.Size + int(at.X)&(world.RegionSize-1)) * 3
		return int(rgb[i]) - int(rgb[i+1])
	}
	until(t, "the bricks on the map", func() bool { return red() > 30 })
	var o webmap.Overview
	until(t, "the land on the map", func() bool {
		if err := json.Unmarshal(get("/map/world"), &o); err != nil {
			t.Fatal(err)
		}
		return len(o.Claims) == 1
	})
	if c := o.Claims[0]; c.Name != "home" || c.Owner != "Ann" || o.Name == "" || len(o.Players) != 1 || o.Players[0].Name != "Ann" {
		t.Errorf("%+v", o)
	}
	stop(t, h)

	c.Map = ""
	h = start(t, c)
	o = webmap.Overview{}
	if err := json.Unmarshal(get("/map/world"), &o); err != nil || len(o.Claims) != 1 || o.Players != nil {
		t.Errorf("players are shown that nobody wants to show: %+v, %v", o, err)
	}
	stop(t, h)

	c.JoinCode = "sesame"
	h = start(t, c)
	res, err := http.Get("http://" + h.Addr().String() + "/map/world")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusNotFound {
		t.Errorf("a world that asks for a code shows a map by itself: %s", res.Status)
	}
}
