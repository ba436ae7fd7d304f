package wire

import "testing"

// TestHostsOfBefore: nodes of before say nothing of who was caught lying, or of land.
func TestHostsOfBefore(t *testing.T) {
	for _, old := range [][]byte{
		{byte(TypeHosts), 0x94, 0x90, 0x90, 0x90, 0x90},
		{byte(TypeHosts), 0x95, 0x90, 0x90, 0x90, 0x90, 0x90},
	} {
		m, err := DecodeNode(old)
		if h, ok := m.(*Hosts); err != nil || !ok || len(h.Convicted) > 0 || len(h.Lands) > 0 {
			t.Errorf("read as %+v, %v", m, err)
		}
	}
}
