package gateway

import (
	"testing"
)

// FuzzAsk: whatever a page says first is refused, or its side of ICE is bounded.
func FuzzAsk(f *testing.F) {
	f.Add([]byte(`{"code":"a code"}`))
	f.Add([]byte(`{"code":"","ice":{"ufrag":"ab+c","pwd":"0123456789abcdef01234567"}}`))
	f.Add([]byte(`{"ice":{"ufrag":"a\r\nb","pwd":"0123456789abcdef01234567"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		ask, err := decodeAsk(b)
		if err == nil && (len(b) > maxAsk || ask.ICE != nil && !ask.ICE.Valid()) {
			t.Fatalf("%+v", ask)
		}
		if err != nil && (ask.Code != "" || ask.ICE != nil) {
			t.Fatalf("%+v with %v", ask, err)
		}
	})
}
