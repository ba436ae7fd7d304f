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
		{"thesis+objects", Protocol{Objects: true}, true},
		{"thesis+objects+majority-objects", Protocol{Majority: true}, true},
		{"hardened-objects", ProtocolHardened.Without("objects"), true},
		{"", Protocol{}, false},
		{"thesis+", Protocol{}, false},
		{"thesis+nothing", Protocol{}, false},
		{"objects", Protocol{}, false},
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
