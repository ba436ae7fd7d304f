//go:build !linux

package linklab

import (
	"errors"
	"net/netip"
	"time"
)

// badLine is on Linux a line whose packets get lost and come late.
type badLine struct{ near netip.Addr }

type lineFaults struct {
	Loss          float64
	Delay, Jitter time.Duration
}

func openLine(uint64) (*badLine, error) {
	return nil, errors.New("a line with losses needs network namespaces: run this on Linux")
}

func (*badLine) set(lineFaults) {}
func (*badLine) on() []string   { return nil }
func (*badLine) close() error   { return nil }
