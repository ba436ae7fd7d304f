package accountability

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// leavesOut is what a leader makes of owners whose land it does not know of, or whom it
// lets strangers build with: what it logs is signed, but not all that was signed.
const leavesOut = "land"

// ignored returns the owners of land in a region that its leader does not heed, as this
// node's log of decisions has it. Of land that meets other land the region has its own
// order (region.lands): that is not judged.
func ignored(area *world.Area, known []decision.SignedLand) (owners []id.ID) {
	has := area.Lands()
	for _, k := range known {
		i := slices.IndexFunc(has, func(l world.Land) bool {
			return l.Owner == k.Land.Subject && l.Name == wire.FoldName(k.Land.Name)
		})
		switch {
		case i >= 0 && slices.ContainsFunc(has[i].Friends, func(who id.ID) bool { return !k.Admits(who) }),
			i < 0 && len(has) < world.MaxLands && !slices.ContainsFunc(has, func(l world.Land) bool { return l.Owner != k.Land.Subject && l.Meets(k.Box()) }):
			owners = append(owners, k.Land.Subject)
		}
	}
	return owners
}
