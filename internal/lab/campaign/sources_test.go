package campaign

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab/catalog"
)

// The index in docs/results.md has every numbered table and figure of the sources that
// reports a measurement, and names experiments or parts that there are.
func TestIndexOfTheSources(t *testing.T) {
	text, err := os.ReadFile("../../../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	_, index, found := strings.Cut(string(text), "## Index of the sources' tables and figures")
	if !found {
		t.Fatal("docs/results.md has no index")
	}
	named := map[string]bool{}
	span := regexp.MustCompile(`^(\d)\.(\d+)(?:–\d\.(\d+))?$`)
	for line := range strings.Lines(index) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.ContainsAny(cells[1], "0123456789") {
			continue
		}
		kind := ""
		for word := range strings.FieldsFuncSeq(cells[1], func(r rune) bool { return strings.ContainsRune(" ,:", r) }) {
			if k := strings.TrimSuffix(word, "s"); k == "table" || k == "figure" {
				kind = k
			} else if m := span.FindStringSubmatch(word); m != nil && kind != "" {
				first, _ := strconv.Atoi(m[2])
				last := first
				if m[3] != "" {
					last, _ = strconv.Atoi(m[3])
				}
				for n := first; n <= last; n++ {
					named[fmt.Sprintf("%s %s.%d", kind, m[1], n)] = true
				}
			}
		}
		for name := range strings.SplitSeq(strings.Trim(cells[2], " "), "`") {
			name = strings.TrimSpace(name)
			if _, err := catalog.Find(name); strings.Contains(name, "storage-") && err != nil && !slices.ContainsFunc(fullParts(), func(p Part) bool { return p.Name == name }) {
				t.Errorf("%q is no experiment and no part", name)
			}
		}
	}
	want := func(kind string, chapter, first, last int) {
		for n := first; n <= last; n++ {
			if name := fmt.Sprintf("%s %d.%d", kind, chapter, n); !named[name] {
				t.Errorf("the index does not have %s", name)
			}
		}
	}
	want("table", 6, 1, 40)
	want("figure", 6, 2, 12) // 6.1 and 6.13 are drawings
	want("figure", 4, 1, 6)  // of the dissertation; 4.7 is a screenshot
}
