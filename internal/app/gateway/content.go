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

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack/tables"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
)

// A browser knows the base pack from its build. What the other packs of a world define it
// gets from its node, named by its hash: tables as in web/src/gen, textures as pixels.

// contentJSON is WorldContent of web/src/content.ts.
type contentJSON struct {
	Limit    int                          `json:"limit"` // ids are below
	Blocks   []tables.Block               `json:"blocks"`
	Mobs     []tables.Mob                 `json:"mobs"`
	Recipes  []tables.Recipe              `json:"recipes"`
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
	out := contentJSON{Limit: pack.MaxBlocks, Textures: map[string][]byte{}, Texts: map[string]map[string]string{}, Recipes: []tables.Recipe{}, Mobs: []tables.Mob{}}
	for i := pack.FirstBlock; i < len(c.Blocks); i++ {
		out.Blocks = append(out.Blocks, tables.BlockOf(i, &c.Blocks[i]))
	}
	for i := pack.FirstMob; i < len(c.Mobs); i++ {
		out.Mobs = append(out.Mobs, tables.MobOf(i+1, &c.Mobs[i]))
	}
	for _, r := range c.Recipes[len(base.Recipes):] {
		out.Recipes = append(out.Recipes, tables.RecipeOf(r))
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
