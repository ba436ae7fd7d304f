package worldfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// BackupSuffix ends the names of export files.
const BackupSuffix = ".vpworld"

const backupTime = "20060102-150405"

// ExportFile writes an export of an open world to a file, which appears as a
// whole or not at all. Only its owner can read it: it holds what players carry,
// and whom the world keeps out.
// A file that is there is replaced only if it is said so.
func (w *World) ExportFile(name string, replace bool) error {
	taken := fmt.Errorf("%w: %s", ErrTaken, name)
	if _, err := os.Lstat(name); err == nil && !replace {
		return taken
	}
	f, err := files.Begin(name, 0o600)
	if err != nil {
		return err
	}
	defer f.Drop()
	commit := f.CommitNew
	if replace {
		commit = f.Commit
	}
	if err = w.Export(f); err == nil {
		err = commit()
	}
	if errors.Is(err, fs.ErrExist) {
		return taken
	}
	if err != nil {
		return fmt.Errorf("export to %s: %w", name, err)
	}
	return nil
}

// ExportFile exports a world that nobody runs, and says what it has of it.
func (f *Folder) ExportFile(name, file string, replace bool) (Share, error) {
	w, err := f.Open(name)
	if err != nil {
		return Share{}, err
	}
	defer w.Close()
	s, err := w.Share()
	if err != nil {
		return s, err
	}
	return s, w.ExportFile(file, replace)
}

// Backup writes a backup of an open world, also while it is played, and
// returns its file: DIR/backups/NAME/TIME.vpworld. Of more than keep backups
// (0: all stay) the oldest are removed.
func (f *Folder) Backup(w *World, now time.Time, keep int) (string, error) {
	dir := filepath.Join(f.dir, "backups", w.Name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if err := f.inside(dir); err != nil {
		return "", err
	}
	name := filepath.Join(dir, now.UTC().Format(backupTime)+BackupSuffix)
	if err := w.ExportFile(name, true); err != nil {
		return "", err
	}
	old, err := f.Backups(w.Name)
	if err != nil || keep <= 0 {
		return name, err
	}
	for _, b := range old[:max(0, len(old)-keep)] {
		if err := os.Remove(b); err != nil {
			return name, err
		}
	}
	return name, nil
}

// Backups are the files of a world's backups, the oldest first.
func (f *Folder) Backups(name string) ([]string, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	dir := filepath.Join(f.dir, "backups", name)
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), BackupSuffix)
		if _, err := time.Parse(backupTime, stem); ok && err == nil && e.Type().IsRegular() {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(out)
	return out, nil
}
