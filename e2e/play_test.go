package e2e

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
)

// TestTwoPlayers is the whole of the first path: two people in browsers of
// their own come into a world, walk, dig, build and talk; the server restarts,
// also by kill -9, and all is as it was.
func TestTwoPlayers(t *testing.T) {
	srv, ann := alone(t)
	bo := newPlayer(t, "Bo")
	bo.open(srv.page())
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
	ann.open(srv.page())
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
	hole, at := buildAlone(who)
	watcher.until("to see what was dug", func(state) bool {
		b := watcher.block(hole.x, hole.y, hole.z)
		return b != hole.block && b >= 0
	})
	watcher.until("to see what was built", func(state) bool { return watcher.block(at.x, at.y, at.z) == at.block })
	return at
}

// buildAlone digs a block out of the ground and puts one on top of another. What the
// player carries is what the node says: so both were acknowledged. Who holds the button
// while the picture is slow digs or builds more than one: that is theirs. Who is moved a
// little after aiming hits another block, and aims again, as a person does.
func buildAlone(p *player) (hole, at spot) {
	p.t.Helper()
	p.play()
	had := 0
	gone := func() bool { b := p.block(hole.x, hole.y, hole.z); return b != hole.block && b >= 0 } // water may come
	p.tries(input.Left, gone, func() {
		had = total(p.state())
		look := lookDown(p, 2, solid)
		hole = spot{look.X, look.Y, look.Z, look.Block}
	})
	p.until("to have what was dug", func(s state) bool { return total(s) > had && gone() })
	slot := held(p.state())
	p.tap(string(rune('1' + slot)))
	s := p.until("to hold it", func(s state) bool { return s.Selected == slot })
	at.block = s.Hotbar[slot].Block
	there := func() bool { return p.block(at.x, at.y, at.z) == at.block }
	p.tries(input.Right, there, func() {
		had = p.state().Hotbar[slot].Count
		top := lookDown(p, 3, solid)
		at.x, at.y, at.z = top.X, top.Y+1, top.Z
	})
	p.until("to have paid for what was built", func(s state) bool { return s.Hotbar[slot].Count < had && there() })
	p.t.Logf("%s dug %d at %d %d %d and built %d at %d %d %d", p.name, hole.block, hole.x, hole.y, hole.z, at.block, at.x, at.y, at.z)
	return hole, at
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

// lookDown looks at the top of ground about so many metres ahead, turning until there
// is some that will do.
func lookDown(p *player, ahead float64, do func(*player, *target) bool) target {
	p.t.Helper()
	turn, x, z := 0, 0.0, 0.0
	s := p.until("to look at the ground", func(s state) bool {
		if at := s.Target; turn > 0 && at != nil && s.TargetEntity == nil && at.Face == 1 &&
			math.Abs(float64(at.X)+0.5-x) < 1.1 && math.Abs(float64(at.Z)+0.5-z) < 1.1 && do(p, at) {
			return true
		}
		angle, far := float64(turn)*math.Pi/4, ahead+0.6*float64(turn/8%2)
		turn++
		x, z = math.Floor(s.Pos[0]+far*math.Sin(angle))+0.5, math.Floor(s.Pos[2]-far*math.Cos(angle))+0.5
		p.lookAt(x, s.Pos[1]-0.1, z)
		p.until("to have looked", func(n state) bool { return n.Yaw != s.Yaw || n.Pitch != s.Pitch || turn == 1 })
		time.Sleep(2 * poll) // the target is what was aimed at when the last picture was drawn
		return false
	})
	return *s.Target
}

// soil is what one can dig by hand: grass, dirt, sand, gravel, clay and snowy grass.
var soil = []int{2, 3, 5, 6, 8, 11}

// level reports solid ground on which one can also build to all sides.
func level(p *player, at *target) bool {
	for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		x, z := at.X+d[0], at.Z+d[1]
		if !slices.Contains(soil, p.block(x, at.Y, z)) || p.block(x, at.Y+1, z) != 0 {
			return false
		}
	}
	return solid(p, at)
}

// solid reports ground that one can dig by hand and build on: soil or sand with
// air above it, and not the block that somebody stands on.
func solid(p *player, at *target) bool {
	if !slices.Contains(soil, at.Block) || p.block(at.X, at.Y+1, at.Z) != 0 {
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
