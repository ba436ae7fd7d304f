package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// TestPacks follows docs/packs.md: a pack that is written without Go adds a block, a tool and
// a mob to a world of three nodes, which fetch it; a browser shows them. A node that has
// other packs, or a damaged one, does not host the world and says why.
func TestPacks(t *testing.T) {
	one := startNode(t)
	two := startNode(t, one)
	three := startNode(t, one)
	ann := newPlayer(t, "Ann")
	ann.open(three.page())
	ann.enter()
	makeOperator(t, one, ann)
	ann.stand(flat[0])
	_, before := buildAlone(ann)

	quarry := filepath.Join(t.TempDir(), "quarry")
	writePack(t, quarry)
	if out := program(t, "pack", "check", quarry); !strings.Contains(out, "no errors") {
		t.Fatal(out)
	}
	one.stop()
	program(t, "world", "packs", "home", "--data", one.data, "--add", quarry)
	one.again()

	// The others still have the base pack alone: they fetch the new one, say so and end.
	for _, s := range []*server{two, three} {
		if err := s.cmd.Wait(); !failedWith(err, 8) {
			t.Fatalf("a node with other packs goes on: %v\n%s", err, s.log.String())
		}
		s.cmd = nil
		if !strings.Contains(s.log.String(), "the founder has given the world other content packs") {
			t.Errorf("it does not say why it ends:\n%s", s.log.String())
		}
	}
	breakPack(t, two)
	out, err := exec.Command(bin, "node", "--data", two.data, "--world", "home", "--port", "-1", "--ntp", "none").CombinedOutput()
	if !failedWith(err, 8) || !strings.Contains(string(out), "a content pack is damaged") || !strings.Contains(string(out), "--restore") {
		t.Fatalf("a node with a damaged pack: %v\n%s", err, out)
	}
	two.again() // which fetches it again
	three.again()

	ann.ready()
	ann.until("to see what was built before", func(state) bool { return ann.block(before.x, before.y, before.z) == before.block })
	pick := carries(ann, "marble_pickaxe")
	marble := placed(ann, "marble", 3)
	if marble.block < 512 || pick < 512 {
		t.Errorf("marble is block %d, the pickaxe item %d", marble.block, pick)
	}
	ann.until("to see the mob of the pack", func(s state) bool {
		return slices.ContainsFunc(s.Entities, func(e entity) bool { return e.Kind > 64 })
	})
	ann.lookAt(float64(marble.x)+0.5, float64(marble.y)+0.5, float64(marble.z)+0.5)
	ann.settle()
	ann.shot("pack-block")
	ann.tap("e")
	ann.still()
	ann.shot("pack-inventory")
	ann.tap("e")
	ann.play()
	ann.digsWith(pick, marble)
	if s := ann.state(); s.Garbage > 0 || len(ann.errors) > 0 {
		t.Errorf("%d frames could not be read, exceptions %v", s.Garbage, ann.errors)
	}
	for _, s := range []*server{one, two, three} {
		s.until("to host something with the new packs", func(h hosting) bool { return h.Leads+h.Replicas > 0 })
	}
}

// digsWith breaks a block with a tool that the player has in the hot bar.
func (p *player) digsWith(tool int, at spot) {
	p.t.Helper()
	slot := slices.IndexFunc(p.state().Hotbar, func(in slot) bool { return in.Block == tool })
	p.tap(string(rune('1' + slot)))
	p.until("to hold the tool", func(s state) bool { return s.Selected == slot })
	gone := func() bool { return p.block(at.x, at.y, at.z) == 0 }
	p.tries(input.Left, gone, func() { p.aims(at.x, at.y, at.z) })
	p.until("to have broken it", func(state) bool { return gone() })
}

// TestPacksByLink: a page that no node has served gets the content packs over data channels.
func TestPacksByLink(t *testing.T) {
	quarry := filepath.Join(t.TempDir(), "quarry")
	writePack(t, quarry)
	s := &server{t: t, data: t.TempDir(), args: []string{"--share", "--nodes", udpPort(t), "--ntp", "none", "--no-port-mapping", "--page", staticPage(t)}}
	giveKey(t, s.data)
	program(t, "world", "new", "home", "--data", s.data, "--seed", "7", "--mode", "creative", "--pack", quarry)
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("the node's log:\n%s", s.log.String())
		}
	})
	s.start(-1)
	ann := newPlayer(t, "Ann")
	ann.open(s.link)
	ann.until("to have the packs of the world", func(state) bool {
		var hash string
		ann.eval("(localStorage.getItem('voxelpopuli.content') ?? '').slice(0, 64)", &hash)
		return len(hash) == 64
	})
	ann.open(s.link) // the page is about to load itself again
	ann.enter()
	if g := ann.state().Gateway; !strings.HasPrefix(g, "webrtc:") {
		t.Fatalf("the page has dialled %s", g)
	}
	ann.tap("e")
	ann.still()
	ann.do("search", chromedp.SendKeys(`input[type=search]`, "marb", chromedp.ByQuery))
	ann.until("to see the things of the pack", func(state) bool {
		var n int
		ann.eval("document.querySelectorAll('[aria-label^=\"Marble\"]').length", &n)
		return n >= 3
	})
	ann.shot("pack-catalogue")
	if s := ann.state(); s.Garbage > 0 || len(ann.errors) > 0 {
		t.Errorf("%d frames could not be read, exceptions %v", s.Garbage, ann.errors)
	}
}

// writePack makes a pack by the steps of docs/packs.md.
func writePack(t *testing.T, dir string) {
	t.Helper()
	c := exec.Command(bin, "pack", "new", filepath.Base(dir))
	c.Dir = filepath.Dir(dir)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(dir, "content.json")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(b), `"hardness": 30`, `"hardness": 20`, 1)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// breakPack changes a byte of the pack that a node has.
func breakPack(t *testing.T, s *server) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(s.data, "packs", "*.zip"))
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	b, err := os.ReadFile(all[0])
	if err != nil {
		t.Fatal(err)
	}
	b[200] ^= 0x40 // in the compressed content.json, whose checksum is another one then
	if err := os.WriteFile(all[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// carries gives an operator one of an item and returns its id.
func carries(p *player, name string) (item int) {
	p.t.Helper()
	before := p.state().Hotbar
	p.say("/give " + p.name + " " + name + " 1")
	p.until("to have a "+name, func(s state) bool {
		for i, in := range s.Hotbar {
			if in != before[i] {
				item = in.Block
				return true
			}
		}
		return false
	})
	return item
}

func failedWith(err error, code int) bool {
	var ended *exec.ExitError
	return errors.As(err, &ended) && ended.ExitCode() == code
}
