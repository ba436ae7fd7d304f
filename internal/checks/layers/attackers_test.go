package layers

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// hostileTarget is what the Makefile says about `make hostile`.
type hostileTarget struct {
	roots    []string       // the folders that HOSTILE_FILES searches
	globs    []string       // the names of files that it finds
	function *regexp.Regexp // the names that HOSTILE_TESTS takes from these files
	run      string         // the argument of -run
}

// readHostileTarget reads the patterns from the Makefile, so that the test and
// `make hostile` cannot differ.
func readHostileTarget(t *testing.T) (h hostileTarget) {
	t.Helper()
	b, err := os.ReadFile(root + "Makefile")
	if err != nil {
		t.Fatal(err)
	}
	one := func(pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(string(b))
		if m == nil {
			t.Fatalf("the Makefile has no line like %s: change this test with it", pattern)
		}
		return m[1]
	}
	find := one(`(?m)^HOSTILE_FILES = \$\(shell find (.*)\)$`)
	roots, _, _ := strings.Cut(find, " -name ")
	h.roots = strings.Fields(roots)
	for _, m := range regexp.MustCompile(`-name '([^']+)'`).FindAllStringSubmatch(find, -1) {
		h.globs = append(h.globs, m[1])
	}
	h.function = regexp.MustCompile("(?m)" + one(`(?m)^HOSTILE_TESTS = \$\(shell grep -hoE '([^']+)'`))
	h.run = strings.ReplaceAll(one(`(?m)^hostile:\n\tgo test .*-run '([^']+)' \./\.\.\.$`), "$$", "$")
	return h
}

// listed reports whether HOSTILE_FILES finds a file.
func (h hostileTarget) listed(file string) bool {
	root, _, _ := strings.Cut(file, "/")
	for _, glob := range h.globs {
		if ok, _ := path.Match(glob, path.Base(file)); ok {
			for _, r := range h.roots {
				if r == root {
					return true
				}
			}
		}
	}
	return false
}

// TestNamesOfHostileTests: `make hostile` runs every test whose name begins with
// TestHostile, and every test in a file that is named for it. A test in another module
// than the first it would not find.
func TestNamesOfHostileTests(t *testing.T) {
	h := readHostileTarget(t)
	test := regexp.MustCompile(`(?m)^func (Test\w*)\(\w+ \*testing\.T\)`)
	hostile := map[string]string{} // tests that have to run, and their files
	var alternatives strings.Builder
	for file, source := range testFiles(t) {
		for _, m := range test.FindAllSubmatch(source, -1) {
			if name := string(m[1]); strings.HasPrefix(name, "TestHostile") || strings.Contains(path.Base(file), "hostile") {
				hostile[name] = file
			}
		}
		if h.listed(file) {
			for _, line := range h.function.FindAllString(string(source), -1) {
				alternatives.WriteString(strings.TrimPrefix(line, "func ") + "|")
			}
		}
	}
	selected, err := regexp.Compile(strings.Replace(h.run, "$(HOSTILE_TESTS)", alternatives.String(), 1))
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range hostile {
		if !selected.MatchString(name) {
			t.Errorf("%s: make hostile does not run %s", file, name)
		}
		if other := regexp.MustCompile(`^(tools|e2e)/`); other.MatchString(file) {
			t.Errorf("%s: %s is in another module, where make hostile runs nothing", file, name)
		}
	}
	if len(hostile) < 50 {
		t.Errorf("only %d hostile tests found: is the pattern right?", len(hostile))
	}
	if selected.MatchString("TestLinks") {
		t.Error("make hostile selects every test")
	}
}
