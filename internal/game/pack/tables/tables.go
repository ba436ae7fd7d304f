// Package tables is what the browser client knows of the blocks, mobs and recipes of
// packs. blockgen writes the entries of the base pack into the client's source, and a node
// sends those of a world's other packs. Start reading at Block.
package tables

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Block is BlockInfo of web/src/gen/blocks.ts, which explains the fields.
type Block struct {
	ID          int    `json:"id"`
	Name        string `json:"name"`
	Title       string `json:"title"`
	Class       string `json:"class"`
	Solid       bool   `json:"solid"`
	Opaque      bool   `json:"opaque"`
	Replaceable bool   `json:"replaceable"`
	Gravity     bool   `json:"gravity"`
	Climbable   bool   `json:"climbable"`
	Item        bool   `json:"item"`
	Light       uint8  `json:"light"`
	Dim         uint8  `json:"dim"`
	Fluid       uint8  `json:"fluid"`
	Hardness    int32  `json:"hardness"`
	Drop        uint16 `json:"drop"`
	Tall        int64  `json:"tall"`
	Support     string `json:"support"`
	Sound       string `json:"sound"`
	Top         string `json:"top"`
	Side        string `json:"side"`
	Bottom      string `json:"bottom"`
	Color       uint32 `json:"color"`
	Dig         []any  `json:"dig,omitempty"`
	Tills       uint16 `json:"tills,omitempty"`
	Fertile     bool   `json:"fertile,omitempty"`
	Tool        []any  `json:"tool,omitempty"`
	Armour      []any  `json:"armour,omitempty"`
	Holds       []any  `json:"holds,omitempty"`
	Door        *uint8 `json:"door,omitempty"`
	Bed         *uint8 `json:"bed,omitempty"`
	Facing      *uint8 `json:"facing,omitempty"`
	Octants     uint8  `json:"octants,omitempty"`
	Upper       uint16 `json:"upper,omitempty"`
	Stores      uint8  `json:"stores,omitempty"`
	Smelts      uint8  `json:"smelts,omitempty"`
	Food        uint8  `json:"food,omitempty"`
	Fire        uint8  `json:"fire,omitempty"`
}

// Mob is MobInfo of web/src/gen/mobs.ts.
type Mob struct {
	Kind   int      `json:"kind"`
	Name   string   `json:"name"`
	Title  string   `json:"title"`
	Model  string   `json:"model"`
	Half   float64  `json:"half"`
	Height float64  `json:"height"`
	Eats   []uint16 `json:"eats,omitempty"`
}

// Recipe is Recipe of web/src/gen/blocks.ts.
type Recipe struct {
	Out   [2]int   `json:"out"`
	In    [][2]int `json:"in"`
	Ticks uint16   `json:"ticks,omitempty"`
}

// BlockOf is the entry of a block.
func BlockOf(id int, b *pack.Block) Block {
	out := Block{
		ID: id, Name: b.Name, Title: b.Title, Class: b.Class.String(), Solid: b.Solid, Opaque: b.Opaque, Replaceable: b.Replaceable,
		Gravity: b.Gravity, Climbable: b.Climbable, Item: b.Item, Light: b.Light, Dim: b.Dim, Fluid: b.Fluid, Hardness: b.Hardness,
		Drop: b.Leaves, Tall: int64(b.Tall / (fixed.One / 4096)), Support: b.Support.String(), Sound: b.Sound,
		Top: b.Top, Side: b.Side, Bottom: b.Bottom, Color: b.Color, Tills: b.Tills, Fertile: b.Fertile, Octants: b.Octants,
		Upper: b.Upper, Stores: b.Stores, Smelts: b.Smelts, Food: b.Food, Fire: b.Fire,
	}
	if b.Dig.Kind != "" {
		out.Dig = []any{b.Dig.Kind, b.Dig.Level}
	}
	if t := b.Tool; t.Kind != "" {
		out.Tool = []any{t.Kind, t.Level, t.Speed}
	}
	if a := b.Armour; a.Slot > 0 {
		out.Armour = []any{a.Slot, a.Guards}
	}
	if h := b.Holds; h.Fluid != 0 {
		out.Holds = []any{h.Fluid, h.Empty}
	}
	switch {
	case b.Class.Opens():
		out.Door = &b.Door
	case b.Class == pack.Bed:
		out.Bed = &b.Bed
	case b.Class == pack.Stairs, b.Class == pack.Sign:
		out.Facing = &b.Facing
	}
	return out
}

// MobOf is the entry of a mob; its kind is as on the wire.
func MobOf(kind int, m *pack.Mob) Mob {
	metres := func(n fixed.Num) float64 { return float64((n*1000+fixed.One/2)/fixed.One) / 1000 }
	return Mob{Kind: kind, Name: m.Name, Title: m.Title, Model: m.Model, Half: metres(m.Half), Height: metres(m.Height), Eats: m.Eats}
}

// RecipeOf is the entry of a recipe.
func RecipeOf(r pack.Recipe) Recipe {
	out := Recipe{Out: [2]int{int(r.Makes.Kind), int(r.Makes.Count)}, Ticks: r.Ticks}
	for _, of := range r.Of {
		out.In = append(out.In, [2]int{int(of.Kind), int(of.Count)})
	}
	return out
}
