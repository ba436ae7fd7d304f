package gateway

import "testing"

func TestSplitHost(t *testing.T) {
	for in, want := range map[string]struct {
		host   string
		ip, ok bool
	}{
		"localhost":           {"localhost", false, true},
		"LocalHost.:4747":     {"localhost", false, true},
		"127.0.0.1:4747":      {"127.0.0.1", true, true},
		"[::1]:4747":          {"::1", true, true},
		"[::1]":               {"[::1]", true, true},
		"world.example":       {"world.example", false, true},
		"127.0.0.1:99999":     {"", false, false},
		"127.0.0.1:;x":        {"", false, false},
		"[fe80::1%;x]:80":     {"", false, false},
		"[fe80::1%;x]":        {"", false, false},
		"":                    {"", false, true},
		"0x7f000001":          {"0x7f000001", false, true},
		"2130706433":          {"2130706433", false, true},
		"127.0.0.1.evil.test": {"127.0.0.1.evil.test", false, true},
	} {
		host, ip, ok := splitHost(in)
		if host != want.host || ip.IsValid() != want.ip || ok != want.ok {
			t.Errorf("%q: %q %v %v, want %+v", in, host, ip, ok, want)
		}
	}
}
