package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestPictures makes the pictures of the documentation: a world in which bots
// build houses. Which window a picture is looks at stays the same, what is to
// be seen in it is what the bots are about.
func TestPictures(t *testing.T) {
	if *shots == "" {
		t.Skip("no -shots folder: no pictures are wanted")
	}
	srv := startServer(t, "--mode", "creative")
	ann := newLooker(t, "Ann", 1280, 720, `{"viewDistance": 8, "farDistance": 4, "quality": "high", "hinted": true}`)
	ann.open(srv.page())
	ann.shot("start")
	ann.enter()
	ann.say("/time set 2500")
	bots := exec.Command(bin, "bots", "--players", "12", "--behaviour", "build", "--join", srv.page(), "--data", t.TempDir())
	if err := bots.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = bots.Process.Kill(); _ = bots.Wait() }()
	bo := newPlayer(t, "Bo")
	bo.open(srv.page())
	bo.enter()
	bo.say("What a view!")
	ann.hears("Bo", "What a view!")
	time.Sleep(40 * time.Second) // houses take a while to build: nothing waits for them but the picture

	ann.view(0.9, -0.05)
	ann.shot("play")
	ann.opens("e")
	ann.shot("inventory")
	ann.tap("e")
	ann.play()
	ann.say("/gamemode spectator")
	ann.say("/tp ~ ~12 ~")
	ann.tap(kb.F1) // F1: nothing but the world
	ann.view(0.7, -0.2)
	ann.shot("day")
	ann.say("/time set 11900")
	ann.view(4.6, -0.1)
	ann.shot("evening")
}

// TestPicturesOfInterface makes pictures of what players have before them, on screens of
// several sizes, for somebody to look at.
func TestPicturesOfInterface(t *testing.T) {
	if *shots == "" {
		t.Skip("no -shots folder: no pictures are wanted")
	}
	srv := startServer(t)
	for _, size := range [][2]int{{1280, 720}, {390, 844}, {1920, 1080}} {
		w, h := size[0], size[1]
		phone, settings := w < h, `{"viewDistance": 4, "farDistance": 4, "quality": "low"`
		if phone {
			settings += `, "touch": "on"`
		}
		name := fmt.Sprintf("Ann %d", w)
		ann := newLooker(t, name, w, h, settings+`}`)
		if phone {
			ann.do("have a touch screen", emulation.SetTouchEmulationEnabled(true).WithMaxTouchPoints(5))
		}
		picture := func(what string) { ann.shot(fmt.Sprintf("%d-%s", w, what)) }
		ann.open(srv.page())
		picture("start")
		ann.enter()
		ann.view(0.9, -0.1)
		picture("entered")
		if phone {
			for _, what := range []string{".menu", ".things", ".talk"} {
				ann.eval("(document.querySelector('.touch-top "+what+"').click(), 0)", nil)
				ann.still()
				picture(what[1:])
				ann.eval("(document.querySelector('dialog[open] .close, dialog[open] button')?.click(), 0)", nil)
			}
			ann.quit()
			continue
		}
		ann.say("Good evening, everybody. What is there to do in this world?")
		picture("play")
		for key, what := range map[string]string{"e": "inventory", "m": "map"} {
			ann.opens(key)
			ann.settle()
			picture(what)
			ann.tap(kb.Escape)
		}
		ann.play()
		ann.tap(kb.F3)
		ann.settle()
		picture("f3")
		ann.tap(kb.F3)
		ann.eval("(document.exitPointerLock(), 0)", nil)
		ann.do("wait for the menu", chromedp.WaitVisible("dialog[open]"))
		ann.still()
		picture("menu")
		ann.quit()
	}
}

// opens opens a dialog by its key.
func (p *player) opens(key string) {
	p.t.Helper()
	p.play()
	p.tap(key)
	p.do("wait for the dialog", chromedp.WaitVisible("dialog[open]"))
	p.still()
}

// still waits until nothing on the page moves by itself.
func (p *player) still() {
	p.t.Helper()
	p.until("animations to end", func(state) (ended bool) {
		p.eval("document.getAnimations().every((a) => a.playState === 'finished')", &ended)
		return ended
	})
}

// view looks somewhere and waits until everything there is drawn.
func (p *player) view(yaw, pitch float64) {
	p.t.Helper()
	p.eval(fmt.Sprintf("(vp.look(%g, %g), 0)", yaw, pitch), nil)
	p.settle()
}

// settle waits until nothing new has been drawn for a while.
func (p *player) settle() {
	p.t.Helper()
	last, since := -1, time.Now()
	p.until("everything to be drawn", func(s state) bool {
		if s.Meshed != last {
			last, since = s.Meshed, time.Now()
		}
		return s.Meshed > 0 && time.Since(since) > 5*time.Second
	})
}

// TestPictureOfHosts makes the picture of the map of a world that three nodes
// host.
func TestPictureOfHosts(t *testing.T) {
	if *shots == "" {
		t.Skip("no -shots folder: no pictures are wanted")
	}
	one := startNode(t)
	startNode(t, one)
	three := startNode(t, one)
	ann := newLooker(t, "Ann", 1280, 720, `{"viewDistance": 8, "farDistance": 6, "quality": "low", "hinted": true}`)
	ann.open(three.page())
	ann.enter()
	ann.view(0.9, -0.05)
	three.until("regions of three hosts", func(h hosting) bool {
		leaders := map[string]bool{}
		for _, p := range h.Shards {
			if len(p.Members) == 3 && p.Leader != "" {
				leaders[p.Leader] = true
			}
		}
		return len(leaders) == 3
	})
	ann.opens("m")
	ann.do("zoom out", chromedp.Evaluate(`(document.querySelectorAll('.map-tools button')[1].click(), document.querySelectorAll('.map-tools button')[1].click(), 0)`, nil))
	ann.settle()
	ann.shot("hosts")
}

// TestPictureOfOverlay makes the picture of the map of a verified world: places,
// cells and links of its nodes.
func TestPictureOfOverlay(t *testing.T) {
	if *shots == "" {
		t.Skip("no -shots folder: no pictures are wanted")
	}
	nodes := castle(t, 8)
	ann := newLooker(t, "Ann", 1280, 720, `{"viewDistance": 4, "farDistance": 2, "quality": "low", "hinted": true}`)
	ann.open(nodes[0].page())
	ann.enter()
	ann.settle()
	ann.tap("m")
	time.Sleep(10 * time.Second) // the map asks once a second
	ann.shot("overlay")
}

// TestPictureOfStorage makes the pictures of what people are shown of the
// replicated storage: the map and F3.
func TestPictureOfStorage(t *testing.T) {
	if *shots == "" {
		t.Skip("no -shots folder: no pictures are wanted")
	}
	nodes := castle(t, 8, "--storage", "--storage-after", "60s", "--storage-regions", "8")
	ann := newLooker(t, "Ann", 1280, 720, `{"viewDistance": 4, "farDistance": 2, "quality": "low", "hinted": true}`)
	ann.open(nodes[0].page())
	ann.enter()
	nodes[0].until("the storage to be looked at", func(h hosting) bool { return h.Storage != nil && h.Storage.Looked >= 3 })
	ann.tap(kb.F3)
	ann.settle()
	ann.shot("storage-f3")
	ann.tap(kb.F3)
	ann.tap("m")
	for range 3 {
		ann.do("zoom out", chromedp.Evaluate(`(document.querySelectorAll('.map-tools button')[1].click(), 0)`, nil))
	}
	time.Sleep(10 * time.Second) // the map asks once a second
	ann.shot("storage")
}

// castle is a verified world of some nodes; made are further settings of it.
func castle(t *testing.T, count int, made ...string) (nodes []*server) {
	t.Helper()
	office := t.TempDir()
	run := func(args ...string) string {
		out, err := exec.Command(bin, args...).Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return string(out)
	}
	run("authority", "init", "castle", "--zones", "4", "--data", office)
	for i := range count {
		s := &server{t: t, data: t.TempDir()}
		if i == 0 {
			s.data = office
			run(append([]string{"world", "new", "castle", "--authority", "castle", "--data", office}, made...)...)
		}
		var key string
		for line := range strings.SplitSeq(run("identity", "show", "--data", s.data), "\n") {
			if rest, ok := strings.CutPrefix(line, "public key"); ok && key == "" {
				key = strings.TrimSpace(rest)
			}
		}
		paper := filepath.Join(s.data, "place.pem")
		run("authority", "issue", "castle", "--key", key, "--out", paper, "--data", office)
		port := freePort(t)
		s.args = []string{"--certificate", paper, "--nodes", fmt.Sprintf("127.0.0.1:%d", port), "--ntp", "none"}
		if i == 0 {
			s.args = append(s.args, "castle")
		} else {
			s.args = append(s.args, "--join", fmt.Sprintf("127.0.0.1:%d", nodes[0].port()))
		}
		s.start(port)
		t.Cleanup(s.kill)
		nodes = append(nodes, s)
	}
	return nodes
}
