package worldfs

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
)

// The layout is in docs/formats/export.md.
const (
	exportMagic   = "VPWORLD\n"
	exportVersion = 2
	oldestExport  = 1 // without packs

	recMeta  = 1
	recSpace = 2
	recPair  = 3
	recEnd   = 4
	recPack  = 5

	maxMeta  = 256 << 10
	maxSpace = 255
	maxKey   = 4 << 10
	maxValue = 16 << 20 // as much as a group takes in one write
)

// Export writes a world that is open, as it is at this moment. The same world
// gives the same bytes.
func (w *World) Export(to io.Writer) error {
	snap, err := w.Store.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	e, err := newExporter(to)
	if err != nil {
		return err
	}
	if err := e.meta(&w.Meta); err != nil {
		return err
	}
	if err := e.packs(w); err != nil {
		e.z.Close()
		return err
	}
	if err := snap.Each(e.pair); err != nil {
		e.z.Close()
		return err
	}
	return e.end()
}

// Share is what a world's folder has of the world.
type Share struct {
	Regions int  // that were ever changed or entered, and are here
	Lobby   bool // names, operators, bans, protected areas
	Shared  bool // other nodes host the world too: they may have more
}

// String says what is missing, for a person; empty: nothing.
func (s Share) String() string {
	if !s.Shared {
		return ""
	}
	text := fmt.Sprintf("Several nodes host this world. In the file is what this machine keeps of it: %d regions", s.Regions)
	if s.Lobby {
		text += " and the list of players."
	} else {
		text += ". The list of players (names, operators, bans, protected areas) is on other machines only, and not in the file."
	}
	return text + " Regions that only other machines keep are not in it: in a world made from it they are as at first."
}

// Share reads what is here of a world that is open.
func (w *World) Share() (s Share, err error) {
	spaces, err := w.Store.Spaces()
	for _, name := range spaces {
		switch {
		case strings.HasPrefix(name, "r."):
			s.Regions++
		case name == "hall":
			s.Lobby = true
		case strings.HasPrefix(name, "g."):
			s.Shared = true
		}
	}
	return s, err
}

// exporter writes the records of an export.
type exporter struct {
	z     *zstd.Encoder
	w     *bufio.Writer
	sum   hash.Hash
	space string
	pairs uint64
	buf   []byte
}

func newExporter(to io.Writer) (*exporter, error) {
	head := binary.LittleEndian.AppendUint16([]byte(exportMagic), exportVersion)
	if _, err := to.Write(head); err != nil {
		return nil, err
	}
	z, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, err
	}
	e := &exporter{z: z, sum: sha256.New()}
	e.w = bufio.NewWriterSize(io.MultiWriter(z, e.sum), 64<<10)
	return e, nil
}

func (e *exporter) meta(m *Meta) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return e.record(recMeta, b)
}

// record writes a type and parts, each behind its length.
func (e *exporter) record(kind byte, parts ...[]byte) error {
	if err := e.w.WriteByte(kind); err != nil {
		return err
	}
	for _, p := range parts {
		e.buf = binary.AppendUvarint(e.buf[:0], uint64(len(p)))
		if _, err := e.w.Write(e.buf); err != nil {
			return err
		}
		if _, err := e.w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) pair(space string, key, value []byte) error {
	if ofNode(space) {
		return nil
	}
	if len(space) > maxSpace || len(key) > maxKey || len(value) > maxValue {
		return fmt.Errorf("%w: a key of %d and a value of %d bytes in %q", disk.ErrDamaged, len(key), len(value), space)
	}
	if space != e.space {
		e.space = space
		if err := e.record(recSpace, []byte(space)); err != nil {
			return err
		}
	}
	e.pairs++
	return e.record(recPair, key, value)
}

// end writes the number of pairs and the checksum of all before it.
func (e *exporter) end() error {
	e.buf = binary.AppendUvarint(append(e.buf[:0], recEnd), e.pairs)
	if _, err := e.w.Write(e.buf); err != nil {
		return err
	}
	if err := e.w.Flush(); err != nil {
		return err
	}
	if _, err := e.z.Write(e.sum.Sum(nil)); err != nil {
		return err
	}
	return e.z.Close()
}

// ofNode reports whether a space is not the world's but the node's: what it is a
// member of ("g."), what it gave up ("old."), whom it knew. Another node could
// make nothing of it, and this one neither once it lives on elsewhere.
func ofNode(space string) bool {
	return space == "node" || strings.HasPrefix(space, "g.") || strings.HasPrefix(space, "old.")
}
