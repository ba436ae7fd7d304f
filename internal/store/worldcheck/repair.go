package worldcheck

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// Result is what a repair has made.
type Result struct {
	Name    string   `json:"name"`    // of the new world
	Records uint64   `json:"records"` // that it has
	Lost    []string `json:"lost"`    // what of it is lost, or may be older than it was
	Fetched []string `json:"fetched"` // parts that are left out, for other nodes have them
	Backup  string   `json:"backup,omitempty"`
}

// ErrSettings: neither meta.json nor a backup says what world it is.
var ErrSettings = errors.New("neither meta.json nor a backup says which seed and which id the world has")

// Repair copies what can be read of a damaged world into a new one. The damaged
// one stays as it is. Of a world that is not damaged no copy is made.
func Repair(f *worldfs.Folder, name, as string) (Report, Result, error) {
	begun := time.Now()
	src, err := open(f, name)
	if err != nil {
		return Report{}, Result{}, err
	}
	defer src.close()
	s, err := src.scan()
	if err != nil {
		return s.report, Result{}, err
	}
	r := s.finish(begun)
	out := Result{Name: as, Lost: []string{}, Fetched: []string{}}
	if r.OK() && src.metaErr == nil {
		return r, Result{}, nil
	}
	if out.Name == "" {
		out.Name = src.info.Name + "-repaired"
	}
	m, err := src.meta(f, &out)
	if err != nil {
		return r, out, fmt.Errorf("world %q: %w: %w. Put a meta.json from an export or a copy into %s, or join the world again if others host it",
			src.info.Name, disk.ErrDamaged, err, src.info.Dir)
	}
	m.Name, m.RepairedFrom = out.Name, src.info.Name
	leave := s.leave(&out)
	err = f.Fill(m, func(put func(space string, key, value []byte) error) error {
		return src.each(func(space string, key, value []byte) error {
			if p, _, ok := shards.Stored(space); ok && leave[p] {
				return nil
			}
			if s.bad[space+"\x00"+string(key)] || s.dropsGroup(space) {
				return nil
			}
			out.Records++
			return put(space, key, value)
		}, func(disk.Gap) {})
	})
	return r, out, err
}

// meta is the world's meta.json, or that of its newest backup that can be read.
func (s *source) meta(f *worldfs.Folder, out *Result) (worldfs.Meta, error) {
	if s.metaErr == nil {
		return s.info.Meta, nil
	}
	backups, err := f.Backups(s.info.Name)
	if err != nil {
		return worldfs.Meta{}, err
	}
	for _, file := range slices.Backward(backups) {
		r, err := os.Open(file)
		if err != nil {
			continue
		}
		sum, err := worldfs.Verify(r)
		r.Close()
		if err == nil {
			out.Backup = file
			return sum.Meta, nil
		}
	}
	return worldfs.Meta{}, ErrSettings
}

// alone reports whether this node is a part's only host: nobody else can send it.
func (s *scan) alone(p shards.Shard) bool {
	if n, known := s.members[p]; known {
		return n <= 1
	}
	return !s.groups[p] && !(s.report.Shared && s.covers(p.GroupSpace()))
}

// leave are the parts that are not copied, for others host them and this node may
// lack some of their records. What is lost for good is noted.
func (s *scan) leave(out *Result) map[shards.Shard]bool {
	leave := map[shards.Shard]bool{}
	damaged := s.parts
	for p := range s.seen { // whose records may be missing without a trace
		if s.report.Shared && (s.covers(p.Space()) || s.covers(p.GroupSpace())) {
			s.harm(p, s.covers(p.GroupSpace())).unread = true
		}
	}
	if s.other.unread {
		out.Lost = append(out.Lost, s.other.causes...)
	}
	for _, p := range slices.SortedFunc(maps.Keys(damaged), compareParts) {
		if !s.alone(p) {
			leave[p] = true
			out.Fetched = append(out.Fetched, partText(p))
			continue
		}
		text := partText(p)
		if n := damaged[p].records; n > 0 {
			text += fmt.Sprintf(": %d records", n)
		}
		if damaged[p].unread {
			text += ": what cannot be read; the rest may be older than it was"
		}
		out.Lost = append(out.Lost, text)
	}
	return leave
}

// dropsGroup reports whether a space is that of a damaged group which this node is
// the only member of: a new group is made around the part.
func (s *scan) dropsGroup(space string) bool {
	p, replica, ok := shards.Stored(space)
	return ok && replica && s.parts[p] != nil && s.parts[p].replica
}

// Print tells a person what a repair has made.
func (r *Result) Print(w io.Writer, from string) error {
	var b strings.Builder
	if r.Name == "" {
		_, err := fmt.Fprintf(w, "No copy of %s was made.\n", from)
		return err
	}
	fmt.Fprintf(&b, "Saved %d records into the new world %s. %s is as it was.\n", r.Records, r.Name, from)
	if r.Backup != "" {
		fmt.Fprintf(&b, "Its settings come from %s.\n", r.Backup)
	}
	for _, l := range r.Lost {
		fmt.Fprintf(&b, "Lost: %s.\n", l)
	}
	for _, p := range r.Fetched {
		fmt.Fprintf(&b, "Left out: %s. This part will be fetched from the other hosts when the world is open.\n", p)
	}
	if len(r.Lost) > 0 {
		b.WriteString("A backup may have what is lost: voxelpopuli world import FILE makes a world of its own from one.\n")
	}
	fmt.Fprintf(&b, "Play: voxelpopuli play --world %s\n", quoted(r.Name))
	_, err := io.WriteString(w, b.String())
	return err
}
