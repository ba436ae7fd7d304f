package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// module is a small project with one rule and one test.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.test/m\n\ngo 1.26\n",
		"m.go":      "package m\n\nfunc grown(age int) bool { return age >= 18 }\n\nfunc old(age int) bool { return age >= 80 }\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestGrown(t *testing.T) {\n\tif grown(17) || !old(90) {\n\t\tt.Error()\n\t}\n}\n",
		"rules.txt": "# two rules\n\nrule: who is grown\nfile: m.go\nold: age >= 18\nnew: age >= 8\ntest: .\n\nrule: who is old\nfile: m.go\nold: age >= 80\nnew: age >= 70\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A rule that a test watches over is detected, the other one survives, and the source
// stays as it is.
func TestMutate(t *testing.T) {
	dir := module(t)
	out := filepath.Join(dir, "table.md")
	before, err := os.ReadFile(filepath.Join(dir, "m.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{filepath.Join(dir, "rules.txt")}, "", dir, out, time.Minute); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| who is grown | `m.go` | `TestGrown` |", "| who is old | `m.go` | **nothing** |", "2 rules, 1 survive."} {
		if !strings.Contains(string(b), want) {
			t.Errorf("the table lacks %q:\n%s", want, b)
		}
	}
	after, err := os.ReadFile(filepath.Join(dir, "m.go"))
	if err != nil || string(after) != string(before) {
		t.Errorf("the source was changed: %v\n%s", err, after)
	}
}

// What is no change, does not compile, or fails anyway is no result.
func TestMutateRefuses(t *testing.T) {
	dir := module(t)
	for text, want := range map[string]string{
		"rule: a\nfile: m.go\nold: age\nnew: x\ntest: .\n":                   "times, want once",
		"rule: a\nfile: m.go\nold: age >= 18\nnew: age >= nobody\ntest: .\n": "does not compile",
		"rule: a\nfile: m.go\nold: age >= 18\nnew: age >= 18\ntest: .\n":     "incomplete",
		"rule: a\nfile: m.go\nold: age >= 18\nnew: age >= 1\ntest: ./no\n":   "fails without a change",
		"something\n": "no line of a rule",
	} {
		file := filepath.Join(dir, "bad.txt")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := run(t.Context(), []string{file}, "", dir, "", time.Minute); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Every rule of the project can still be broken: its source has changed otherwise.
func TestRulesFitTheSource(t *testing.T) {
	files, err := filepath.Glob("rules/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		rules, err := readRules(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			if _, err := r.broken("../.."); err != nil {
				t.Errorf("%s: %s: %v", file, r.text, err)
			}
		}
	}
}
