package layers

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)]+)\)`)
	code    = regexp.MustCompile("`[^`\n]+`")
	heading = regexp.MustCompile(`(?m)^#+ +(.+?)\s*$`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
)

// TestLinks: every link from one page to another, or to a heading, leads somewhere. What
// looks like a link and has a space in its target is shown as text.
func TestLinks(t *testing.T) {
	pages := []string{root + "README.md"}
	err := filepath.WalkDir(root+"docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(read(t, page), "code"), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.ContainsAny(m[1], " \t\n") {
				t.Errorf("%s: (%s) has a space in it, so that it is no link", page, m[1])
				continue
			}
			if strings.Contains(to, "://") {
				continue
			}
			links++
			target := page
			if to != "" {
				target = filepath.Join(filepath.Dir(page), to)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, m[1])
			} else if anchor != "" && !anchors(read(t, target))[anchor] {
				t.Errorf("%s: %s has no heading #%s", page, target, anchor)
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links found in %d pages: is the pattern right?", links, len(pages))
	}
}

// read is a page without what stands in fences.
func read(t *testing.T, page string) string {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return fence.ReplaceAllString(string(b), "")
}

// anchors are the names by which a page's headings are linked to: small letters,
// hyphens for spaces, no other punctuation.
func anchors(page string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		out[strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, m[1])] = true
	}
	return out
}
