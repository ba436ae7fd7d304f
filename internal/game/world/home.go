package world

import (
	"fmt"
	"slices"
	"strings"
)

// Homes are places that a player has named, where it stood, to come back to. They are
// part of the player, so that they are saved, handed over and replayed with it.

// Limits of homes.
const (
	MaxHomes    = 16
	MaxHomeName = 20 // bytes
)

// Home is the block of a player's feet, under a name.
type Home struct {
	Name string
	At   Pos
}

// IsHome reports whether an order is about a player's homes: its Text counts.
func (o *Order) IsHome() bool { return o.Kind >= OrderSetHome && o.Kind <= OrderHomes }

// FindHome returns the place of a name in the player's homes, -1 if there is none.
func (p *Player) FindHome(name string) int {
	return slices.IndexFunc(p.Homes, func(h Home) bool { return h.Name == name })
}

// orderHome does what a player has ordered about its homes.
func (pr *playerRules) orderHome(p *Player, o *Order) Refusal {
	i := p.FindHome(o.Text)
	switch {
	case o.Kind == OrderHomes:
		pr.say(p, p.homeList())
		return Done
	case len(o.Text) == 0 || len(o.Text) > MaxHomeName || p.Dead():
		return NotAllowed
	case o.Kind == OrderSetHome && i < 0 && len(p.Homes) >= min(o.Count, MaxHomes):
		pr.say(p, fmt.Sprintf("You may have %d homes. /delhome removes one: %s.", min(o.Count, MaxHomes), p.homeNames()))
	case o.Kind == OrderSetHome:
		at := Home{o.Text, p.Body.Pos.Block()}
		p.Homes = append(slices.DeleteFunc(slices.Clone(p.Homes), func(h Home) bool { return h.Name == o.Text }), at)
		pr.say(p, fmt.Sprintf("%s is at %s now.", at.Name, at.At))
	case i < 0:
		pr.say(p, fmt.Sprintf("You have no home called %s. You have: %s.", o.Text, p.homeNames()))
	case o.Kind == OrderDelHome:
		p.Homes = slices.Delete(slices.Clone(p.Homes), i, i+1)
		pr.say(p, o.Text+" is forgotten.")
	default:
		p.moveTo(SpawnFeet(p.Homes[i].At))
	}
	p.dirty |= dirtySave
	return Done
}

func (pr *playerRules) say(p *Player, text string) {
	pr.changes.Notices = append(pr.changes.Notices, Notice{p, "home", text})
}

func (p *Player) homeList() string {
	if len(p.Homes) == 0 {
		return "You have no home. /sethome makes one of the place where you stand."
	}
	var list []string
	for _, h := range p.Homes {
		list = append(list, fmt.Sprintf("%s at %s", h.Name, h.At))
	}
	return "Your homes: " + strings.Join(list, ", ") + "."
}

func (p *Player) homeNames() string {
	if len(p.Homes) == 0 {
		return "none"
	}
	var names []string
	for _, h := range p.Homes {
		names = append(names, h.Name)
	}
	return strings.Join(names, ", ")
}

func (w *writer) homes(list []Home) {
	w.uint(uint64(len(list)))
	for _, h := range list {
		w.string(h.Name)
		w.pos(h.At)
	}
}

func (r *reader) homes() (list []Home) {
	for range r.uint(MaxHomes, "homes") {
		h := Home{r.string(MaxHomeName, "home"), r.pos("home")}
		if r.in.Bad() {
			return nil
		}
		list = append(list, h)
	}
	if len(list) == 0 {
		r.fail("homes")
	}
	return list
}
