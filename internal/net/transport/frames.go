package transport

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// frameHead is the length of a frame's head: how long the rest is, big endian.
const frameHead = 4

// numberSize is how long the number is that a message's frame begins with.
const numberSize = 8

var (
	errFrame = errors.New("a message on the link is too long")
	errShort = errors.New("the link ends within a message")
)

// putFrameHead fills in the head of the frame that b is.
func putFrameHead(b []byte) { binary.BigEndian.PutUint32(b, uint32(len(b)-frameHead)) }

// Buffers of frames. A link that is idle keeps the small one.
const (
	smallBuffer = 2 << 10
	bigBuffer   = 64 << 10
)

// frames reads length-prefixed frames from a stream. What it allocates is at
// most twice what has arrived.
type frames struct {
	r        io.Reader
	buf      []byte
	from, to int // buf[from:to] has not been returned yet
	small    int // reads in a row that a small buffer would have done for
	limit    int
}

func newFrames(r io.Reader, limit int) *frames {
	return &frames{r: r, buf: make([]byte, smallBuffer), limit: limit}
}

// next returns the next frame that is there whole, nil if there is none: then
// more must be read. It is valid until more is called.
func (f *frames) next() ([]byte, error) {
	have := f.buf[f.from:f.to]
	if len(have) < frameHead {
		return nil, nil
	}
	n := binary.BigEndian.Uint32(have)
	if uint64(n) > uint64(f.limit) {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", errFrame, n, f.limit)
	}
	end := frameHead + int(n)
	if len(have) < end {
		return nil, nil
	}
	f.from += end
	return have[frameHead:end:end], nil
}

// more reads once. The end of the stream is io.EOF between two frames, errShort
// within one.
func (f *frames) more() error {
	f.makeRoom()
	n, err := f.r.Read(f.buf[f.to:])
	f.to += n
	if n > 0 {
		return nil // an error comes again
	}
	if err == io.EOF && f.to > f.from {
		return errShort
	}
	return err
}

// calm is how many small reads in a row give a large buffer back.
const calm = 8

// makeRoom moves what is left to the front, into a larger buffer if the last
// read has filled this one, into the small one if that has been enough for a
// while.
func (f *frames) makeRoom() {
	left := f.buf[f.from:f.to]
	size := len(f.buf)
	if f.small++; f.to > smallBuffer {
		f.small = 0
	}
	switch {
	case len(left) == size:
		size *= 2 // within a long frame
	case f.to == size && size < bigBuffer:
		size *= 2
	case len(left) == 0 && f.small > calm:
		size = smallBuffer
	}
	if size != len(f.buf) {
		buf := make([]byte, size)
		copy(buf, left)
		f.buf = buf
	} else {
		copy(f.buf, left)
	}
	f.from, f.to = 0, len(left)
}
