package worldfs

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/packlist"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/packfolder"
)

// Summary is what an export holds.
type Summary struct {
	Meta   Meta
	Packs  int
	Spaces int
	Pairs  uint64
	Bytes  int64 // of keys and values
}

// ImportOptions say what becomes of an export. The zero value makes the world that
// it was.
type ImportOptions struct {
	Name string // of the new world; empty: that which it had
	// MaxSize is how many bytes of keys and values the world may have; 0:
	// DefaultMaxSize, and not out of all proportion to the file.
	MaxSize int64
	Begin   func(*Meta) error // may change what the world is before it is made
	// Change may change a value on its way into the new world.
	Change func(space string, key, value []byte) []byte
}

const (
	// DefaultMaxSize is enough for 100,000 regions that somebody has built in.
	DefaultMaxSize = 1 << 30
	// maxRatio is how many times larger than its file a world may be: real ones are
	// three to ten times, a file made to fill a disk is thousands of times.
	maxRatio = 100
	// smallWorld is not suspicious, whatever the file is.
	smallWorld = 16 << 20
	// pairCost is what a pair costs besides its bytes, so that empty ones count.
	pairCost = 64
)

// Verify reads an export to its end and checks all of it. It takes memory for
// one pair, however large the file claims to be.
func Verify(r io.Reader) (Summary, error) {
	return readExport(r, 0, nothing)
}

// limit is how large the world in a file of some length may be.
func (o *ImportOptions) limit(file int64) int64 {
	if o.MaxSize > 0 {
		return o.MaxSize
	}
	return min(DefaultMaxSize, max(smallWorld, maxRatio*file))
}

// Import makes a world from an export. The file is checked from end to end before
// anything is written.
func (f *Folder) Import(file string, o ImportOptions) (Summary, error) {
	r, err := os.Open(file)
	if err != nil {
		return Summary{}, err
	}
	defer r.Close()
	st, err := r.Stat()
	if err != nil {
		return Summary{}, err
	}
	limit := o.limit(st.Size())
	sum, err := readExport(r, limit, nothing)
	if err != nil {
		return sum, fmt.Errorf("%s: %w", file, err)
	}
	if o.Name != "" {
		sum.Meta.Name = o.Name
	}
	sum.Meta.RepairedFrom = ""
	if err := CheckName(sum.Meta.Name); err != nil {
		return sum, err
	}
	if err := f.free(sum.Meta.Name); err != nil {
		return sum, fmt.Errorf("%s: %w", file, err)
	}
	if o.Begin != nil {
		if err := o.Begin(&sum.Meta); err != nil {
			return sum, fmt.Errorf("%s: %w", file, err)
		}
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return sum, err
	}
	packs := packfolder.In(f.Dir())
	err = f.build(sum.Meta, func(s *disk.Store) error {
		in := &importer{s: s}
		_, err := readExport(r, limit, taker{
			pack: func(h packlist.Hash, zip []byte) error { return packs.PutZip(h, zip) },
			pair: func(space string, key, value []byte) error {
				if o.Change != nil {
					value = o.Change(space, key, value)
				}
				return in.pair(space, key, value)
			},
		})
		if err != nil {
			return err
		}
		return in.flush()
	})
	if err != nil {
		return sum, fmt.Errorf("%s: %w", file, err)
	}
	return sum, nil
}

// importer writes pairs in groups.
type importer struct {
	s    *disk.Store
	w    machine.DiskWrite
	size int
}

func (i *importer) pair(space string, key, value []byte) error {
	if i.size > 1<<20 || space != i.w.Space {
		if err := i.flush(); err != nil {
			return err
		}
		i.w.Space = space
	}
	i.w.Put = append(i.w.Put, machine.KV{Key: bytes.Clone(key), Value: bytes.Clone(value)})
	i.size += len(key) + len(value)
	return nil
}

func (i *importer) flush() error {
	if len(i.w.Put) == 0 {
		return nil
	}
	err := i.s.Apply(i.w)
	i.w.Put, i.size = nil, 0
	return err
}

// taker takes what an export holds.
type taker struct {
	pack func(h packlist.Hash, zip []byte) error
	pair func(space string, key, value []byte) error
}

// nothing only checks an export.
var nothing = taker{
	func(packlist.Hash, []byte) error { return nil },
	func(string, []byte, []byte) error { return nil },
}

// readExport reads the records of an export, of at most limit bytes (0: any), and gives
// packs and pairs to a taker.
func readExport(r io.Reader, limit int64, to taker) (Summary, error) {
	head := make([]byte, len(exportMagic)+2)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(exportMagic)]) != exportMagic {
		return Summary{}, fmt.Errorf("%w: it does not begin like one", ErrFile)
	}
	if v := binary.LittleEndian.Uint16(head[len(exportMagic):]); v < oldestExport || v > exportVersion {
		return Summary{}, fmt.Errorf("%w: the export has format %d, this program knows %d", ErrNewer, v, exportVersion)
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderLowmem(true))
	if err != nil {
		return Summary{}, err
	}
	defer z.Close()
	sum := sha256.New()
	x := &exportReader{r: &summing{bufio.NewReaderSize(z, 64<<10), sum}, sum: sum, limit: limit}
	if err := x.all(to); err != nil {
		var own ownError
		if errors.As(err, &own) {
			return x.out, own.error
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it ends too early")
		}
		return x.out, fmt.Errorf("%w: %v", ErrFile, err) // not as if a person had typed it
	}
	return x.out, nil
}

// ownError is an error of the caller's function, not of the file.
type ownError struct{ error }

// summing hashes what is read through it.
type summing struct {
	r   *bufio.Reader
	sum hash.Hash
}

func (s *summing) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	s.sum.Write(b[:n])
	return n, err
}

func (s *summing) ReadByte() (byte, error) {
	b, err := s.r.ReadByte()
	if err == nil {
		s.sum.Write([]byte{b})
	}
	return b, err
}

// exportReader reads records, keys in strictly rising order.
type exportReader struct {
	r     *summing
	sum   hash.Hash
	out   Summary
	limit int64           // of cost; 0: none
	cost  int64           // of the pairs so far
	packs []packlist.Hash // that have come
	space string
	last  []byte // key
	first bool   // the next key is the first of its space
	value []byte
}

func (x *exportReader) all(to taker) error {
	for begun := false; ; begun = true {
		kind, err := x.r.ReadByte()
		if err != nil {
			return err
		}
		switch {
		case !begun && kind == recMeta:
			err = x.readMeta()
		case begun && kind == recPack && x.out.Spaces == 0:
			err = x.readPack(to.pack)
		case begun && kind == recSpace:
			err = x.readSpace()
		case begun && kind == recPair && x.out.Spaces > 0:
			err = x.readPair(to.pair)
		case begun && kind == recEnd:
			return x.readEnd()
		default:
			err = fmt.Errorf("a record of kind %d is out of place", kind)
		}
		if err != nil {
			return err
		}
	}
}

// bytes reads a length and so many bytes into buf, growing it no faster than
// the bytes arrive.
func (x *exportReader) bytes(buf []byte, limit uint64) ([]byte, error) {
	n, err := binary.ReadUvarint(x.r)
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, fmt.Errorf("a length of %d, where at most %d may be", n, limit)
	}
	buf = buf[:0]
	for uint64(len(buf)) < n {
		have := len(buf)
		buf = append(buf, make([]byte, min(n-uint64(have), 64<<10))...)
		if _, err := io.ReadFull(x.r, buf[have:]); err != nil {
			return nil, err
		}
	}
	return buf, nil
}

func (x *exportReader) readMeta() error {
	b, err := x.bytes(nil, maxMeta)
	if err != nil {
		return err
	}
	x.out.Meta, err = decodeMeta(b)
	if errors.Is(err, ErrNewer) {
		err = ownError{err} // the file is fine
	}
	return err
}

func (x *exportReader) readSpace() error {
	b, err := x.bytes(nil, maxSpace)
	if err != nil {
		return err
	}
	if len(b) == 0 || bytes.IndexByte(b, 0) >= 0 || string(b) <= x.space {
		return fmt.Errorf("the space %q is out of order", b)
	}
	if ofNode(string(b)) {
		return fmt.Errorf("the space %q is a node's own, not a world's", b)
	}
	x.space, x.first = string(b), true
	x.out.Spaces++
	return nil
}

func (x *exportReader) readPair(fn func(space string, key, value []byte) error) error {
	key, err := x.bytes(nil, maxKey)
	if err != nil {
		return err
	}
	if !x.first && bytes.Compare(key, x.last) <= 0 {
		return fmt.Errorf("the key %q is out of order", key)
	}
	x.first, x.last = false, key
	if x.value, err = x.bytes(x.value, maxValue); err != nil {
		return err
	}
	x.out.Pairs++
	x.out.Bytes += int64(len(key) + len(x.value))
	if x.cost += int64(len(key)+len(x.value)) + pairCost; x.limit > 0 && x.cost > x.limit {
		return ownError{fmt.Errorf("%w: more than %d MB, read so far; if you trust who made it, allow more with --max-size", ErrSize, x.limit/1e6)}
	}
	if err := fn(x.space, key, x.value); err != nil {
		return ownError{err}
	}
	return nil
}

func (x *exportReader) readEnd() error {
	pairs, err := binary.ReadUvarint(x.r)
	if err != nil {
		return err
	}
	if pairs != x.out.Pairs {
		return fmt.Errorf("%d pairs are announced, %d are there", pairs, x.out.Pairs)
	}
	want := x.sum.Sum(nil)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(x.r, got); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return errors.New("the checksum is wrong")
	}
	if _, err := x.r.ReadByte(); !errors.Is(err, io.EOF) {
		return errors.New("something follows its end")
	}
	return nil
}
