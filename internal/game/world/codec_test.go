package world

import "testing"

// The first word of packed indices may be all ones; it counts like any other.
func TestCompactLooksAtTheFirstWord(t *testing.T) {
	var c Chunk
	for y := range ChunkSize {
		for z := range ChunkSize {
			for x := range ChunkSize {
				c.Set(x, y, z, Stone)
			}
		}
	}
	c.Compact()
	if b, ok := c.Uniform(); !ok || b != Stone {
		t.Errorf("a chunk of stone is %v, uniform %v", b, ok)
	}
}
