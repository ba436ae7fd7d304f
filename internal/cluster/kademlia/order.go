package kademlia

import (
	"bytes"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Maps are walked in the order of their keys: the same seed gives the same run.

func sortedKeys(m map[id.ID]*holding) []id.ID {
	if len(m) == 0 {
		return nil
	}
	out := make([]id.ID, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, compareIDs)
	return out
}

func compareIDs(a, b id.ID) int { return bytes.Compare(a[:], b[:]) }

func (n *Node) sortedPublications() []recordKey {
	out := make([]recordKey, 0, len(n.published))
	for k := range n.published {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b recordKey) int {
		if a.kind != b.kind {
			return int(a.kind) - int(b.kind)
		}
		return compareIDs(a.key, b.key)
	})
	return out
}
