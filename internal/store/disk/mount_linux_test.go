package disk

import (
	"strings"
	"syscall"
)

func mountTmpfs(dir, size string) error {
	size, ro := strings.CutSuffix(size, ",ro")
	flags := uintptr(0)
	if ro {
		flags = syscall.MS_RDONLY
	}
	return syscall.Mount("tmpfs", dir, "tmpfs", flags, "size="+size)
}

func unmount(dir string) { syscall.Unmount(dir, syscall.MNT_DETACH) }
