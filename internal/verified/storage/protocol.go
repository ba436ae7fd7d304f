package storage

import "fmt"

// Protocol is which of two protocols a network follows: all of its nodes the same.
type Protocol uint8

const (
	// ProtocolThesis is the thesis' own (chapter 5): zones vote for whole results, the
	// one with most votes counts, and answers carry objects.
	ProtocolThesis Protocol = iota
	// ProtocolHardened is what real nodes follow (docs/protocols/storage-hardened.md).
	// Nodes vote on each cell by its digest, and only what more than half of the zones
	// say counts; what was agreed on is fetched once, as differences; what players do is
	// certified by receipts of several storers in each zone; and who leaves hands over
	// what it stores. What each of its mechanisms brings is measured in
	// docs/decisions/0055-two-protocols-one-form.md.
	ProtocolHardened
)

var protocolNames = [...]string{"thesis", "hardened"}

// ParseProtocol reads the name of a protocol.
func ParseProtocol(text string) (Protocol, error) {
	for p, name := range protocolNames {
		if name == text {
			return Protocol(p), nil
		}
	}
	return 0, fmt.Errorf("protocol %q: there are thesis and hardened", text)
}

// String is what ParseProtocol reads.
func (p Protocol) String() string { return protocolNames[p] }
