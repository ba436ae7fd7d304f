package storage

import "testing"

func TestParseProtocol(t *testing.T) {
	for _, c := range []struct {
		text string
		want Protocol
		ok   bool
	}{
		{"thesis", ProtocolThesis, true},
		{"hardened", ProtocolHardened, true},
		{"", 0, false},
		{"thesis+objects", 0, false},
		{"objects", 0, false},
	} {
		p, err := ParseProtocol(c.text)
		if (err == nil) != c.ok || c.ok && p != c.want {
			t.Errorf("%q: %v, %v", c.text, p, err)
		}
		if c.ok {
			if q, err := ParseProtocol(p.String()); q != p || err != nil {
				t.Errorf("%q is written %q, which is read as %v, %v", c.text, p, q, err)
			}
		}
	}
}
