package host

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/store/worldcheck"
)

// checkTime bounds how much later a world is open because it is checked. It is
// enough for a few hundred megabytes; a small world takes some milliseconds.
const checkTime = 2 * time.Second

// checkWorld looks for damage before anybody comes in: players would lose what they
// do in a world that cannot be written, and other nodes would be told half of it.
func (h *Host) checkWorld() error {
	r, err := worldcheck.Quick(h.world, checkTime)
	if err != nil {
		return err
	}
	h.cfg.Log.Info("the world was checked", "world", h.world.Name, "records", r.Records, "bytes", r.Bytes, "seconds", r.Seconds, "complete", r.Whole)
	return r.Err()
}
