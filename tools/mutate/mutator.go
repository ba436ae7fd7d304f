package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// mutator runs tests with changed sources.
type mutator struct {
	root, dir string
	timeout   time.Duration
}

// result is what the tests say of a rule that is broken.
type result struct {
	rule  rule
	by    string // the test that failed; "": none did
	hangs bool   // by the time limit
}

func (r result) String() string {
	switch {
	case r.hangs:
		return "detected: the tests do not end"
	case r.by != "":
		return "detected by " + r.by
	}
	return "SURVIVES"
}

// unchanged makes sure that each rule can be broken and that the tests succeed otherwise.
func (m *mutator) unchanged(ctx context.Context, rules []rule) error {
	done := map[string]bool{}
	for _, r := range rules {
		if _, err := r.broken(m.root); err != nil {
			return fmt.Errorf("%s: %w", r.text, err)
		}
	}
	for _, r := range rules {
		for _, args := range r.tests {
			key := strings.Join(args, " ")
			if done[key] {
				continue
			}
			done[key] = true
			if failed, out, err := m.test(ctx, args); err != nil {
				return err
			} else if failed {
				return fmt.Errorf("go test %s fails without a change:\n%s", key, out)
			}
		}
	}
	return nil
}

// try breaks a rule and runs its tests until one fails.
func (m *mutator) try(ctx context.Context, r rule) (result, error) {
	text, err := r.broken(m.root)
	if err != nil {
		return result{}, err
	}
	changed, overlay := filepath.Join(m.dir, "changed.go"), filepath.Join(m.dir, "overlay.json")
	if err := os.WriteFile(changed, []byte(text), 0o644); err != nil {
		return result{}, err
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(m.root, r.file): changed}})
	if err != nil {
		return result{}, err
	}
	if err := os.WriteFile(overlay, b, 0o644); err != nil {
		return result{}, err
	}
	within, stop := context.WithTimeout(ctx, m.timeout)
	defer stop()
	for _, args := range r.tests {
		failed, out, err := m.test(within, append([]string{"-overlay", overlay}, args...))
		switch {
		case ctx.Err() != nil:
			return result{}, ctx.Err()
		case within.Err() != nil:
			return result{rule: r, by: strings.Join(args, " "), hangs: true}, nil
		case err != nil:
			return result{}, err
		case strings.Contains(out, "[build failed]"):
			return result{}, fmt.Errorf("the change does not compile:\n%s", out)
		case failed:
			return result{rule: r, by: failedTest(out)}, nil
		}
	}
	return result{rule: r}, nil
}

func (m *mutator) test(ctx context.Context, args []string) (failed bool, out string, err error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-vet=off", "-failfast"}, args...)...)
	cmd.Dir = m.root
	cmd.WaitDelay = 10 * time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go test ends its tests
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return true, text.String(), nil
	}
	return false, text.String(), err
}

var failLine = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// failedTest is the name of the test that failed, or what else it is.
func failedTest(out string) string {
	if found := failLine.FindStringSubmatch(out); found != nil {
		return "`" + found[1] + "`"
	}
	if strings.Contains(out, "panic:") {
		return "a panic"
	}
	return "a failure"
}

// table is the result for the documentation, survivors first.
func table(results []result) string {
	var b strings.Builder
	survivors := 0
	sorted := slices.Clone(results)
	slices.SortStableFunc(sorted, func(x, y result) int { return len(x.by[:min(1, len(x.by))]) - len(y.by[:min(1, len(y.by))]) })
	b.WriteString("| rule | file | detected by |\n|---|---|---|\n")
	for _, r := range sorted {
		by := r.by
		if by == "" {
			by = "**nothing**"
			survivors++
		} else if r.hangs {
			by = "the time limit"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", r.rule.text, filepath.Base(r.rule.file), by)
	}
	fmt.Fprintf(&b, "\n%d rules, %d survive.\n", len(results), survivors)
	return b.String()
}
