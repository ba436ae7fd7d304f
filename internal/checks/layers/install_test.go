package layers

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// reserved are names that no file of a module may have, with whatever ending, since
// Windows has devices of these names (golang.org/x/mod/module.CheckFilePath).
var reserved = regexp.MustCompile(`(?im)^(.*/)?(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.[^/]*)?(/.*)?$`)

// TestInstallable: `go install MODULE/cmd/voxelpopuli@latest` refuses a module that
// replaces or excludes others or has files with reserved names, and has the page only if
// its bundle is committed. TestGoInstall in tools/dist installs it.
func TestInstallable(t *testing.T) {
	b, err := os.ReadFile(root + "go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`(?m)^(replace|exclude)\b.*`).Find(b); m != nil {
		t.Errorf("go.mod says %s", m)
	}
	list, err := exec.Command("git", "-C", root, "ls-files").Output()
	if err != nil {
		t.Skip("this is no checkout: ", err)
	}
	if m := reserved.Find(list); m != nil {
		t.Errorf("%s cannot be the name of a file in a module", m)
	}
	for _, name := range []string{"index.html", "main.js.gz", "worker.js.gz", "style.css.gz", "licences.txt"} {
		if !strings.Contains(string(list), "web/dist/"+name) {
			t.Errorf("web/dist/%s is not committed", name)
		}
	}
}
