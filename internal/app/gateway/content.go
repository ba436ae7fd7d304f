package gateway

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
)

// A browser knows the base pack from its build. What the other packs of a world define it
// gets from its node, named by its hash: tables as in web/src/gen, textures as pixels.

// blockJSON is BlockInfo of web/src/gen/blocks.ts.
type blockJSON struct {
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
	Food        uint8  `json:"food,omitempty"` // in the table food of the client
}

// mobJSON is MobInfo of web/src/gen/mobs.ts.
type mobJSON struct {
	Kind   int      `json:"kind"`
	Name   string   `json:"name"`
	Title  string   `json:"title"`
	Model  string   `json:"model"`
	Half   float64  `json:"half"`
	Height float64  `json:"height"`
	Eats   []uint16 `json:"eats,omitempty"`
}

// recipeJSON is Recipe of web/src/gen/blocks.ts.
type recipeJSON struct {
	Out   [2]int   `json:"out"`
	In    [][2]int `json:"in"`
	Ticks uint16   `json:"ticks,omitempty"`
}

// contentJSON is WorldContent of web/src/content.ts.
type contentJSON struct {
	Limit    int                          `json:"limit"` // ids are below
	Blocks   []blockJSON                  `json:"blocks"`
	Mobs     []mobJSON                    `json:"mobs"`
	Recipes  []recipeJSON                 `json:"recipes"`
	Textures map[string][]byte            `json:"textures"` // RGBA
	Texts    map[string]map[string]string `json:"texts"`    // by language and title
}

// content is what the packs of the world define besides the base pack.
type content struct {
	hash string // empty: nothing
	gzip []byte
}

// newContent renders a content; nil is the base pack.
func newContent(c *pack.Content) content {
	if c == nil || len(c.Packs) <= 1 {
		return content{}
	}
	base := pack.Base()
	out := contentJSON{Limit: pack.MaxBlocks, Textures: map[string][]byte{}, Texts: map[string]map[string]string{}, Recipes: []recipeJSON{}, Mobs: []mobJSON{}}
	for i := pack.FirstBlock; i < len(c.Blocks); i++ {
		out.Blocks = append(out.Blocks, blockOf(i, &c.Blocks[i]))
	}
	for i := pack.FirstMob; i < len(c.Mobs); i++ {
		out.Mobs = append(out.Mobs, mobOf(i+1, &c.Mobs[i]))
	}
	for _, r := range c.Recipes[len(base.Recipes):] {
		out.Recipes = append(out.Recipes, recipeOf(r))
	}
	for name, t := range c.Pictures {
		out.Textures[name] = t[:]
	}
	titles := map[string]string{}
	for _, b := range c.Blocks {
		titles[b.Name] = b.Title
	}
	for _, m := range c.Mobs {
		titles[m.Name] = m.Title
	}
	for language, texts := range c.Texts {
		out.Texts[language] = map[string]string{}
		for name, text := range texts {
			out.Texts[language][titles[name]] = text
		}
	}
	plain, err := json.Marshal(out) // maps in the order of their keys
	if err != nil {
		panic("gateway: the content: " + err.Error()) // names, numbers and bytes
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(plain) // to a bytes.Buffer: no error
	w.Close()
	sum := sha256.Sum256(plain)
	return content{hex.EncodeToString(sum[:]), z.Bytes()}
}

func blockOf(id int, b *pack.Block) blockJSON {
	out := blockJSON{
		ID: id, Name: b.Name, Title: b.Title, Class: b.Class.String(), Solid: b.Solid, Opaque: b.Opaque, Replaceable: b.Replaceable,
		Gravity: b.Gravity, Climbable: b.Climbable, Item: b.Item, Light: b.Light, Dim: b.Dim, Fluid: b.Fluid, Hardness: b.Hardness,
		Drop: b.Leaves, Tall: int64(b.Tall / (fixed.One / 4096)), Support: b.Support.String(), Sound: b.Sound,
		Top: b.Top, Side: b.Side, Bottom: b.Bottom, Color: b.Color, Tills: b.Tills, Fertile: b.Fertile, Octants: b.Octants,
		Upper: b.Upper, Stores: b.Stores, Smelts: b.Smelts, Food: b.Food,
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

func mobOf(kind int, m *pack.Mob) mobJSON {
	metres := func(n fixed.Num) float64 { return float64((n*1000+fixed.One/2)/fixed.One) / 1000 }
	return mobJSON{Kind: kind, Name: m.Name, Title: m.Title, Model: m.Model, Half: metres(m.Half), Height: metres(m.Height), Eats: m.Eats}
}

func recipeOf(r pack.Recipe) recipeJSON {
	out := recipeJSON{Out: [2]int{int(r.Makes.Kind), int(r.Makes.Count)}, Ticks: r.Ticks}
	for _, of := range r.Of {
		out.In = append(out.In, [2]int{int(of.Kind), int(of.Count)})
	}
	return out
}

// contentPiece is what a message with a part of the content has at most.
const contentPiece = 16 << 10

// sendContent is serveContent over data channels: a text with the size, then the gzip file in
// pieces.
func (g *Gateway) sendContent(c *datachannel.Conn, to netip.Addr, hash string) {
	switch {
	case g.content.hash == "" || hash != g.content.hash:
		_ = sayJSON(c, map[string]any{"error": wire.NotAllowed, "text": otherPacks})
	case !g.maps.may(to):
		_ = sayJSON(c, map[string]any{"error": wire.TooFast, "text": wire.TooFast.Text(), "retry": 2})
	case sayJSON(c, map[string]int{"size": len(g.content.gzip)}) == nil:
		for piece := range slices.Chunk(g.content.gzip, contentPiece) {
			_ = c.SetWriteDeadline(time.Now().Add(g.limits.Stall))
			if c.Send(datachannel.Reliable, piece, false) != nil {
				return
			}
		}
	}
	c.Drain()
}

const otherPacks = "This node has other content packs. Reload the page."

// serveContent answers with the content of the world's packs. Whoever reaches the page can
// have it; a browser keeps it.
func (g *Gateway) serveContent(w http.ResponseWriter, r *http.Request) {
	switch {
	case g.content.hash == "" || r.PathValue("hash") != g.content.hash:
		refuse(w, http.StatusNotFound, &wire.Refused{Code: wire.NotAllowed, Text: otherPacks})
		return
	case !g.maps.may(g.client(r)):
		w.Header().Set("Retry-After", "2")
		refuse(w, http.StatusTooManyRequests, wire.TooFast.Refusal(2))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Encoding", "gzip")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(g.content.gzip) // the browser may have gone
}
