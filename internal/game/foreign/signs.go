package foreign

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/voxelpopuli/voxelpopuli/internal/core/nbt"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Texts of signs (minecraft.wiki, "Sign", "Text component format"): four lines, each a text
// component in JSON, or since 1.21.5 as NBT. Colours, and what stands on the back, are lost.

// Sign is what is written on a sign.
type Sign struct {
	At   Place
	Text string
}

// signText is the text of a block entity; empty: it is no sign, or nothing is written there.
func signText(c nbt.Compound) string {
	lines := []any(c.Of("front_text").List("messages"))
	if lines == nil { // before 1.20
		lines = []any{c["Text1"], c["Text2"], c["Text3"], c["Text4"]}
	}
	var out []string
	for _, l := range lines[:min(len(lines), world.MaxSignLines)] {
		out = append(out, strings.TrimSpace(plain(l, 0)))
	}
	text := strings.TrimRight(strings.Join(out, "\n"), "\n")
	for len(text) > world.MaxSignText || !utf8.ValidString(text) {
		if len(text) <= world.MaxSignText {
			text = strings.ToValidUTF8(text, "")
			break
		}
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	if !world.ValidSignText(text) {
		text = strings.Map(func(r rune) rune {
			if world.ValidSignText(string(r)) {
				return r
			}
			return -1
		}, text)
	}
	return strings.Trim(text, " \n")
}

// maxNested bounds text components in each other.
const maxNested = 16

// plain is what a text component says.
func plain(v any, depth int) string {
	if depth > maxNested {
		return ""
	}
	switch v := v.(type) {
	case string:
		var inner any
		if len(v) > 0 && strings.ContainsRune(`{["`, rune(v[0])) && depth == 0 && json.Unmarshal([]byte(v), &inner) == nil {
			return plain(inner, 1)
		}
		return v
	case nbt.Compound:
		return plain(map[string]any(v), depth)
	case nbt.List:
		return plain([]any(v), depth)
	case map[string]any:
		if inner, wrapped := v[""]; wrapped { // in a list of different kinds
			return plain(inner, depth+1)
		}
		text, _ := v["text"].(string)
		return text + plain(v["extra"], depth+1)
	case []any:
		var out strings.Builder
		for _, part := range v {
			if out.Len() < world.MaxSignText {
				out.WriteString(plain(part, depth+1))
			}
		}
		return out.String()
	}
	return ""
}

// schematicSigns are the texts in a schematic: its block entities, under the names of the
// versions of the format.
func schematicSigns(root nbt.Compound) (out []Sign) {
	for _, list := range []nbt.List{root.List("TileEntities"), root.List("BlockEntities"), root.Of("Blocks").List("BlockEntities")} {
		for _, v := range list {
			c, _ := v.(nbt.Compound)
			at := c.Ints("Pos")
			if data := c.Of("Data"); data != nil {
				c = data
			}
			if text := signText(c); text != "" && len(at) == 3 {
				out = append(out, Sign{Place{int(at[0]), int(at[1]), int(at[2])}, text})
			}
		}
	}
	return out
}

// chunkSigns are the texts in a chunk.
func chunkSigns(c nbt.Compound) (out []Sign) {
	for _, v := range c.List("block_entities") {
		e, _ := v.(nbt.Compound)
		if text := signText(e); text != "" {
			out = append(out, Sign{Place{e.Int("x"), e.Int("y"), e.Int("z")}, text})
		}
	}
	return out
}
