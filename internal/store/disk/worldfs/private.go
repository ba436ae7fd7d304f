package worldfs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// A data folder is its owner's: folders are 0700 and files 0600, and nothing in it
// leads elsewhere. The data folder itself may be a symbolic link, and is left as
// its owner has made it.

// restrict takes the rights of others away from what earlier versions have made.
// Some file systems know no rights; there it does nothing.
func (f *Folder) restrict() {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return
	}
	defer root.Close()
	for _, pattern := range []string{"worlds", "backups", "worlds/*", "backups/*"} {
		chmod(root, pattern, fs.ModeDir, 0o700)
	}
	for _, pattern := range []string{"version", "bookmarks.json", "worlds/*/meta.json", "backups/*/*" + BackupSuffix} {
		chmod(root, pattern, 0, 0o600)
	}
}

// chmod changes those that match and are of a type, if others have rights.
func chmod(root *os.Root, pattern string, kind, perm fs.FileMode) {
	names, _ := fs.Glob(root.FS(), pattern)
	for _, name := range names {
		chmodOne(root, name, kind, perm)
	}
}

// chmodOne opens a file or folder and looks at what it has opened: the name may be
// another one's at any moment. root follows no link out of the data folder.
func chmodOne(root *os.Root, name string, kind, perm fs.FileMode) {
	file, err := root.OpenFile(name, os.O_RDONLY|files.NonBlock, 0)
	if err != nil {
		return
	}
	defer file.Close()
	if st, err := file.Stat(); err == nil && st.Mode().Type() == kind && st.Mode().Perm()&0o077 != 0 {
		_ = file.Chmod(perm)
	}
}

// inside refuses a name in the data folder that leads out of it.
func (f *Folder) inside(name string) error { return files.Inside(f.dir, name) }

// plainTree refuses a world's folder that holds anything but folders and files: by
// a link the program would write elsewhere, by a pipe it would wait for good.
func plainTree(dir string) error {
	return filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case os.IsNotExist(err):
			return nil // somebody who runs the world has removed it meanwhile
		case err != nil:
			return err
		case e.Type()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s: %w: a world's folder must hold none. Put the file itself there", name, files.ErrLink)
		case !e.IsDir() && !e.Type().IsRegular():
			return fmt.Errorf("%s: %w: it is neither a file nor a folder", name, files.ErrLink)
		}
		return nil
	})
}

// isVersion reports whether a text is that of a version file.
func isVersion(b []byte) bool {
	n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 32)
	return err == nil && n > 0
}
