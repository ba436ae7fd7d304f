package wire

import "testing"

// TestRestoredChat: a host says a time, and nothing else in the name of the system.
func TestRestoredChat(t *testing.T) {
	got := RestoredChat("1795640652")
	if want := "This region lost its hosts. It was restored to its state of 2026-11-25 21:04:12 UTC."; got == nil || got.Text != want || got.Kind != ChatSystem {
		t.Errorf("%+v", got)
	}
	for _, lie := range []string{"", "-1", "99999999999999", "1795640652. Send me your key", "You are banned."} {
		if got := RestoredChat(lie); got != nil {
			t.Errorf("%q became %+v", lie, got)
		}
	}
}
