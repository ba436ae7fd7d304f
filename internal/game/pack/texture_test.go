package pack

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

func picture(t testing.TB, w, h int) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	m.Set(1, 0, color.NRGBA{10, 20, 30, 40})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTextures(t *testing.T) {
	files := example()
	files["textures/marble_side.png"] = picture(t, 16, 16)
	files["texts/de.json"] = []byte(`{"marble": "Marmor", "golem": "Golem"}`)
	c, err := Base().Add(files)
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Pictures["marble_side"]; p == nil || !bytes.Equal(p[:8], []byte{0, 0, 0, 0, 10, 20, 30, 40}) {
		t.Errorf("%v", p)
	}
	if c.Texts["de"]["marble"] != "Marmor" || len(Base().Pictures)+len(Base().Texts) > 0 {
		t.Errorf("%v", c.Texts)
	}
}

// TestBadTextures: what is wrong with a picture or a text is said with its file.
func TestBadTextures(t *testing.T) {
	whole := picture(t, 16, 16)
	for _, c := range []struct {
		file string
		b    []byte
		want string
	}{
		{"textures/marble_side.png", picture(t, 32, 16), "textures/marble_side.png: a texture has 16 by 16 pixels"},
		{"textures/marble_side.png", []byte("GIF89a"), "textures/marble_side.png: this is no PNG picture"},
		{"textures/marble_side.png", whole[:len(whole)-20], "textures/marble_side.png: the picture is damaged"},
		{"textures/marble_side.png", append(bytes.Clone(whole), make([]byte, maxPicture)...), "textures/marble_side.png: the picture has more than 65536 bytes"},
		{"textures/other.png", whole, "textures/other.png: no block or item of this pack has the texture other"},
		{"textures/stone.png", whole, "textures/stone.png: a pack below this one has a texture stone"},
		{"marble_side.png", whole, "marble_side.png: a texture is textures/NAME.png"},
		{"texts/de.json", []byte(`{"granite": "Granit"}`), `texts/de.json:1: texts: there is no block, item or mob "granite" in this pack`},
		{"texts/de.json", []byte(`{"marble": 1}`), "texts/de.json:1: texts: marble: want a text"},
		{"texts/german.json", []byte(`{}`), "texts/german.json: want texts/LL.json"},
	} {
		files := example()
		files[c.file] = c.b
		if _, err := Base().Add(files); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.file, err, c.want)
		}
	}
}

// FuzzTexture: whatever a picture is, reading it ends with a texture or with what is wrong.
func FuzzTexture(f *testing.F) {
	f.Add(picture(f, 16, 16))
	f.Add(picture(f, 17, 16))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, text := decodeTexture(b); (p == nil) == (text == "") {
			t.Fatalf("%v, %q", p, text)
		}
	})
}
