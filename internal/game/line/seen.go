package line

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Seen are the lines that players have signed lately: each counts once.
type Seen struct{ ticks map[id.ID][]uint64 }

// maxAuthors and maxKept bound what is remembered.
const (
	maxAuthors = 1 << 12
	maxKept    = 256
)

// Add reports whether a line comes to a reader for the first time, and remembers it; no reader:
// to all.
func (l *Seen) Add(reader id.ID, s *Signature, tick int64) bool {
	who := s.By()
	for i := range who { // who both are
		who[i] ^= reader[i]
	}
	kept := slices.DeleteFunc(l.ticks[who], func(t uint64) bool { return int64(t)+Age < tick })
	if slices.Contains(kept, s.Tick) {
		return false
	}
	if l.ticks == nil || len(kept) == 0 && len(l.ticks) >= maxAuthors {
		l.ticks = map[id.ID][]uint64{}
	}
	l.ticks[who] = append(kept[max(0, len(kept)+1-maxKept):], s.Tick)
	return true
}
