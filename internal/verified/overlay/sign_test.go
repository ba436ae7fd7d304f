package overlay

import (
	"crypto/ed25519"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// TestSignedViews: whatever of a view is changed, or the world, the signature is
// not its source's any more.
func TestSignedViews(t *testing.T) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	pub := key.Public().(ed25519.PublicKey)
	world := id.Of([]byte("world"))
	make := func() *NetworkView {
		v := &NetworkView{Source: &Contact{ID: id.Of(pub), Pos: geom.Point{X: 5, Y: 6}}, Stamp: 7, Neighbours: []*Contact{
			{ID: id.ID{1}, Pos: geom.Point{X: 1}}, {ID: id.ID{2}, Pos: geom.Point{X: 2}},
		}}
		v.Sign(world, key)
		return v
	}
	if v := make(); !v.SignedBy(world, pub) || v.SignedBy(id.ID{}, pub) {
		t.Fatal("the signature does not stand for its world and source")
	}
	for name, change := range map[string]func(*NetworkView){
		"stamp":     func(v *NetworkView) { v.Stamp++ },
		"source":    func(v *NetworkView) { v.Source = &Contact{ID: id.Of(pub), Pos: geom.Point{X: 5, Y: 7}} },
		"left out":  func(v *NetworkView) { v.Neighbours = v.Neighbours[:1] },
		"added":     func(v *NetworkView) { v.Neighbours = append(v.Neighbours, v.Source) },
		"swapped":   func(v *NetworkView) { v.Neighbours[0], v.Neighbours[1] = v.Neighbours[1], v.Neighbours[0] },
		"moved":     func(v *NetworkView) { v.Neighbours[0].Pos.Y++ },
		"address":   func(v *NetworkView) { v.Neighbours[0].Addr[3]++ },
		"signature": func(v *NetworkView) { v.Signature[9]++ },
		"none":      func(v *NetworkView) { v.Signature = nil },
		"nobody's":  func(v *NetworkView) { v.Source = nil },
	} {
		if v := make(); true {
			if change(v); v.SignedBy(world, pub) {
				t.Errorf("%s: the signature still stands", name)
			}
		}
	}
}
