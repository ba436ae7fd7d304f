package lab

import (
	"errors"
	"fmt"
	"strings"
)

// Experiment is something that can be run by name.
type Experiment struct {
	Name          string
	Shows         string // one line: what the reader learns
	Source        string // what it is compared with
	Deterministic bool   // the same seed and settings give the same results, byte for byte
	Many          bool   // does many runs itself, side by side, and reports on all of them
	Settings      []Setting
	Differs       []string // where and why our figures are not the source's
	Run           func(t *Trial) error
}

// Setting is a parameter of an experiment with its default.
type Setting struct {
	Name    string
	Default string
	Unit    string // "" for a plain number or a name
	Text    string // what it changes
}

// Sentinels of what a caller can get wrong.
var (
	ErrUnknown = errors.New("no such experiment")
	ErrSetting = errors.New("bad setting")
)

// settings returns the values of all settings: the defaults, overlaid with set.
func (e Experiment) settings(set map[string]string) (map[string]string, error) {
	values := make(map[string]string, len(e.Settings))
	var names []string
	for _, s := range e.Settings {
		values[s.Name] = s.Default
		names = append(names, s.Name)
	}
	for name, value := range set {
		if _, ok := values[name]; !ok {
			return nil, fmt.Errorf("%w %q: %s has %s", ErrSetting, name, e.Name, orNone(names))
		}
		values[name] = value
	}
	return values, nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "no settings"
	}
	return strings.Join(names, ", ")
}
