package world

import (
	"math"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// wall puts a wall of a block before a player at x, from side to side.
func wall(a *Area, x int32, b Block) {
	for y := int32(10); y < 14; y++ {
		for z := int32(55); z < 75; z++ {
			put(a, Pos{x, y, z}, b)
		}
	}
}

// Nobody reaches through what a client's look stops at, and through the rest as
// before.
func TestActsThroughWalls(t *testing.T) {
	for _, c := range []struct {
		wall Block
		want Refusal
	}{{Stone, NotAllowed}, {Glass, NotAllowed}, {OakLeaves, NotAllowed}, {Ice, NotAllowed}, {Cactus, NotAllowed}, {Air, Done}, {Torch, Done}, {Water3, Done}, {Ladder, Done}} {
		act := map[string]func(a *Area, p *Player) Refusal{
			"dig": func(a *Area, p *Player) Refusal {
				p.Mode = Creative
				return a.doAct(t, p, Act{Kind: ActDig, At: Pos{67, 10, 64}})
			},
			"place": func(a *Area, p *Player) Refusal {
				return a.doAct(t, p, Act{Kind: ActPlace, At: Pos{67, 10, 64}, Face: FaceWest})
			},
			"hit a player": func(a *Area, p *Player) Refusal {
				q := guest("q", 67, 11, 64)
				a.AddPlayer(q)
				return a.doAct(t, p, Act{Kind: ActHit, A: int64(q.Entity)})
			},
			"hit a mob": func(a *Area, p *Player) Refusal {
				m := mobAt(a, Sheep, 67, 11, 64)
				return a.doAct(t, p, Act{Kind: ActHit, A: int64(m.Entity)})
			},
		}
		for name, do := range act {
			a := flatArea(AreaConfig{})
			put(a, Pos{67, 10, 64}, Dirt)
			wall(a, 65, c.wall)
			p := guest("p", 64, 10, 64)
			p.Items[0] = Stack{Stone, 9}
			a.AddPlayer(p)
			if got := do(a, p); got != c.want {
				t.Errorf("%s through %v: %q, want %q", name, c.wall, got, c.want)
			}
		}
	}
}

// What lies under a floor of slabs is not dug up through it, and what is seen over
// the edge of a slab is.
func TestSlabsHideWhatIsBelow(t *testing.T) {
	for _, c := range []struct {
		at   Pos
		want Refusal
	}{{Pos{66, 9, 64}, NotAllowed}, {Pos{66, 10, 64}, Done}, {Pos{68, 11, 64}, Done}} {
		a := flatArea(AreaConfig{})
		for x := int32(60); x < 70; x++ {
			for z := int32(60); z < 70; z++ {
				put(a, Pos{x, 10, z}, StoneSlab)
			}
		}
		put(a, Pos{68, 11, 64}, Dirt)
		p := guest("p", 64, 11, 64)
		p.Mode = Creative
		a.AddPlayer(p)
		p.Body.Pos.Y = fixed.Int(10) + fixed.One/2
		if got := a.doAct(t, p, Act{Kind: ActDig, At: c.at}); got != c.want {
			t.Errorf("digging %v: %q, want %q", c.at, got, c.want)
		}
	}
}

// A block is put only into a place that can be seen: nobody builds behind a wall by
// naming its far side.
func TestPlacingBehindAWall(t *testing.T) {
	for name, c := range map[string]struct {
		at   Pos
		face Face
		want Refusal
	}{
		"before the wall": {Pos{66, 10, 64}, FaceWest, Done}, "behind it": {Pos{66, 10, 64}, FaceEast, NotAllowed},
		"on top of it": {Pos{66, 13, 64}, FaceUp, Done}, "behind it, against the ground": {Pos{67, 9, 64}, FaceUp, NotAllowed},
	} {
		a := flatArea(AreaConfig{})
		wall(a, 66, Glass)
		p := guest("p", 64, 10, 64)
		p.Items[0] = Stack{Stone, 9}
		a.AddPlayer(p)
		if got := a.doAct(t, p, Act{Kind: ActPlace, At: c.at, Face: c.face}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Who begins to dig a block and goes behind a wall does not get it.
func TestDiggingEndsBehindAWall(t *testing.T) {
	a := flatArea(AreaConfig{})
	at := Pos{66, 10, 64}
	put(a, at, Stone)
	p := guest("p", 64, 10, 64)
	a.AddPlayer(p)
	a.Tick(1, []Command{{Player: p.ID, Kind: CmdAct, Seq: 1, Act: Act{Kind: ActDig, At: at}}})
	wall(a, 65, Glass)
	var got Refusal = "no result"
	for range 200 {
		for _, r := range a.walkOn(p, 1).Results {
			got = r.Code
		}
	}
	if b, _ := a.Block(at); got != NotAllowed || b != Stone {
		t.Errorf("%q, there is %v", got, b)
	}
}

// What an honest client aims at is not refused: in random clutter, from random
// places, whatever the first block on the ray of a look is, and the face that
// the ray comes in by.
func TestHonestAim(t *testing.T) {
	r := rng.New(11)
	aimed, refused := 0, 0
	for range 60 {
		a := flatArea(AreaConfig{})
		for x := int32(58); x < 70; x++ {
			for z := int32(58); z < 70; z++ {
				for y := int32(10); y < 16; y++ {
					if r.OneIn(4) {
						put(a, Pos{x, y, z}, []Block{Stone, Glass, OakLeaves, StoneSlab}[r.Intn(4)])
					}
				}
			}
		}
		p := guest("p", 64, 10, 64)
		a.AddPlayer(p)
		for range 40 {
			p.Body.Pos = Vec{fixed.Int(61) + fixed.Num(r.Intn(7<<fixed.Shift)), fixed.Int(10) + fixed.Num(r.Intn(3<<fixed.Shift)), fixed.Int(61) + fixed.Num(r.Intn(7<<fixed.Shift))}
			if hidden(a, p.Body.Eye()) {
				continue
			}
			yaw, pitch := float64(r.Intn(6283))/1000, float64(r.Intn(3000))/1000-1.5
			at, face, ok := look(a, p.Body.Eye(), yaw, pitch)
			if !ok {
				continue
			}
			aimed++
			front, _ := a.Block(at.Next(face))
			if !a.sees(p, at) || hides(front) == 0 && !a.sees(p, at.Next(face)) {
				refused++
			}
		}
	}
	if aimed < 1000 || refused*1000 > aimed {
		t.Errorf("%d of %d honest looks are refused", refused, aimed)
	}
}

// look returns the first block on a ray, as a client finds it.
func look(a *Area, eye Vec, yaw, pitch float64) (at Pos, face Face, ok bool) {
	const step = 1.0 / 2048
	d := [3]float64{math.Sin(yaw) * math.Cos(pitch), math.Sin(pitch), -math.Cos(yaw) * math.Cos(pitch)}
	last := eye.Block()
	for far := 0.0; far < 4.9; far += step {
		v := Vec{eye.X + fixed.Num(d[0]*far*4096), eye.Y + fixed.Num(d[1]*far*4096), eye.Z + fixed.Num(d[2]*far*4096)}
		at = v.Block()
		b, _ := a.Block(at)
		if v.Y.Frac() < hides(b) {
			for f := range faceCount {
				if last == at.Next(f) {
					return at, f, true
				}
			}
			return at, FaceUp, last == at // the top of a slab
		}
		last = at
	}
	return Pos{}, 0, false
}
