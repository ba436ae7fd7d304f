package host

import "testing"

func FuzzBookmarks(f *testing.F) {
	f.Add([]byte(`[{"name":"friends","addresses":["192.0.2.1:4747"]}]`))
	f.Add([]byte(`[{"name":"../x","addresses":[""]}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := decodeBookmarks(b)
		if err != nil {
			return
		}
		for _, m := range all {
			if err := m.check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
