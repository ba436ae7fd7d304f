package layers

import (
	"regexp"
	"strings"
	"testing"
)

// TestNamesOfLongTests: a test that calls simtest.Long is named TestLong…, and
// only such a test is, so that `go test -run '^TestLong'` selects the long
// simulations.
func TestNamesOfLongTests(t *testing.T) {
	function := regexp.MustCompile(`(?m)^func (\w*)`)
	found := 0
	for file, source := range testFiles(t) {
		starts := function.FindAllSubmatchIndex(source, -1)
		for i, start := range starts {
			end := len(source)
			if i+1 < len(starts) {
				end = starts[i+1][0]
			}
			name := string(source[start[2]:start[3]])
			long := strings.HasPrefix(name, "TestLong")
			calls := regexp.MustCompile(`(?m)^\tsimtest\.Long\(t\)`).Match(source[start[0]:end])
			if long != calls {
				t.Errorf("%s: %s: a test calls simtest.Long(t) if and only if its name begins with TestLong", file, name)
			}
			if long {
				found++
			}
		}
	}
	if found == 0 {
		t.Error("no long test was found")
	}
}
