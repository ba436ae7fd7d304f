package host

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// sameWorld refuses settings for a new world that the one that is there does not
// have: it would be played otherwise than was asked for.
func (c Config) sameWorld(m *worldfs.Meta) error {
	const advice = "%w: %s has %s %s, which stays: leave --%s away to play in it, or make another world with --world NAME"
	switch {
	case c.Seed != "" && worldfs.SeedNumber(c.Seed) != m.SeedNumber():
		return fmt.Errorf(advice, ErrUsage, m.Name, "the seed", m.Seed, "seed")
	case c.Mode != "" && c.Mode != m.Mode:
		return fmt.Errorf(advice, ErrUsage, m.Name, "the mode", m.Mode, "mode")
	}
	return nil
}
