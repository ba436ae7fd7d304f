package pack

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"
	"strings"
)

// TextureSize is the width and the height of a texture in pixels.
const TextureSize = 16

// Texture is a picture from a pack: red, green, blue and alpha of its pixels, row by row
// from the top.
type Texture [TextureSize * TextureSize * 4]byte

const (
	textureFolder = "textures/"
	textureSuffix = ".png"
)

// textures reads the pack's pictures, whose names are those of their files.
func (r *reader) textures() {
	used := map[string]bool{}
	for i := r.first; i < len(r.out.Blocks); i++ {
		b := &r.out.Blocks[i]
		used[b.Top], used[b.Side], used[b.Bottom] = true, true, true
	}
	for _, file := range slices.Sorted(maps.Keys(r.files)) {
		name, isPNG := strings.CutSuffix(file, textureSuffix)
		if !isPNG || !validPath(file) {
			continue
		}
		name, inFolder := strings.CutPrefix(name, textureFolder)
		_, taken := r.out.Pictures[name]
		switch {
		case !inFolder || !validName(name):
			r.add(file, 0, "a texture is %sNAME%s, with the name that blocks and items call it by", textureFolder, textureSuffix)
		case taken || r.below[name]:
			r.add(file, 0, "a pack below this one has a texture %s", name)
		case !used[name]:
			r.add(file, 0, "no block or item of this pack has the texture %s", name)
		default:
			if t, text := decodeTexture(r.files[file]); text != "" {
				r.add(file, 0, "%s", text)
			} else {
				r.out.Pictures[name] = t
			}
		}
	}
	if n := len(r.out.Textures()); n > MaxTextures {
		r.add(manifestFile, 0, "with this pack there are %d textures; want at most %d", n, MaxTextures)
	}
}

// decodeTexture reads a PNG; text says what is wrong with it.
func decodeTexture(b []byte) (t *Texture, text string) {
	if len(b) > maxPicture {
		return nil, "the picture has more than 65536 bytes"
	}
	in, err := png.DecodeConfig(bytes.NewReader(b)) // before anything of its size is made
	if err != nil {
		return nil, "this is no PNG picture: " + err.Error()
	}
	if in.Width != TextureSize || in.Height != TextureSize {
		return nil, "a texture has 16 by 16 pixels"
	}
	p, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, "the picture is damaged: " + err.Error()
	}
	return textureOf(p), ""
}

func textureOf(p image.Image) *Texture {
	t := new(Texture)
	from := p.Bounds().Min
	for i := range TextureSize * TextureSize {
		c := color.NRGBAModel.Convert(p.At(from.X+i%TextureSize, from.Y+i/TextureSize)).(color.NRGBA)
		copy(t[4*i:], []byte{c.R, c.G, c.B, c.A})
	}
	return t
}
