package e2e

import (
	"math"
	"testing"

	"github.com/chromedp/cdproto/input"
)

// TestTwoPlayers is the whole of the first path: two people in browsers of
// their own come into a world, walk, dig, build and talk; the server restarts,
// also by kill -9, and all is as it was.
func TestTwoPlayers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts browsers")
	}
	srv := startServer(t)
	ann := newPlayer(t, "Ann")
	ann.open(srv.url)
	ann.enter()
	bo := newPlayer(t, "Bo")
	bo.open(srv.url)
	bo.enter()
	ann.until("to see Bo", func(s state) bool { _, ok := s.other("Bo"); return ok })
	bo.until("to see Ann", func(s state) bool { _, ok := s.other("Ann"); return ok })

	walk(t, ann, bo)
	talk(ann, bo)
	build(t, ann, bo)
	place := build(t, bo, ann)

	before := ann.until("to stand", func(s state) bool { return s.OnGround })
	srv.stop()
	ann.until("to see that the connection is lost", func(s state) bool { return s.Stage == "lost" })
	srv.again()
	same(t, ann, before, place)
	same(t, bo, bo.ready(), place)

	place = build(t, ann, bo)
	before = ann.until("to stand", func(s state) bool { return s.OnGround })
	srv.kill()
	ann.until("to see that the connection is lost", func(s state) bool { return s.Stage == "lost" })
	srv.again()
	same(t, ann, before, place)
	talk(bo, ann)

	// Closing the browser and coming back another day.
	before = ann.until("to stand", func(s state) bool { return s.OnGround })
	ann.quit()
	bo.until("to see that Ann has left", func(s state) bool { _, ok := s.other("Ann"); return !ok })
	ann.launch()
	ann.open(srv.url)
	ann.enter()
	same(t, ann, before, place)
	for _, p := range []*player{ann, bo} {
		if s := p.state(); s.Garbage > 0 || len(p.errors) > 0 {
			t.Errorf("%s: %d frames could not be read, exceptions %v", p.name, s.Garbage, p.errors)
		}
	}
}

// walk lets one player walk, as the other sees.
func walk(t *testing.T, who, watcher *player) {
	t.Helper()
	who.play()
	from := who.until("to stand", func(s state) bool { return s.OnGround })
	seen, ok := watcher.state().other(who.name)
	if !ok {
		t.Fatalf("%s does not see %s", watcher.name, who.name)
	}
	turns := 0
	to := who.key("w", "to have walked 3 m", func(s state) bool {
		d := distance(s.Pos, from.Pos)
		if turns++; d < 3 && turns%20 == 0 { // something is in the way
			who.eval("(vp.look(vp.state().yaw + 1.7, 0), 0)", nil)
		}
		return d >= 3
	})
	watcher.until("to see "+who.name+" walk", func(s state) bool {
		e, ok := s.other(who.name)
		return ok && distance(e.Pos, seen.Pos) > 2 && distance(e.Pos, who.state().Pos) < 2
	})
	if to.Garbage > 0 {
		t.Errorf("%d frames could not be read", to.Garbage)
	}
}

// talk lets two players talk.
func talk(a, b *player) {
	a.t.Helper()
	a.say("hello from " + a.name)
	b.hears(a.name, "hello from "+a.name)
	b.say("hello back from " + b.name)
	a.hears(b.name, "hello back from "+b.name)
}

// spot is a block that was placed.
type spot struct{ x, y, z, block int }

// build lets one player dig a block out of the ground and put one on top of
// another, as the other sees.
func build(t *testing.T, who, watcher *player) spot {
	t.Helper()
	who.play()
	hole := lookDown(who, 2)
	had := total(who.state())
	who.mouse(input.Left, "to have dug", func() bool { return who.block(hole.X, hole.Y, hole.Z) == 0 })
	watcher.until("to see the hole", func(state) bool { return watcher.block(hole.X, hole.Y, hole.Z) == 0 })
	s := who.until("to have what was dug", func(s state) bool { return total(s) == had+1 })
	who.tap(string(rune('1' + held(s))))
	item := s.Hotbar[held(s)].Block
	who.until("to hold it", func(n state) bool { return n.Selected == held(s) })

	top := lookDown(who, 3)
	at := spot{top.X, top.Y + 1, top.Z, item}
	who.mouse(input.Right, "to have built", func() bool { return who.block(at.x, at.y, at.z) == item })
	watcher.until("to see what was built", func(state) bool { return watcher.block(at.x, at.y, at.z) == item })
	who.until("to have paid for it", func(s state) bool { return total(s) == had })
	t.Logf("%s dug %d at %d %d %d and built %d at %d %d %d", who.name, hole.Block, hole.X, hole.Y, hole.Z, item, at.x, at.y, at.z)
	return at
}

// total is how much there is in the hot bar.
func total(s state) (n int) {
	for _, slot := range s.Hotbar {
		n += slot.Count
	}
	return n
}

// held is the slot of the hot bar with something in it, −1 if there is none.
func held(s state) int {
	for i, slot := range s.Hotbar {
		if slot.Count > 0 {
			return i
		}
	}
	return -1
}

// lookDown looks at the top of solid ground so many metres ahead, turning until
// there is some.
func lookDown(p *player, ahead float64) target {
	p.t.Helper()
	turn := 0
	s := p.until("to look at the ground", func(s state) bool {
		if ok := s.Target != nil && s.Target.Face == 1 && solid(p, s.Target); ok {
			return true
		}
		angle := float64(turn) * math.Pi / 4
		turn++
		x, z := s.Pos[0]+ahead*math.Sin(angle), s.Pos[2]-ahead*math.Cos(angle)
		p.lookAt(math.Floor(x)+0.5, s.Pos[1]-0.1, math.Floor(z)+0.5)
		p.until("to have looked", func(n state) bool { return n.Yaw != s.Yaw || n.Pitch != s.Pitch || turn == 1 })
		return false
	})
	return *s.Target
}

// solid reports ground that one can dig by hand and build on: air above it, and
// not the block that somebody stands on.
func solid(p *player, at *target) bool {
	if p.block(at.X, at.Y+1, at.Z) != 0 {
		return false
	}
	for _, e := range p.state().Entities {
		if math.Abs(e.Pos[0]-float64(at.X)-0.5) < 1.2 && math.Abs(e.Pos[2]-float64(at.Z)-0.5) < 1.2 {
			return false
		}
	}
	return true
}

// same reports whether a player is back in the world as it was.
func same(t *testing.T, p *player, before state, built spot) {
	t.Helper()
	now := p.ready()
	now = p.until("to stand", func(s state) bool { return s.Ready && s.OnGround })
	if d := distance(now.Pos, before.Pos); d > 1 {
		t.Errorf("%s came back %.1f m from where they were: %v, was %v", p.name, d, now.Pos, before.Pos)
	}
	p.until("to see what was built", func(state) bool { return p.block(built.x, built.y, built.z) == built.block })
	for i, s := range before.Hotbar {
		if now.Hotbar[i] != s {
			t.Errorf("%s: slot %d holds %v, was %v", p.name, i+1, now.Hotbar[i], s)
		}
	}
}
