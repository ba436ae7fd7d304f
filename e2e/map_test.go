package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestWebMap: who is not in the world sees what was built there and who owns it, on a large
// screen and on a phone; a name is no markup.
func TestWebMap(t *testing.T) {
	srv := startServer(t, "--map", "players")
	ann := newPlayer(t, "Ann")
	ann.open(srv.page())
	ann.enter()
	s := ann.state()
	x, y, z := int(s.Pos[0]), int(s.Pos[1]), int(s.Pos[2])
	told := func(text string) {
		t.Helper()
		ann.until("to read "+text, func(s state) bool {
			return slices.ContainsFunc(s.Chat, func(l line) bool { return strings.Contains(l.Text, text) })
		})
	}
	ann.say(fmt.Sprintf("/hollow %d %d %d %d %d %d bricks", x+3, y+20, z+3, x+14, y+22, z+14))
	told("blocks changed")
	ann.say("/claim home 20")
	told("home is yours")
	ann.opens("m")
	untilShown(t, ann, "own land on the map of players", `(() => {
		const c = document.querySelector('.map-canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
		let n = 0;
		for (let i = 0; i < d.length; i += 4) if (d[i] > 240 && d[i + 1] > 185 && d[i + 1] < 215 && d[i + 2] < 95) n++;
		return n > 100;
	})()`)
	ann.shot("map-lands")
	for _, screen := range []struct {
		name string
		w, h int
	}{{"desktop", 1280, 800}, {"phone", 390, 780}} {
		bo := newLooker(t, "Bo", screen.w, screen.h, "")
		bo.open(strings.TrimSuffix(srv.url, "/") + "/map")
		seen := func(what, expr string) { untilShown(t, bo, what, expr) }
		seen("the world's name", `document.getElementById('name').textContent !== ''`)
		seen("all tiles", `document.documentElement.dataset.missing === '0'`)
		seen("bricks in the picture", `(() => {
			const c = document.getElementById('map'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
			let n = 0;
			for (let i = 0; i < d.length; i += 4) if (d[i] > d[i + 1] + 35 && d[i] > d[i + 2] + 35 && d[i] < 230) n++;
			return n > 100;
		})()`)
		bo.shot("map-" + screen.name)
		bo.eval(`(document.getElementById('out').click(), document.getElementById('out').click(), 0)`, nil)
		seen("all tiles further away", `document.documentElement.dataset.missing === '0'`)
		bo.shot("map-far-" + screen.name)
	}
}

// untilShown waits until what a page shows makes an expression true.
func untilShown(t *testing.T, p *player, what, expr string) {
	t.Helper()
	for end, ok := time.Now().Add(patience), false; !ok; time.Sleep(poll) {
		if p.eval(expr, &ok); time.Now().After(end) {
			p.shot("failed-map")
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
