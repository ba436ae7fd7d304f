package decision

import (
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// TestNetwork: what an operator types covers a whole network, and never much more.
func TestNetwork(t *testing.T) {
	for in, want := range map[string]string{
		"192.0.2.1": "192.0.2.1/32", "::ffff:192.0.2.1": "192.0.2.1/32", "192.0.2.77/24": "192.0.2.0/24",
		"::ffff:192.0.2.77/120": "192.0.2.0/24", "2001:DB8::1": "2001:db8::/64", "2001:db8::1/128": "2001:db8::/64",
		"2001:db8:1:2::/48": "2001:db8:1::/48", "10.1.2.3/8": "10.0.0.0/8",
		"": "", "Bo": "", "0.0.0.0/0": "", "10.0.0.0/7": "", "::/0": "", "::ffff:0.0.0.0/96": "", "::ffff:0.0.0.0/90": "",
		"fe80::1%eth0": "", "192.0.2.1/33": "", "192.0.2.1:80": "", "192.0.2.1 ": "",
	} {
		got, err := Network(in)
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("%q covers %v (%v), want %q", in, got, err, want)
		}
	}
}

// TestHostileAddressEvasion: who is banned by address does not get in from another
// address of the same /64, nor by writing the address in another form.
func TestHostileAddressEvasion(t *testing.T) {
	root, ann := someone("root"), someone("ann")
	l := New(testWorld, root.public())
	ban := func(on bool, name string, until int64) *Statement {
		return root.says(Statement{Topic: AddressBan, On: on, Name: name, Until: until})
	}
	until := start.Add(time.Hour)
	merge(t, l, nil, root.op(ann), ban(true, "192.0.2.1", 0), ban(true, "2001:db8::1", until.Unix()), ban(true, "198.51.100.9/24", 0))
	banned := func(a string, now time.Time) bool { return l.BannedAddress(netip.MustParseAddr(a), now) != nil }
	for a, want := range map[string]bool{
		"192.0.2.1": true, "::ffff:192.0.2.1": true, "192.0.2.2": false, "192.0.2.10": false,
		"2001:db8::ffff:1": true, "2001:db8::1%eth0": true, "2001:db8:0:1::1": false, "198.51.100.200": true, "198.51.101.1": false,
	} {
		if banned(a, start) != want {
			t.Errorf("%s is banned: %v", a, !want)
		}
	}
	if l.BannedAddress(netip.Addr{}, start) != nil {
		t.Error("no address is banned")
	}
	if banned("2001:db8::2", until) {
		t.Error("a ban for an hour has no end")
	}
	// A later word in another spelling is about the same address.
	merge(t, l, nil, ban(false, "::ffff:192.0.2.1", 0))
	if banned("192.0.2.1", start) {
		t.Error("the ban was not undone")
	}
	merge(t, l, ErrFormat, ban(true, "0.0.0.0/0", 0), root.says(Statement{Topic: AddressBan, On: true, Subject: id.ID{1}, Name: "192.0.2.9"}))
	merge(t, l, ErrAuthority, someone("eve").says(Statement{Topic: AddressBan, On: true, Name: "203.0.113.1"}))
}
