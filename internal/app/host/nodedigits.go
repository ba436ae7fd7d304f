package host

import (
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Digits returns the first digits of an id by which it can be told from the other ids
// of a list. Short would not do: a node can search for a key whose id begins like that
// of another one, and then neither could be named, and removed.
func Digits(of id.ID, all []id.ID) string {
	text, n := of.String(), len(of.Short())
	for _, other := range all {
		o := other.String()
		for other != of && n < len(text) && strings.HasPrefix(o, text[:n]) {
			n++
		}
	}
	return text[:n]
}
