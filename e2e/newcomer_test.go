package e2e

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// The place of TestNewcomer: an island with two trunks, a tent of wool, and a hill of stone with
// coal and iron in it. North is −z.
const (
	islandX, islandY, islandZ = 200, 110, 200
	floorY                    = islandY + 1
)

var island = []string{
	"/fill 200 107 200 224 109 222 dirt", "/fill 200 110 200 224 110 222 grass",
	"/fill 207 111 200 216 114 206 stone",
	"/fill 213 111 204 213 112 204 coal_ore", "/fill 210 111 203 210 111 204 iron_ore", "/fill 210 112 204 210 112 204 iron_ore",
	"/fill 218 111 211 218 114 211 oak_log", "/fill 217 115 210 219 115 212 oak_leaves",
	"/fill 221 111 211 221 114 211 oak_log", "/fill 220 115 210 222 115 212 oak_leaves",
	"/fill 214 111 212 216 111 212 white_wool",
}

// TestNewcomer: a player who has thrown away what newcomers carry comes by hand from nothing to
// a pickaxe of iron, lives in a house with a door and a chest, and sleeps in a bed until morning.
func TestNewcomer(t *testing.T) {
	srv := &server{t: t, data: t.TempDir(), made: true}
	giveKey(t, srv.data)
	program(t, "world", "new", "home", "--data", srv.data, "--seed", "7", "--peaceful") // no monster ends the sleep
	srv.run()
	ann := newLooker(t, "Ann", 960, 540, strings.TrimSuffix(plainLook, "}")+`, "hinted": true}`)
	ann.open(srv.page())
	ann.enter()
	id := map[string]int{}
	for b := range world.AllBlocks() {
		id[b.String()] = int(b)
	}
	for _, line := range append(island, "/tp Ann 219.5 111 214.5") {
		ann.orders(line)
	}
	ann.until("to stand on the island", func(s state) bool {
		return s.OnGround && int(s.Pos[1]) == floorY && ann.block(216, floorY, 212) == id["white_wool"]
	})
	began := time.Now()
	step := func(what string) { t.Logf("%5.1f s: %s", time.Since(began).Seconds(), what) }

	ann.walkTo(219.5, 218.5)
	ann.lookAt(219.5, 113, 240)
	for i, s := range ann.state().Hotbar {
		if s.Count > 0 {
			ann.tap(strconv.Itoa(i + 1))
			ann.until("to hold it", func(s state) bool { return s.Selected == i })
			ann.do("hold shift", ann.keyEvent(kb.Shift, input.KeyDown))
			ann.tap("q")
			ann.until("to have nothing of it", func(s state) bool { return s.Hotbar[i].Count == 0 })
			ann.do("let go of shift", ann.keyEvent(kb.Shift, input.KeyUp))
		}
	}
	if n := total(ann.state()); n > 0 {
		t.Fatalf("a newcomer has %d things", n)
	}
	step("nothing left")

	ann.walkTo(219.5, 213)
	for _, x := range []int{218, 221} {
		for y := floorY; y < floorY+3; y++ {
			ann.dig(x, y, 211)
		}
	}
	for x := 216; x >= 214; x-- {
		ann.dig(x, floorY, 212)
	}
	ann.opens("e")
	ann.craft("Oak Planks", 6)
	ann.craft("Stick", 2)
	ann.lay(id["oak_planks"], 0, 1, 2)
	ann.lay(id["stick"], 4, 7)
	ann.settle()
	ann.shot("newcomer-crafting")
	ann.takes("Wooden Pickaxe")
	ann.closes()
	step("a pickaxe of wood")

	ann.holds(id["wooden_pickaxe"])
	ann.walkTo(212.5, 208)
	digBoth := func(x, z int) { ann.dig(x, floorY+1, z); ann.dig(x, floorY, z) }
	digBoth(212, 206)
	digBoth(212, 205)
	ann.walkTo(212.5, 206)
	digBoth(212, 204)
	digBoth(211, 205)
	ann.walkTo(212.5, 205.3)
	digBoth(212, 203)
	digBoth(211, 204)
	digBoth(211, 203)
	ann.shot("newcomer-mine")
	ann.opens("e")
	ann.craft("Stone Pickaxe", 1)
	ann.craft("Furnace", 1)
	ann.craft("Chest", 1)
	ann.craft("Oak Door", 1)
	ann.craft("Red Bed", 1)
	ann.closes()
	step("a pickaxe of stone")

	ann.holds(id["stone_pickaxe"])
	ann.walkTo(212.5, 204.5)
	digBoth(213, 204)
	digBoth(210, 204)
	ann.dig(210, floorY, 203)
	ann.puts(id["furnace"], 210, 204, func(b int) bool { return b == id["furnace"] })
	ann.opensBlock(spot{210, floorY, 204, id["furnace"]})
	ann.shiftClick(id["iron_ore"])
	ann.until("the ore to be in the furnace", func(s state) bool { return s.Container[0].Count == 3 })
	ann.shiftClick(id["coal_ore"])
	ann.until("the furnace to burn", func(s state) bool { return ann.block(210, floorY, 204) == id["furnace"]+1 })
	ann.closes()
	step("a furnace that burns")

	ann.puts(id["chest"], 213, 204, func(b int) bool { return b == id["chest"] })
	ann.opensBlock(spot{213, floorY, 204, id["chest"]})
	ann.shiftClick(id["wooden_pickaxe"])
	ann.until("the old pickaxe to be in the chest", func(s state) bool { return count(s.Container, id["wooden_pickaxe"]) > 0 })
	ann.shot("newcomer-chest")
	ann.closes()
	ann.walkTo(211.5, 205.5)
	ann.puts(id["red_bed"], 211, 204, func(b int) bool { return b >= id["red_bed"] && b < id["red_bed"]+8 })
	ann.walkTo(212.5, 204.8)
	isDoor := func(b int) bool { return b >= id["oak_door"] && b < id["oak_door"]+8 }
	ann.puts(id["oak_door"], 212, 206, isDoor)
	ann.shot("newcomer-house")
	step("a house with a door")

	ann.opensBlock(spot{210, floorY, 204, id["furnace"]})
	ann.until("three ingots", func(s state) bool { return s.Container[2].Count == 3 })
	ann.shot("newcomer-furnace")
	ann.clickSlot(64+2, input.Left, input.ModifierShift)
	ann.until("to have them", func(s state) bool { return count(s.Hotbar, id["iron_ingot"]) == 3 })
	ann.closes()
	ann.opens("e")
	ann.craft("Iron Pickaxe", 1)
	ann.closes()
	ann.holds(id["iron_pickaxe"])
	step("a pickaxe of iron")
	ann.shot("newcomer-iron")

	ann.say("/time set midnight")
	ann.until("night", func(s state) bool { return s.Time > 0.7 && s.Time < 0.8 })
	ann.walkTo(212.5, 204.6)
	ann.lookAt(211.5, floorY+0.4, 203.8)
	ann.until("to aim at the bed", func(s state) bool { return s.Target != nil && s.Target.X == 211 })
	asleep := func() bool { return ann.visible(".asleep") }
	ann.mouse(input.Right, asleep)
	ann.until("to sleep", func(state) bool { return asleep() })
	ann.shot("newcomer-asleep")
	ann.until("morning", func(s state) bool { return s.Time < 0.1 && !asleep() })
	ann.reads(".chat", "The night is over. Good morning.")
	step("morning")
	ann.lookAt(212.5, floorY+1, 206.5)
	ann.until("to aim at the door", func(s state) bool { return s.Target != nil && isDoor(s.Target.Block) })
	closed := ann.block(212, floorY, 206)
	ann.mouse(input.Right, func() bool { return ann.block(212, floorY, 206) != closed })
	ann.walkTo(212.5, 210)
	ann.lookAt(212, floorY+1.5, 206)
	ann.settle()
	ann.shot("newcomer-morning")
	if s := ann.state(); s.Garbage > 0 || len(ann.errors) > 0 || s.Dead {
		t.Errorf("%d frames could not be read, exceptions %v, dead %v", s.Garbage, ann.errors, s.Dead)
	}
}

// orders types a command and waits for its answer; who is told to type more slowly does.
func (p *player) orders(line string) {
	p.t.Helper()
	for {
		n := len(p.state().Chat)
		p.say(line)
		s := p.until("an answer to "+line, func(s state) bool { return len(s.Chat) > n })
		if !strings.Contains(s.Chat[len(s.Chat)-1].Text, "too fast") {
			return
		}
		time.Sleep(time.Second)
	}
}

// walkTo walks to a place with nothing in between: with few pictures a second a held key is
// seen late, so the last steps are short and sneaked.
func (p *player) walkTo(x, z float64) {
	p.t.Helper()
	const walks, sneaks = 4.3, 1.3 // metres a second
	for range 30 {
		s := p.stands()
		far := math.Hypot(s.Pos[0]-x, s.Pos[2]-z)
		if far < 0.4 {
			return
		}
		p.lookAt(x, s.Pos[1]+1.62, z)
		down, up := p.keyEvent("w", input.KeyDown), p.keyEvent("w", input.KeyUp)
		if far > 2.5 {
			p.do("walk", down, chromedp.Sleep(seconds(0.6*far/walks)), up)
			continue
		}
		p.do("sneak", p.keyEvent(kb.Shift, input.KeyDown), down, chromedp.Sleep(seconds(0.8*far/sneaks)), up, p.keyEvent(kb.Shift, input.KeyUp))
	}
	p.t.Fatalf("%s cannot walk to %v %v: is at %v", p.name, x, z, p.state().Pos)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// stands waits until the player stands still.
func (p *player) stands() state {
	p.t.Helper()
	last := [3]float64{}
	return p.until("to stand still", func(s state) bool {
		was := last
		last = s.Pos
		return s.OnGround && s.Pos == was
	})
}

// aims looks at a block until it is aimed at.
func (p *player) aims(x, y, z int) {
	p.t.Helper()
	p.until(fmt.Sprintf("to aim at %d %d %d", x, y, z), func(s state) bool {
		if s.Target != nil && s.Target.X == x && s.Target.Y == y && s.Target.Z == z || p.block(x, y, z) == 0 {
			return true
		}
		p.lookAt(float64(x)+0.5, float64(y)+0.5, float64(z)+0.5)
		return false
	})
}

// dig breaks a block and waits until something of it is there.
func (p *player) dig(x, y, z int) {
	p.t.Helper()
	was := p.block(x, y, z)
	if was == 0 {
		return // a button that was held for a moment too long
	}
	gone := func() bool { return p.block(x, y, z) != was }
	p.tries(input.Left, gone, func() { p.aims(x, y, z) })
	p.until(fmt.Sprintf("to have broken %d at %d %d %d", was, x, y, z), func(state) bool { return gone() })
}

// holds takes a thing of the hot bar into the hand.
func (p *player) holds(item int) {
	p.t.Helper()
	p.until(fmt.Sprint("to hold ", item), func(s state) bool {
		if s.Hotbar[s.Selected].Block == item && s.Hotbar[s.Selected].Count > 0 {
			return true
		}
		for i, slot := range s.Hotbar {
			if slot.Block == item && slot.Count > 0 {
				p.tap(strconv.Itoa(i + 1))
			}
		}
		return false
	})
}

// puts places a thing of the hot bar on the floor.
func (p *player) puts(item, x, z int, is func(b int) bool) {
	p.t.Helper()
	p.holds(item)
	p.lookAt(float64(x)+0.5, floorY, float64(z)+0.5)
	p.until("to aim at the floor", func(s state) bool {
		return s.Target != nil && s.Target.X == x && s.Target.Y == floorY-1 && s.Target.Z == z && s.Target.Face == 1
	})
	there := func() bool { return is(p.block(x, floorY, z)) }
	p.mouse(input.Right, there)
	p.until(fmt.Sprint("to have placed ", item), func(s state) bool { return there() && count(s.Hotbar, item) == 0 })
}

// closes closes what is open. A busy browser may lose a press; a person presses again.
func (p *player) closes() {
	p.t.Helper()
	pressed := time.Time{}
	p.until("the dialog to be closed", func(state) bool {
		if !p.visible("dialog[open]") {
			return true
		}
		if time.Since(pressed) > 3*time.Second {
			pressed = time.Now()
			p.tap("e")
		}
		return false
	})
	p.play()
}

// shiftClick moves a stack of one's own into the container that is open.
func (p *player) shiftClick(item int) {
	p.t.Helper()
	p.clickOn(fmt.Sprintf("[data-slot][aria-label*=': %s']", world.Info(world.Block(item)).Title), input.Left, input.ModifierShift)
}

// craft makes something so many times by the recipe book, which is open.
func (p *player) craft(name string, times int) {
	p.t.Helper()
	const button = `[...document.querySelectorAll('dialog[open] [data-recipe]:not(:disabled)')].find((e) => e.lastElementChild.textContent === %q)`
	number := ""
	p.until("a recipe for "+name, func(state) (there bool) {
		p.eval(fmt.Sprintf("("+button+")?.dataset.recipe ?? ''", name), &number)
		return number != ""
	})
	for range times {
		before := p.inventory()
		p.clickOn(fmt.Sprintf("[data-recipe='%s']", number), input.Left, 0)
		p.until("to have made "+name, func(state) bool { return p.inventory() != before })
	}
}

// inventory is what the slots on the page say.
func (p *player) inventory() (text string) {
	p.t.Helper()
	p.eval("[...document.querySelectorAll('dialog[open] [data-slot]')].map((e) => e.getAttribute('aria-label')).join()", &text)
	return text
}

// lay puts things of the hot bar into cells of the crafting grid, one into each.
func (p *player) lay(item int, cells ...int) {
	p.t.Helper()
	for i, s := range p.state().Hotbar {
		if s.Block != item || s.Count < len(cells) {
			continue
		}
		p.clickSlot(i, input.Left, 0)
		for _, c := range cells {
			p.clickOn(fmt.Sprintf("[data-cell='%d']", c), input.Left, 0)
		}
		if s.Count > len(cells) {
			p.clickSlot(i, input.Left, 0) // what is left in the hand
		}
		return
	}
	p.t.Fatalf("there are no %d of %d in the hot bar", len(cells), item)
}

// takes makes what lies ready beside the crafting grid.
func (p *player) takes(name string) {
	p.t.Helper()
	before := p.inventory()
	p.clickOn(fmt.Sprintf("[data-result][aria-label='Make 1 %s']", name), input.Left, 0)
	p.until("to have made "+name, func(state) bool { return p.inventory() != before })
}
