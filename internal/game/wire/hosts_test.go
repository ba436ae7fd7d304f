package wire

import "testing"

// TestHostsOfBefore: a node of before says nothing of who was caught lying.
func TestHostsOfBefore(t *testing.T) {
	old := []byte{byte(TypeHosts), 0x94, 0x90, 0x90, 0x90, 0x90}
	m, err := DecodeNode(old)
	if h, ok := m.(*Hosts); err != nil || !ok || len(h.Convicted) > 0 {
		t.Errorf("read as %+v, %v", m, err)
	}
}
