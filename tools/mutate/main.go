// Command mutate breaks one rule of a protocol at a time and reports which of these
// changes no test notices:
//
//	go -C tools run ./mutate [--only TEXT] [--timeout 10m] [--out FILE] [FILE…]
//
// A file of rules (rules/) names for each a small change of the source and the tests
// that should notice it. A rule is chosen by what the protocol says, before one looks at
// the tests. The change is made in a copy that the compiler is given instead of the
// source (go test -overlay); the source stays as it is.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	only := flag.String("only", "", "only rules whose text contains `TEXT`")
	timeout := flag.Duration("timeout", 10*time.Minute, "for all tests of a rule")
	out := flag.String("out", "", "write the table to `FILE`, too")
	root := flag.String("root", "..", "the project's `folder`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Args(), *only, *root, *out, *timeout); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, files []string, only, root, out string, timeout time.Duration) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		if files, err = filepath.Glob("mutate/rules/*.txt"); err != nil {
			return err
		}
	}
	var rules []rule
	for _, file := range files {
		list, err := readRules(file)
		if err != nil {
			return err
		}
		for _, r := range list {
			if strings.Contains(r.text, only) {
				rules = append(rules, r)
			}
		}
	}
	if len(rules) == 0 {
		return fmt.Errorf("no rule in %s contains %q", strings.Join(files, ", "), only)
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m := &mutator{root: root, dir: dir, timeout: timeout}
	if err := m.unchanged(ctx, rules); err != nil {
		return err
	}
	var results []result
	for i, r := range rules {
		res, err := m.try(ctx, r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.text, err)
		}
		results = append(results, res)
		fmt.Fprintf(os.Stderr, "%d of %d: %s: %s\n", i+1, len(rules), r.text, res)
	}
	report := table(results)
	fmt.Print(report)
	if out != "" {
		return os.WriteFile(out, []byte(report), 0o644)
	}
	return nil
}
