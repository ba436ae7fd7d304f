package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// Part is an experiment with its settings.
type Part struct {
	Name       string // of its folder
	Experiment string
	Set        map[string]string
	Runs       int    // with consecutive seeds; 0 means 1
	MB         int    // that one run takes; 0 means little
	Of         string // what it reproduces of the sources
}

// Sizes of a campaign.
const (
	Full  = "full"  // the sources' sizes and numbers of runs
	Short = "short" // every experiment, small: a test of the lab, not a measurement
)

// partsOf returns the parts of a campaign: all of its size, or those whose names begin
// with some of the prefixes in only, divided by commas.
func partsOf(size, only string) ([]Part, error) {
	var all []Part
	switch size {
	case Full:
		all = fullParts()
	case Short:
		all = shortParts()
	default:
		return nil, fmt.Errorf("%w: size is %q, want %s or %s", lab.ErrSetting, size, Full, Short)
	}
	if only == "" {
		return all, nil
	}
	out := all[:0]
	for _, p := range all {
		for prefix := range strings.SplitSeq(only, ",") {
			if strings.HasPrefix(p.Name, prefix) {
				out = append(out, p)
				break
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: no part begins with %q", lab.ErrSetting, only)
	}
	return out, nil
}

// divisible reports whether a part's runs may be done on several machines.
func (p Part) divisible(e lab.Experiment) bool { return e.Deterministic && e.Many }

// Command is what runs the part alone.
func (p Part) Command(seed uint64) string {
	s := "vplab run " + p.Experiment
	for _, name := range slices.Sorted(maps.Keys(p.Set)) {
		s += fmt.Sprintf(" --set %s=%s", name, p.Set[name])
	}
	if seed > 1 {
		s += fmt.Sprintf(" --seed %d", seed)
	}
	if p.Runs > 1 {
		s += fmt.Sprintf(" --runs %d", p.Runs)
	}
	return s
}
