package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// rule is one of a protocol, and a change that breaks it.
type rule struct {
	text     string     // the rule
	file     string     // of the source, from the project's folder
	old, new string     // the text that is replaced, once
	tests    [][]string // arguments of go test, one after the other until one fails
}

// readRules reads a file of rules, which are divided by empty lines:
//
//	rule: a batch without its player's signature does not count
//	file: internal/verified/storage/actions/receiptrules.go
//	old: b.Signature != nil &&
//	new: true &&
//	test: ./internal/verified/storage
//
// A test holds for the rules after it that have none; \n and \t stand for the end of a
// line and a tabulator; lines with # are comments.
func readRules(file string) (rules []rule, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var tests [][]string
	for block := range strings.SplitSeq(string(text), "\n\n") {
		r, own := rule{}, [][]string(nil)
		for line := range strings.Lines(block) {
			line = strings.TrimRight(line, "\n")
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			key, value, ok := strings.Cut(line, ":")
			value = spaces.Replace(strings.TrimPrefix(value, " "))
			switch {
			case ok && key == "rule":
				r.text = value
			case ok && key == "file":
				r.file = value
			case ok && key == "old":
				r.old = value
			case ok && key == "new":
				r.new = value
			case ok && key == "test":
				own = append(own, strings.Fields(value))
			default:
				return nil, fmt.Errorf("%s: %q is no line of a rule", file, line)
			}
		}
		if own != nil {
			tests = own
		}
		r.tests = tests
		switch {
		case r.text == "" && r.file == "" && r.old == "":
		case r.text == "" || r.file == "" || r.old == "" || r.old == r.new || len(r.tests) == 0:
			return nil, fmt.Errorf("%s: rule %q is incomplete", file, r.text)
		default:
			rules = append(rules, r)
		}
	}
	return rules, nil
}

var spaces = strings.NewReplacer(`\n`, "\n", `\t`, "\t")

// broken returns the source with the rule broken.
func (r rule) broken(root string) (string, error) {
	b, err := os.ReadFile(filepath.Join(root, r.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(b), r.old); n != 1 {
		return "", fmt.Errorf("%s has %q %d times, want once", r.file, r.old, n)
	}
	return strings.Replace(string(b), r.old, r.new, 1), nil
}
