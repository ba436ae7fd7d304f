package campaign

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// Record says where a part's results come from. It is all in a part's folder that
// differs between machines.
type Record struct {
	Part     string            `json:"part"`
	Command  string            `json:"command"`
	Settings map[string]string `json:"settings"` // that differ from the defaults
	Seed     uint64            `json:"seed"`     // the first of Runs consecutive ones
	Runs     int               `json:"runs"`
	Commit   string            `json:"commit"`
	Program  string            `json:"program"` // its digest
	Machine  string            `json:"machine"` // that made the tables; each file in runs/ has the one that did the run
	Began    time.Time         `json:"began"`
	Seconds  float64           `json:"seconds"`
	Failure  string            `json:"failure,omitempty"` // a promise that the experiment found broken
}

const recordFile = "record.json"

// commit is the one that the program was built from; “+changes” follows if it was
// built from more than that.
func commit() string {
	info, _ := debug.ReadBuildInfo()
	at, changes := "unknown", ""
	if info == nil {
		return at
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			at = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	return at + changes
}

// complete returns the record of a part whose results are there, made by the same
// program with the same seeds and settings.
func (c *campaign) complete(p Part) (r Record, ok bool) {
	if !readJSON(filepath.Join(c.Out, p.Name, recordFile), &r) {
		return r, false
	}
	return r, r.Part == p.Name && r.Command == p.Command(c.Seed) && r.Seed == c.Seed && r.Runs == max(p.Runs, 1) &&
		r.Program == c.program && maps.Equal(r.Settings, p.Set)
}

func (c *campaign) record(p Part, began time.Time, failure error) Record {
	r := Record{
		Part: p.Name, Command: p.Command(c.Seed), Settings: p.Set, Seed: c.Seed, Runs: max(p.Runs, 1), Commit: commit(),
		Program: c.program, Machine: lab.Machine(), Began: began.UTC(), Seconds: time.Since(began).Seconds(),
	}
	if failure != nil {
		r.Failure = failure.Error()
	}
	return r
}

// readJSON reports whether a file is there and is JSON of that kind.
func readJSON(file string, into any) bool {
	b, err := os.ReadFile(file)
	return err == nil && json.Unmarshal(b, into) == nil
}

func writeJSON(file string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}
