package lab

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// What each of the nodes in one process costs is read from a CPU profile: whatever
// a node starts bears its number as a label, and so do its players.

const nodeLabel = "node"

// ofNode is a context whose goroutines count as a node's.
func ofNode(ctx context.Context, node int) context.Context {
	return pprof.WithLabels(ctx, pprof.Labels(nodeLabel, strconv.Itoa(node)))
}

// cpuProfile is one that is being taken.
type cpuProfile struct {
	file string // where it is kept, too; "none": nowhere
	b    bytes.Buffer
}

func startProfile(file string) (*cpuProfile, error) {
	p := &cpuProfile{file: file}
	return p, pprof.StartCPUProfile(&p.b)
}

// end returns the time of each node, and how much belongs to none of them: the
// collector's, the scheduler's, the disks'.
func (p *cpuProfile) end() (by map[int]time.Duration, rest time.Duration, err error) {
	pprof.StopCPUProfile()
	if p.file != "none" {
		err = os.WriteFile(p.file, p.b.Bytes(), 0o644)
	}
	z, zipped := gzip.NewReader(&p.b)
	if err := errors.Join(err, zipped); err != nil {
		return nil, 0, err
	}
	b, err := io.ReadAll(z)
	if err != nil {
		return nil, 0, err
	}
	return readProfile(b)
}

// The fields of pprof's format (profile.proto) that are read here.
const (
	profileSample  protowire.Number = 2
	profileStrings protowire.Number = 6
	sampleValue    protowire.Number = 2
	sampleLabel    protowire.Number = 3
	labelKey       protowire.Number = 1
	labelString    protowire.Number = 2
)

// readProfile sums the nanoseconds of a CPU profile's samples.
func readProfile(b []byte) (by map[int]time.Duration, rest time.Duration, err error) {
	var texts []string
	err = fields(b, func(n protowire.Number, v []byte, _ uint64) error {
		if n == profileStrings {
			texts = append(texts, string(v))
		}
		return nil
	})
	by = map[int]time.Duration{}
	text := func(i uint64) string {
		if i < uint64(len(texts)) {
			return texts[i]
		}
		return ""
	}
	return by, rest, errors.Join(err, fields(b, func(n protowire.Number, v []byte, _ uint64) error {
		if n != profileSample {
			return nil
		}
		node, took, err := readSample(v, text)
		if node < 0 {
			rest += took
		} else {
			by[node] += took
		}
		return err
	}))
}

// readSample returns whose a sample is, -1 if nobody's.
func readSample(b []byte, text func(uint64) string) (node int, took time.Duration, err error) {
	node = -1
	err = fields(b, func(n protowire.Number, v []byte, x uint64) error {
		switch n {
		case sampleValue: // how many, and nanoseconds; one by one or together
			took = time.Duration(x)
			for len(v) > 0 {
				x, size := protowire.ConsumeVarint(v)
				if size < 0 {
					return protowire.ParseError(size)
				}
				took, v = time.Duration(x), v[size:]
			}
		case sampleLabel:
			var key, value uint64
			err := fields(v, func(n protowire.Number, _ []byte, x uint64) error {
				switch n {
				case labelKey:
					key = x
				case labelString:
					value = x
				}
				return nil
			})
			if err != nil || text(key) != nodeLabel {
				return err
			}
			node, err = strconv.Atoi(text(value))
			return err
		}
		return nil
	})
	return node, took, err
}

// fields calls back for each field of a message: v is what it holds, or x.
func fields(b []byte, each func(n protowire.Number, v []byte, x uint64) error) error {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return fmt.Errorf("the CPU profile cannot be read: %w", protowire.ParseError(size))
		}
		b = b[size:]
		var v []byte
		var x uint64
		switch kind {
		case protowire.BytesType:
			v, size = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			x, size = protowire.ConsumeVarint(b)
		default:
			size = protowire.ConsumeFieldValue(n, kind, b)
		}
		if size < 0 {
			return fmt.Errorf("the CPU profile cannot be read: %w", protowire.ParseError(size))
		}
		if err := each(n, v, x); err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}
