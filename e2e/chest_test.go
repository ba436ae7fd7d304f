package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// TestChest: two players in browsers of their own use one chest at a time; each sees what
// the other moves, and after kill -9 of the server it is as it was.
func TestChest(t *testing.T) {
	srv, ann := alone(t)
	bo := newPlayer(t, "Bo")
	bo.open(srv.page())
	bo.enter()
	chest := placed(ann, "chest", 2)
	bo.until("to see the chest", func(state) bool { return bo.block(chest.x, chest.y, chest.z) == chest.block })
	// Bo stands on the other side of it: Ann would be in the way.
	here := ann.state().Pos
	across := [3]float64{2*float64(chest.x) + 1 - here[0], here[1] + 1, 2*float64(chest.z) + 1 - here[2]}
	ann.say(fmt.Sprintf("/tp Bo %.1f %.1f %.1f", across[0], across[1], across[2]))
	bo.until("to be at the chest", func(s state) bool { return s.OnGround && distance(s.Pos, across) < 2.5 })

	ann.opensBlock(chest)
	if s := ann.state(); len(s.Container) != 27 || total(s) == 0 {
		t.Fatalf("Ann sees %d slots", len(s.Container))
	}
	left := func(s state) int { return count(s.Hotbar, chest.block) }
	if left(ann.state()) != 1 {
		t.Error("the press that opened the chest placed a block")
	}
	planks := ann.state().Hotbar[1]
	ann.clickSlot(1, input.Left, input.ModifierShift)
	ann.until("the planks to be in the chest", func(s state) bool { return s.Container[0] == planks && s.Hotbar[1].Count == 0 })
	ann.clickSlot(0, input.Right, 0) // takes half of the torches
	ann.clickSlot(64+10, input.Left, 0)
	ann.until("the torches to be in the chest", func(s state) bool { return s.Container[10].Count == 8 && s.Hotbar[0].Count == 8 })

	bo.opensBlock(chest)
	if s := bo.state(); s.Container[0] != planks || s.Container[10].Count != 8 {
		t.Fatalf("Bo sees %v", s.Container)
	}
	bo.drag(64, 64+20)
	ann.until("to see the planks move", func(s state) bool { return s.Container[0].Count == 0 && s.Container[20] == planks })
	bo.clickSlot(64+20, input.Left, input.ModifierShift)
	ann.until("to see the planks go", func(s state) bool { return s.Container[20].Count == 0 })
	ann.still()
	ann.shot("chest-open")
	bo.tap("e")
	ann.tap("e")
	for _, p := range []*player{ann, bo} {
		p.until("the chest to be closed", func(s state) bool { return s.Container == nil })
		p.play()
	}
	ann.lookAt(float64(chest.x)+0.5, float64(chest.y)+0.5, float64(chest.z)+0.5)
	ann.settle()
	ann.shot("chest")

	srv.kill()
	ann.until("to see that the connection is lost", func(s state) bool { return s.Stage == "lost" })
	srv.again()
	ann.ready()
	ann.opensBlock(chest)
	if s := ann.state(); s.Container[10].Count != 8 || s.Container[20].Count != 0 || s.Hotbar[0].Count != 8 {
		t.Errorf("after the kill: %v, %v", s.Container, s.Hotbar)
	}
	for _, p := range []*player{ann, bo} {
		if s := p.state(); s.Garbage > 0 || len(p.errors) > 0 {
			t.Errorf("%s: %d frames could not be read, exceptions %v", p.name, s.Garbage, p.errors)
		}
	}
}

// placed gives an operator some of a block and lets it place one before itself.
func placed(p *player, name string, n int) (at spot) {
	p.t.Helper()
	return placedAs(p, name, n, func(b, item int) bool { return b == item })
}

// placedAs is placed for what becomes one of several blocks.
func placedAs(p *player, name string, n int, becomes func(b, item int) bool) (at spot) {
	p.t.Helper()
	return placedOn(p, solid, name, n, becomes)
}

// placedOn does so on ground that will do.
func placedOn(p *player, do func(*player, *target) bool, name string, n int, becomes func(b, item int) bool) (at spot) {
	p.t.Helper()
	before := total(p.state())
	p.say(fmt.Sprintf("/give %s %s %d", p.name, name, n))
	s := p.until("to have a "+name, func(s state) bool { return total(s) == before+n })
	slot := -1
	for i, in := range s.Hotbar {
		if in.Count == n {
			slot = i
		}
	}
	if slot < 0 {
		p.t.Fatalf("no %s: %v", name, s.Hotbar)
	}
	item := s.Hotbar[slot].Block
	p.tap(string(rune('1' + slot)))
	p.until("to hold it", func(s state) bool { return s.Selected == slot })
	ground := lookDown(p, 2, do)
	at.x, at.y, at.z = ground.X, ground.Y+1, ground.Z
	there := func() bool { return becomes(p.block(at.x, at.y, at.z), item) }
	p.mouse(input.Right, there)
	p.until("to have placed it", func(s state) bool { return there() && count(s.Hotbar, item) == n-1 })
	at.block = p.block(at.x, at.y, at.z)
	return at
}

func count(slots []slot, block int) (n int) {
	for _, s := range slots {
		if s.Block == block {
			n += s.Count
		}
	}
	return n
}

// opensBlock presses the right button on a container and waits for what is in it.
func (p *player) opensBlock(at spot) {
	p.t.Helper()
	p.play()
	p.lookAt(float64(at.x)+0.5, float64(at.y)+0.7, float64(at.z)+0.5)
	p.until("to aim at it", func(s state) bool {
		return s.Target != nil && s.Target.X == at.x && s.Target.Y == at.y && s.Target.Z == at.z
	})
	p.mouse(input.Right, func() bool { return p.state().Container != nil && p.visible("dialog[open] [data-slot='64']") })
	p.until("to see what is in it", func(s state) bool { return len(s.Container) > 0 })
}

// middle is the middle of a slot on the page.
func (p *player) middle(slot int) (x, y float64) {
	p.t.Helper()
	return p.middleOf(fmt.Sprintf("[data-slot='%d']", slot))
}

// middleOf is the middle of an element of the dialog that is open.
func (p *player) middleOf(selector string) (x, y float64) {
	p.t.Helper()
	var at [2]float64
	p.eval(fmt.Sprintf("((e) => { e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })(document.querySelector(`dialog[open] %s`))", selector), &at)
	return at[0], at[1]
}

func (p *player) clickSlot(slot int, b input.MouseButton, with input.Modifier) {
	p.t.Helper()
	p.clickOn(fmt.Sprintf("[data-slot='%d']", slot), b, with)
}

// clickOn clicks on an element of the dialog that is open.
func (p *player) clickOn(selector string, b input.MouseButton, with input.Modifier) {
	p.t.Helper()
	x, y := p.middleOf(selector)
	event := func(kind input.MouseType) chromedp.Action {
		return input.DispatchMouseEvent(kind, x, y).WithButton(b).WithClickCount(1).WithModifiers(with)
	}
	p.do("click "+selector, event(input.MouseMoved), event(input.MousePressed), event(input.MouseReleased))
}

func (p *player) drag(from, to int) {
	p.t.Helper()
	x, y := p.middle(from)
	u, v := p.middle(to)
	p.do(fmt.Sprintf("drag slot %d to %d", from, to),
		input.DispatchMouseEvent(input.MouseMoved, x, y),
		input.DispatchMouseEvent(input.MousePressed, x, y).WithButton(input.Left).WithClickCount(1),
		input.DispatchMouseEvent(input.MouseMoved, u, v).WithButton(input.Left),
		input.DispatchMouseEvent(input.MouseReleased, u, v).WithButton(input.Left).WithClickCount(1))
}
