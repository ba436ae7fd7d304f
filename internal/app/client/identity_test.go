package client

import (
	"encoding/hex"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

func TestProof(t *testing.T) {
	a, err := NewIdentity("A")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := NewIdentity("B")
	at := func(world, node string) *Node {
		return NewNode(Config{World: id.Of([]byte(world)), Self: id.Of([]byte(node))})
	}
	n := at("world", "node")
	c := n.Challenge()
	p := a.Prove(c, "node.example")
	if who, err := n.Check(a.hello(), c, p, "node.example"); err != nil || who.Name != "A" || who.Player != a.Player() || who.Pass == nil {
		t.Errorf("a good proof gives %+v: %v", who, err)
	}
	for what, ok := range map[string]func() error{
		"another's key":     func() error { _, err := n.Check(b.hello(), c, p, "node.example"); return err },
		"another challenge": func() error { _, err := n.Check(a.hello(), n.Challenge(), p, "node.example"); return err },
		"another address":   func() error { _, err := n.Check(a.hello(), c, p, "hostile.example"); return err },
		"another name": func() error {
			_, err := n.Check(Identity{Name: "B", Key: a.Key}.hello(), c, p, "node.example")
			return err
		},
		"another world": func() error {
			_, err := at("other", "node").Check(a.hello(), c, p, "node.example")
			return err
		},
		"another node": func() error {
			_, err := at("world", "other").Check(a.hello(), c, p, "node.example")
			return err
		},
	} {
		if ok() == nil {
			t.Errorf("the proof is good for %s", what)
		}
	}
}

// With a key of small order a signature of zeros is right for one challenge in
// four, or in one.
func TestKeysOfSmallOrderProveNothing(t *testing.T) {
	n := NewNode(Config{World: id.Of([]byte("world"))})
	for _, s := range []string{ // of order 4, 1, 8, 8 and 2
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000000",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	} {
		b, err := hex.DecodeString(s)
		if err != nil || len(b) != 32 {
			t.Fatalf("%s: %v", s, err)
		}
		for sign := range byte(2) {
			key := [32]byte(b)
			key[31] |= sign << 7
			for range 64 {
				c := n.Challenge()
				for _, r := range [][64]byte{{}, {1}} {
					if _, err := n.Check(&wire.Hello{Key: key}, c, &wire.Proof{Signature: r}, ""); err == nil {
						t.Fatalf("key %x signs", key)
					}
				}
			}
		}
	}
}
