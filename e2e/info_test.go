package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// TestPausedNode: a node that stops for a while (a suspended laptop, a full disk) is
// noticed, the player stands still meanwhile, keeps the connection, and a key that is
// held goes on as soon as the node does.
func TestPausedNode(t *testing.T) {
	srv, ann := flying(t)
	from := ann.state()
	ann.until("to move", func(s state) bool { return distance(s.Pos, from.Pos) > 2 })

	srv.signal(syscall.SIGSTOP)
	resumed := false
	defer func() {
		if !resumed {
			srv.signal(syscall.SIGCONT)
		}
	}()
	began := time.Now()
	ann.until("to see that the node is silent", func(s state) bool { return s.Stalled })
	if !ann.visible(".stall") {
		t.Error("nothing is shown of a node that says nothing")
	}
	ann.shot("silent")
	still := ann.state()
	if b := ann.block(int(still.Pos[0]), 0, int(still.Pos[2])); b < 0 {
		t.Errorf("stands in land that is not loaded, at %v", still.Pos)
	}
	for time.Since(began) < 8*time.Second {
		if s := ann.state(); distance(s.Pos, still.Pos) > 0.01 {
			t.Fatalf("moved to %v though nothing was heard of the node", s.Pos)
		}
		time.Sleep(poll)
	}
	srv.signal(syscall.SIGCONT)
	resumed = true
	ann.until("to go on", func(s state) bool { return !s.Stalled && s.Link == "live" && s.Stage == "playing" })
	if ann.visible(".stall") {
		t.Error("the node is heard of again, and the banner is still there")
	}
	at := ann.state()
	ann.until("to move on with the key that is still held", func(s state) bool { return distance(s.Pos, at.Pos) > 2 })
	ann.do("release W", ann.keyEvent("w", input.KeyUp))
}

// makeSpectator lets an operator fly through everything: nothing is in the way then.
func makeSpectator(p *player) {
	p.mode("spectator", 2)
	p.play()
}

func (s *server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// visible reports whether something is on the page and shown.
func (p *player) visible(selector string) (is bool) {
	p.t.Helper()
	p.eval(fmt.Sprintf("!!document.querySelector(%q)?.checkVisibility()", selector), &is)
	return is
}

// flying is alone with a player who flies on and on.
func flying(t *testing.T) (*server, *player) {
	t.Helper()
	srv, ann := alone(t)
	makeSpectator(ann)
	ann.do("hold W", ann.keyEvent("w", input.KeyDown))
	return srv, ann
}

// TestHeldKeys: keys that are held go on after the connection was lost, and after
// whatever the node says of the player in between.
func TestHeldKeys(t *testing.T) {
	srv, ann := flying(t)
	moves := func(when string) {
		t.Helper()
		at := ann.state()
		ann.until("to move "+when, func(s state) bool { return s.Stage == "playing" && distance(s.Pos, at.Pos) > 2 })
	}
	moves("at first")
	srv.kill()
	ann.until("to see that the connection is lost", func(s state) bool { return s.Stage == "lost" })
	srv.again()
	ann.ready()
	moves("after the connection was lost")
	ann.do("release W", ann.keyEvent("w", input.KeyUp))
}

// TestDeath: the dialog says of what, chat tells it to others, and the jump key that
// was held does not bring back to life at once.
func TestDeath(t *testing.T) {
	_, ann := alone(t)
	ann.say("/spawn")
	before := ann.state()
	ann.say("/tp ~ 200 ~")
	ann.play()
	ann.do("hold the jump key", ann.space(input.KeyDown, false))
	ann.until("to die", func(s state) bool { return s.Dead && ann.visible("dialog.death") })
	for range 8 { // a key that is held repeats
		ann.do("go on holding it", ann.space(input.KeyDown, true))
		time.Sleep(poll)
	}
	var cause string
	ann.eval("document.querySelector('dialog.death .cause').textContent", &cause)
	if cause != "You fell too far." {
		t.Errorf("the dialog says %q", cause)
	}
	ann.hears("", "Ann fell too far.")
	ann.shot("death")
	ann.until("the button to be ready", func(state) bool { return ann.evalBool("!document.querySelector('dialog.death button').disabled") })
	for range 5 {
		ann.do("go on holding it", ann.space(input.KeyDown, true))
	}
	ann.do("let go", ann.space(input.KeyUp, false))
	time.Sleep(300 * time.Millisecond) // an answer of the node would be here
	if !ann.state().Dead {
		t.Fatal("the jump key that was held has brought the player back to life")
	}
	ann.do("press it anew", ann.space(input.KeyDown, false), ann.space(input.KeyUp, false))
	ann.until("to live", func(s state) bool { return !s.Dead && s.Health == 20 && distance(s.Pos, before.Pos) < 30 })
}

func (p *player) space(kind input.KeyType, repeat bool) chromedp.Action {
	return input.DispatchKeyEvent(kind).WithKey(" ").WithCode("Space").WithText(" ").WithNativeVirtualKeyCode(32).WithWindowsVirtualKeyCode(32).WithAutoRepeat(repeat)
}

func (p *player) evalBool(expr string) (is bool) {
	p.t.Helper()
	p.eval(expr, &is)
	return is
}

// TestBanIsExplained: who is banned reads why, and until when.
func TestBanIsExplained(t *testing.T) {
	srv := startServer(t)
	ann, bo := newPlayer(t, "Ann"), newPlayer(t, "Bo")
	ann.open(srv.page())
	ann.enter()
	bo.open(srv.url)
	bo.enter()
	ann.say("/tp Bo 0 150 0")
	bo.hears("", "Ann has brought you to 0 150 0.")
	ann.say("/ban Bo 3d digging up the road")
	says := func() (text string) {
		bo.eval("document.querySelector('dialog.end')?.textContent ?? ''", &text)
		return text
	}
	until := time.Now().UTC().AddDate(0, 0, 3).Format("2 January 2006")
	reads := func(state) bool {
		text := says()
		return strings.Contains(text, "digging up the road") && strings.Contains(text, until)
	}
	bo.until("to read why it is banned, and until when", reads)
	bo.shot("banned")
	bo.open(srv.url)
	bo.do("type a name", chromedp.SendKeys("#name", "Bo"))
	bo.do("press play", chromedp.Click("#play"))
	bo.until("to read it again", reads)
}

// TestNodeOfThePageDies: a page whose node is killed goes on at another node of the
// world by itself, as the same player at the same place with the same things.
func TestNodeOfThePageDies(t *testing.T) {
	one := startNode(t)
	startNode(t, one)
	three := startNode(t, one)
	ann := newPlayer(t, "Ann")
	ann.open(three.page())
	ann.enter()
	// Until the regions here have copies on the others.
	three.until("copies of where Ann is", func(h hosting) bool {
		here := partAt(ann.state())
		for _, p := range h.Shards {
			if p.Shard == here {
				return len(p.Members) == 3
			}
		}
		return false
	})
	three.until("the lobby to have copies", func(h hosting) bool {
		for _, p := range h.Shards {
			if p.Shard == "lobby" {
				return len(p.Members) == 3
			}
		}
		return true // it is kept by others
	})
	ann.until("to know where else to go", func(s state) bool { return s.Entrances >= 2 })
	before := ann.until("to stand", func(s state) bool { return s.OnGround && len(s.Hotbar) > 0 })
	begun := time.Now()
	three.kill()
	after := ann.until("to play on through another node", func(s state) bool {
		return s.Stage == "playing" && s.Ready && s.Gateway != three.url
	})
	t.Logf("played on after %s at %s", time.Since(begun).Round(time.Millisecond), after.Gateway)
	if after.Name != "Ann" || after.Error != "" {
		t.Errorf("is %q now: %q", after.Name, after.Error)
	}
	if d := distance(after.Pos, before.Pos); d > 2 {
		t.Errorf("stands %.1f m from where it was", d)
	}
	if fmt.Sprint(after.Hotbar) != fmt.Sprint(before.Hotbar) {
		t.Errorf("has %v, had %v", after.Hotbar, before.Hotbar)
	}
	ann.shot("moved")
	ann.say("still here")
	ann.hears("Ann", "still here")
	if len(ann.errors) > 0 {
		t.Errorf("exceptions: %v", ann.errors)
	}
}
