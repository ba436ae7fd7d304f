package host

import (
	"time"
)

// backups makes a backup now and then until stop is closed.
func (h *Host) backups(stop <-chan struct{}) {
	tick := time.NewTicker(h.cfg.BackupEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case now := <-tick.C:
			file, err := h.folder.Backup(h.world, now, h.cfg.BackupKeep)
			if err != nil {
				h.cfg.Log.Error("the backup failed", "world", h.world.Name, "err", err)
				continue
			}
			h.cfg.Log.Info("backup written", "world", h.world.Name, "file", file)
		}
	}
}
