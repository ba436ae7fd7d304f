package pack

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

// Mob is a kind of animal or monster: its body, and the building blocks of what it does.
// Its number is its place in Content.Mobs plus one: 0 is a player.
type Mob struct {
	Name, Title string
	Model       string // one of Models: what the client draws

	Half, Height fixed.Num // half of the width, and the height
	Walk, Run    fixed.Num // per tick
	Moves        Moves
	Health       uint8
	Drops        []Stack // for who kills it

	Eats   []uint16 // what players feed it with, so that it has young
	Grazes bool     // eats what it stands on, now and then
	Flees  uint8    // from players who come so near upright, in metres; all without Hunts flee when struck
	Herd   uint8    // metres within which its kind flees or hunts with it
	Burns  bool     // by day under the open sky
	Splits Splits   // zero: it does not
	Hunts  Hunts    // zero: it does not
	Spawns Spawns   // zero: it does not come by itself
}

// Moves is how a mob gets about.
type Moves uint8

// The ways to move.
const (
	Walks  Moves = iota
	Hops         // jumps with every step
	Climbs       // up walls
	Flies
	Swims // lives in water, and suffers on land
)

var movesNames = []string{"walks", "hops", "climbs", "flies", "swims"}

func (m Moves) String() string { return movesNames[m] }

// When is a time of something.
type When uint8

// The times.
const (
	Always When = iota
	ByDay
	ByNight
	Struck // once a player has struck it
)

var whenNames = []string{"always", "day", "night", "struck"}

// Hunts is how a mob attacks players.
type Hunts struct {
	Sight  uint8 // metres; 0: it does not hunt
	When   When
	Damage uint8
	Every  uint8  // ticks between two blows
	Leaps  bool   // at its prey
	Bursts uint8  // ticks after which it bursts beside its prey; 0: it strikes
	Shoots uint16 // id of what it shoots at its prey; 0: it strikes
}

// Splits is what a mob leaves behind that dies.
type Splits struct {
	Into  uint8 // the number of a kind
	Count uint8
}

// Where is a kind of place.
type Where uint8

// The places.
const (
	OnLand Where = iota
	InCave
	InWater
)

var whereNames = []string{"land", "cave", "water"}

// Spawns is where and when mobs come into the world.
type Spawns struct {
	Share uint8 // against that of others; 0: it does not
	Where Where
	When  When
	On    []uint16 // blocks underneath; none: any
}

// Models are the bodies that the client draws.
var Models = []string{
	"sheep", "cow", "pig", "chicken", "duck", "rabbit", "wolf", "fox", "goat", "deer", "fish", "bird",
	"stalker", "walker", "archer", "spider", "slime", "bat", "burster", "diver", "burrower", "brute",
}

// Bounds of mobs.
const (
	maxWide   = 300 // hundredths of a metre
	maxTall   = 400
	maxPace   = 1000 // hundredths of a metre in a second
	maxSight  = 32
	maxSplits = 8
	maxDrops  = 4
)

// Monster reports whether it hunts unprovoked.
func (m *Mob) Monster() bool { return m.Hunts.Sight > 0 && m.Hunts.When != Struck }

// mob reads an entry of "mobs". What it names is looked up once all blocks are there.
func (r *reader) mob(file string, v value) {
	o, name, ok := r.entry(file, "mob", v, "model")
	if !ok {
		return
	}
	for _, field := range []string{"width", "height", "health", "walk"} {
		o.need(field)
	}
	m := Mob{Name: name, Title: o.title(name), Model: o.choice("model", Models[0], Models)}
	m.Half = centimetres(o.number("width", 10, maxWide, 10)) / 2
	m.Height = centimetres(o.number("height", 10, maxTall, 10))
	walk := o.number("walk", 1, maxPace, 1)
	m.Walk, m.Run = centimetres(walk)/20, centimetres(o.number("run", walk, maxPace, walk))/20
	m.Moves = Moves(o.word("moves", movesNames))
	m.Health = uint8(o.number("health", 1, 100, 1))
	m.Grazes, m.Burns = o.flag("grazes"), o.flag("burns")
	m.Flees = uint8(o.number("flees", 1, maxSight, 0))
	m.Herd = uint8(o.number("herd", 1, maxSight, 0))
	r.hunts(o, &m)
	r.spawns(o, &m)
	m.Eats = r.list(o, "eats")
	if f := o.get("drops", kindObject); f != nil {
		if len(f.fields) > maxDrops {
			o.fail(f.line, "drops: %d kinds of things; want at most %d", len(f.fields), maxDrops)
		}
		m.Drops = r.stacks(o, f)
	}
	if m.Flees > 0 && m.Hunts.Sight > 0 {
		o.fail(o.line, "a mob flees or hunts, not both")
	}
	split := o.splits(&m)
	o.finish()
	r.addMob(m, split, o)
}

// centimetres are hundredths of a metre.
func centimetres(n int64) fixed.Num { return fixed.One * fixed.Num(n) / 100 }

// word reads one of a list of words as its place, the first if it is not there.
func (o *object) word(name string, from []string) int {
	return slices.Index(from, o.choice(name, from[0], from))
}

func (r *reader) hunts(o *object, m *Mob) {
	f := o.get("hunts", kindObject)
	if f == nil {
		return
	}
	in, _ := objectOf(o.file, o.what+": hunts", f.value, o.report)
	for _, field := range []string{"sight", "damage"} {
		in.need(field)
	}
	m.Hunts = Hunts{
		Sight: uint8(in.number("sight", 1, maxSight, 1)), When: When(in.word("when", whenNames)),
		Damage: uint8(in.number("damage", 1, maxFood, 1)), Every: uint8(in.number("every", 5, 200, 20)),
		Leaps: in.flag("leaps"), Bursts: uint8(in.number("bursts", 5, 200, 0)),
	}
	if f := in.get("shoots", kindString); f != nil {
		m.Hunts.Shoots = r.find(in, f.scalar.(string), f.line)
		if m.Hunts.Leaps || m.Hunts.Bursts > 0 {
			in.fail(f.line, "shoots is not for what leaps or bursts")
		}
	}
	in.finish()
}

func (r *reader) spawns(o *object, m *Mob) {
	f := o.get("spawns", kindObject)
	if f == nil {
		return
	}
	in, _ := objectOf(o.file, o.what+": spawns", f.value, o.report)
	in.need("share")
	m.Spawns = Spawns{
		Share: uint8(in.number("share", 1, 100, 1)), Where: Where(in.word("where", whereNames)), When: When(in.word("when", whenNames[:Struck])),
	}
	m.Spawns.On = r.list(in, "on")
	in.finish()
}

// list reads a list of names of blocks and items.
func (r *reader) list(o *object, name string) (ids []uint16) {
	f := o.get(name, kindList)
	if f == nil {
		return nil
	}
	for _, e := range f.list {
		text, _ := e.scalar.(string)
		id, ok := r.ids[text]
		if !ok {
			o.fail(e.line, "%s: there is no block %q", name, text)
		}
		ids = append(ids, id)
	}
	return ids
}

func (o *object) splits(m *Mob) (into unresolved) {
	f := o.get("splits", kindObject)
	if f == nil {
		return into
	}
	in, _ := objectOf(o.file, o.what+": splits", f.value, o.report)
	in.need("into")
	in.need("count")
	m.Splits.Count = uint8(in.number("count", 1, maxSplits, 1))
	into = unresolved{o.file, o.what, "splits", in.name("into"), f.line}
	in.finish()
	return into
}

// addMob gives a kind of mob its number.
func (r *reader) addMob(m Mob, split unresolved, o *object) {
	switch {
	case m.Name == "":
		return // reported
	case slices.ContainsFunc(r.out.Mobs, func(other Mob) bool { return other.Name == m.Name }):
		o.fail(o.line, "another mob has the name")
		return
	case len(r.out.Mobs) == MaxMobs:
		o.fail(o.line, "more than %d mobs", MaxMobs)
		return
	}
	r.out.Mobs = append(r.out.Mobs, m)
	r.splits = append(r.splits, split)
}

// resolveSplits finds what the pack's mobs leave behind.
func (r *reader) resolveSplits() {
	first := len(r.out.Mobs) - len(r.splits)
	for i, s := range r.splits {
		if s.name == "" {
			continue
		}
		into := slices.IndexFunc(r.out.Mobs, func(m Mob) bool { return m.Name == s.name })
		switch {
		case into < 0:
			r.add(s.file, s.line, "%s: %s: there is no mob %q", s.what, s.field, s.name)
		case r.out.Mobs[into].Splits.Count > 0:
			r.add(s.file, s.line, "%s: %s: %s splits itself", s.what, s.field, s.name)
		}
		r.out.Mobs[first+i].Splits.Into = uint8(into + 1)
	}
}
