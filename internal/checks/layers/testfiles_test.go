package layers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// testFiles returns the project's files of tests, by their paths from its folder.
func testFiles(t *testing.T) map[string][]byte {
	t.Helper()
	names, err := exec.Command("git", "-C", root, "ls-files", "-co", "--exclude-standard", "--deduplicate", "*_test.go").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	files := map[string][]byte{}
	for name := range strings.FieldsSeq(string(names)) {
		source, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, not committed yet
		} else if err != nil {
			t.Fatal(err)
		}
		files[name] = source
	}
	return files
}
