package layers

import (
	"os"
	"regexp"
	"testing"
)

// TestAttacksPage: every test that docs/attacks.md names exists.
func TestAttacksPage(t *testing.T) {
	page, err := os.ReadFile(root + "docs/attacks.md")
	if err != nil {
		t.Fatal(err)
	}
	test := regexp.MustCompile(`(?m)^func (Test\w*)\(`)
	exist := map[string]bool{}
	for _, source := range testFiles(t) {
		for _, m := range test.FindAllSubmatch(source, -1) {
			exist[string(m[1])] = true
		}
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllSubmatch(page, -1)
	for _, m := range named {
		if name := string(m[1]); !exist[name] {
			t.Errorf("docs/attacks.md names %s, which does not exist", name)
		}
	}
	if len(named) < 60 {
		t.Errorf("only %d tests are named: is the pattern right?", len(named))
	}
}
