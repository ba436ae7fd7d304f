package host

import (
	"os"
	"path/filepath"
	"runtime"
)

// DefaultData returns where a user's worlds are kept unless told otherwise.
func DefaultData() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return "voxelpopuli-data"
	}
	switch runtime.GOOS {
	case "windows":
		if dir := os.Getenv("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "voxelpopuli")
		}
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "voxelpopuli")
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "voxelpopuli")
	}
	return filepath.Join(home, ".local", "share", "voxelpopuli")
}
