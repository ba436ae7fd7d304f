package socket

import (
	"testing"

	"github.com/pion/stun/v4"
)

// TestBrowserPackets: packets of browsers are told from those of the NAT traversal.
func TestBrowserPackets(t *testing.T) {
	named := func(user string) []byte {
		return stun.MustBuild(stun.TransactionID, stun.BindingRequest, stun.RawAttribute{Type: 0xc057, Value: make([]byte, 5)}, stun.NewUsername(user)).Raw
	}
	browser := named(BrowserUfrag + "abcdefghijklmnopqrstuvwx:abcd")
	for name, c := range map[string]struct {
		b    []byte
		want bool
	}{
		"DTLS":                {[]byte{22, 254, 253}, true},
		"a browser's check":   {browser, true},
		"a node's check":      {named("abcdEFGH:ijklMNOP"), false},
		"the prefix later":    {named("ab" + BrowserUfrag + ":cd"), false},
		"a response":          {stun.MustBuild(stun.TransactionID, stun.BindingSuccess).Raw, false},
		"cut off":             {browser[:40], false},
		"a head":              {browser[:20], false},
		"one byte":            {browser[:1], false},
		"a length beyond all": {append(append([]byte(nil), browser[:20]...), 0, 6, 255, 255, 'v'), false},
	} {
		if got := fromBrowser(c.b); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// FuzzBrowserPackets: whatever comes, the walk over its attributes ends within it.
func FuzzBrowserPackets(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 33, 18, 164, 66, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 1, 'v'})
	f.Fuzz(func(_ *testing.T, b []byte) {
		if len(b) > 0 {
			fromBrowser(b)
		}
	})
}
