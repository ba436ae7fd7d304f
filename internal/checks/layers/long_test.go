package layers

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNamesOfLongTests: a test that calls simtest.Long is named TestLong…, and
// only such a test is, so that `go test -run '^TestLong'` selects the long
// simulations.
func TestNamesOfLongTests(t *testing.T) {
	files, err := exec.Command("git", "-C", root, "ls-files", "-co", "--exclude-standard", "--deduplicate", "*_test.go").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	function := regexp.MustCompile(`(?m)^func (\w*)`)
	found := 0
	for _, file := range strings.Fields(string(files)) {
		source, err := os.ReadFile(filepath.Join(root, file))
		if os.IsNotExist(err) {
			continue // deleted, not committed yet
		} else if err != nil {
			t.Fatal(err)
		}
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
