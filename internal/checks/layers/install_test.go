package layers

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestInstallable: `go install MODULE/cmd/voxelpopuli@latest` refuses a module that
// replaces or excludes others, and has the page only if its bundle is committed.
func TestInstallable(t *testing.T) {
	b, err := os.ReadFile(root + "go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`(?m)^(replace|exclude)\b.*`).Find(b); m != nil {
		t.Errorf("go.mod says %s", m)
	}
	list, err := exec.Command("git", "-C", root, "ls-files", "web/dist").Output()
	if err != nil {
		t.Skip("this is no checkout: ", err)
	}
	for _, name := range []string{"index.html", "main.js.gz", "worker.js.gz", "style.css.gz", "licences.txt"} {
		if !strings.Contains(string(list), "web/dist/"+name) {
			t.Errorf("web/dist/%s is not committed", name)
		}
	}
}
