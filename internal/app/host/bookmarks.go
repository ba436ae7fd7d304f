package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// Bookmark is a world elsewhere that somebody wants to find again.
type Bookmark struct {
	Name  string   `json:"name"`
	World id.ID    `json:"world,omitzero"` // once it is known
	Addrs []string `json:"addresses"`      // of nodes that host it, HOST:PORT
}

const (
	bookmarksFile = "bookmarks.json"
	maxAddrs      = 16
	maxBookmarks  = 1 << 20 // bytes
)

// Bookmarks are those of a data folder, by name.
func Bookmarks(data string) ([]Bookmark, error) {
	b, err := files.ReadSmall(filepath.Join(data, bookmarksFile), maxBookmarks)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("bookmarks: %w", err)
	}
	out, err := decodeBookmarks(b)
	if err != nil {
		return nil, fmt.Errorf("bookmarks: %s: %w: %v. Mend or remove it", filepath.Join(data, bookmarksFile), disk.ErrDamaged, err)
	}
	return out, nil
}

// decodeBookmarks reads the file, which somebody may have written by hand.
func decodeBookmarks(b []byte) (out []Bookmark, err error) {
	if err := json.Unmarshal(b, &out); err != nil {
		return nil, err
	}
	for _, m := range out {
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("the bookmark %.50q: %w", m.Name, err)
		}
	}
	return out, nil
}

// check refuses what is no bookmark.
func (m Bookmark) check() error {
	if err := worldfs.CheckName(m.Name); err != nil {
		return err
	}
	if n := len(m.Addrs); n < 1 || n > maxAddrs {
		return fmt.Errorf("%w: a bookmark has 1 to %d addresses", ErrUsage, maxAddrs)
	}
	for _, a := range m.Addrs {
		if a == "" || len(a) > 260 || strings.ContainsAny(a, " /,") {
			return fmt.Errorf("%w: address %.300q: want HOST:PORT", ErrUsage, a)
		}
	}
	return nil
}

// Keep adds a bookmark, in place of one of the same name.
func (m Bookmark) Keep(data string) error {
	if err := m.check(); err != nil {
		return err
	}
	all, err := Bookmarks(data)
	if err != nil {
		return err
	}
	all = append(without(all, m.Name), m)
	slices.SortFunc(all, func(a, b Bookmark) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return saveBookmarks(data, all)
}

// Forget removes a bookmark.
func Forget(data, name string) error {
	all, err := Bookmarks(data)
	if err != nil {
		return err
	}
	rest := without(slices.Clone(all), name)
	if len(rest) == len(all) {
		return fmt.Errorf("%w: no bookmark %q", worldfs.ErrNone, name)
	}
	return saveBookmarks(data, rest)
}

// Resolve returns the addresses of a bookmark, or of a list ADDR[,ADDR] as it is
// typed. A name goes before an address.
func Resolve(data, text string) ([]string, error) {
	all, err := Bookmarks(data)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if strings.EqualFold(m.Name, text) {
			return m.Addrs, nil
		}
	}
	return strings.Split(text, ","), nil
}

func without(all []Bookmark, name string) []Bookmark {
	return slices.DeleteFunc(all, func(m Bookmark) bool { return strings.EqualFold(m.Name, name) })
}

func saveBookmarks(data string, all []Bookmark) error {
	b, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = os.MkdirAll(data, 0o700)
	}
	if err == nil {
		err = files.Write(filepath.Join(data, bookmarksFile), append(b, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("bookmarks: %w", err)
	}
	return nil
}
