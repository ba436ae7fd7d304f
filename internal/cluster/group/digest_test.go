package group

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

func kv(k, v string) machine.KV { return machine.KV{Key: []byte(k), Value: []byte(v)} }

// TestDigest: a digest that has followed changes is that of the state which they lead
// to, and states that differ have different ones.
func TestDigest(t *testing.T) {
	d := DigestOf([]machine.KV{kv("a1", "x"), kv("a2", "y"), kv("b", "z")})
	d.Apply([]machine.DiskWrite{
		{DeletePrefix: [][]byte{[]byte("a")}, Put: []machine.KV{kv("a3", "new")}},
		{Delete: [][]byte{[]byte("b")}, Then: []machine.DiskWrite{{Put: []machine.KV{kv("c", "")}}}},
	})
	if d.Sum() != DigestOf([]machine.KV{kv("c", ""), kv("a3", "new")}).Sum() {
		t.Error("the digest did not follow the changes")
	}
	for _, other := range [][]machine.KV{
		nil, {kv("a3", "new")}, {kv("a3", "new"), kv("c", "1")}, {kv("a3new", ""), kv("c", "")}, {kv("a3", "new"), kv("c", ""), kv("d", "")},
	} {
		if DigestOf(other).Sum() == d.Sum() {
			t.Errorf("%q has the same digest", other)
		}
	}
}
